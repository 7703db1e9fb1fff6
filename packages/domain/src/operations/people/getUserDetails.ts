/** One user as operators and their programs read it: pages, commands and the operator's API have it from here. */
import { listOpenDelays } from "@cardkeep/db/queries/accounts/delays/lists";
import { listViolations, type Violation } from "@cardkeep/db/queries/accounts/integrity";
import { listSafes, type Safe } from "@cardkeep/db/queries/accounts/safes";
import { type CardCase, findOpenCaseOf } from "@cardkeep/db/queries/spending/cases";
import { sumDebts, type TokenDebt } from "@cardkeep/db/queries/spending/debts";
import { type ContactChange, listContactChanges } from "@cardkeep/db/queries/users/contactChanges";
import { findIban, type Iban } from "@cardkeep/db/queries/users/ibans";
import { findLegalHold, type LegalHold, listRestrictedRecords } from "@cardkeep/db/queries/users/records";
import { listSignInWallets, type SignInWallet, type User } from "@cardkeep/db/queries/users/users";
import type { OperatorContext } from "../../core/context.ts";
import { listUnderWay } from "../../users/users/listUnderWay.ts";
import { hidePerson, resolveUser } from "../../users/users/listUsers.ts";
import { isUsable } from "../../verification/contacts/contactChange.ts";

export type UserDetails = User & {
  signInWallets: SignInWallet[];
  safes: Pick<Safe, "id" | "address" | "status" | "tokenSymbol" | "createdAt">[];
  /** Why accounts are not as they were set up: entries of their queues, and spends that moved no money. */
  violations: Pick<Violation, "status" | "reason" | "hash" | "seenAt">[];
  /** What is owed for card payments, token by token. */
  debts: TokenDebt[];
  /** Accepted operations that have not ended. */
  openDelays: number;
  /** Null where none was ever asked for. */
  ibanStatus: Iban["status"] | null;
  /** The change of a contact that waits for the user; the new contact is the user's alone. */
  contactChange: Pick<ContactChange, "kind" | "operator" | "expiresAt"> | null;
  /** The open legal hold. */
  hold: Pick<LegalHold, "placedAt" | "placedBy" | "reason"> | null;
  /** What the law keeps of an erased person, and until when. */
  restricted: { recordClass: string; until: Date }[];
  /** What is under way, so that the person cannot be erased, in words. */
  underWay: string[];
  /** The case in which support asks compliance to erase the person, while it is open. */
  erasureRequest: Pick<CardCase, "id" | "createdAt"> | null;
};

/** Who reads, and where from. */
type Reader = Pick<OperatorContext, "db" | "actor" | "clock">;

/** What belongs to a user of these Safes, as the reader may see both, and the rows that a page reads more of. */
export async function readUser(
  { db, actor, clock }: Reader,
  user: User,
  safes: readonly Safe[],
): Promise<{ details: UserDetails; violations: Violation[]; iban: Iban | null }> {
  const now = await clock.now(db);
  const [open, violations, [change], hold, restricted, signInWallets, debts, iban, underWay, asked] = await Promise.all(
    [
      Promise.all(safes.map(({ id }) => listOpenDelays(db, id))),
      Promise.all(safes.map(({ id }) => listViolations(db, id))).then((found) => found.flat()),
      listContactChanges(db, user.id, 1),
      findLegalHold(db, user.id),
      listRestrictedRecords(db, user.id),
      listSignInWallets(db, user.id),
      sumDebts(db, user.id),
      findIban(db, user.id),
      listUnderWay(db, user, now),
      findOpenCaseOf(db, { kind: "erasure_request", subjectId: user.id }),
    ],
  );
  const details: UserDetails = {
    ...hidePerson(actor, user),
    signInWallets,
    safes: safes.map(({ id, address, status, tokenSymbol, createdAt }) => ({
      id,
      address,
      status,
      tokenSymbol,
      createdAt,
    })),
    violations: violations.map(({ status, reason, hash, seenAt }) => ({ status, reason, hash, seenAt })),
    debts,
    openDelays: open.flat().length,
    ibanStatus: iban?.status ?? null,
    contactChange:
      change && isUsable(change, user, now)
        ? { kind: change.kind, operator: change.operator, expiresAt: change.expiresAt }
        : null,
    hold: hold && { placedAt: hold.placedAt, placedBy: hold.placedBy, reason: hold.reason },
    restricted: restricted.map(({ recordClass, until }) => ({ recordClass, until })),
    underWay,
    erasureRequest: asked && { id: asked.id, createdAt: asked.createdAt },
  };
  return { details, violations, iban };
}

/** One user with wallets and Safes, as the reader may see both. @throws users.not_found */
export async function getUserDetails(reader: Reader, { reference }: { reference: string }): Promise<UserDetails> {
  const user = await resolveUser(reader.db, reference);
  const { details } = await readUser(reader, user, await listSafes(reader.db, user.id));
  return details;
}
