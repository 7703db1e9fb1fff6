/** Users as the operator finds them. */
import { fail } from "@cardkeep/contract/core/errors";
import { address } from "@cardkeep/contract/core/primitives";
import type { Executor } from "@cardkeep/db/client";
import { sumDebts, type TokenDebt } from "@cardkeep/db/queries/spending/debts";
import { listOpenDelays } from "@cardkeep/db/queries/accounts/delays/lists";
import { findIban, type Iban } from "@cardkeep/db/queries/users/ibans";
import { listViolations, type Violation } from "@cardkeep/db/queries/accounts/integrity";
import { listSafes, type Safe } from "@cardkeep/db/queries/accounts/safes";
import {
  findUser,
  findUserByAddress,
  findUserByEmail,
  listSignInWallets,
  listUsers as listRows,
  listUsersById,
  type SignInWallet,
  type User,
} from "@cardkeep/db/queries/users/users";
import type { OperatorActor } from "../../core/actor.ts";
import type { OperatorContext } from "../../core/context.ts";
import { hasRole } from "../../core/operators/requireRole.ts";
import type { Services } from "../../core/services.ts";

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
};

/** A viewer reads what the service does, and no more of a person than that takes. */
export const maySeePeople = (actor: OperatorActor): boolean =>
  hasRole(actor, "users.end-access") || hasRole(actor, "payments.refund");

/** What a person is called, and where the person lives and is reached beside the mail address. */
const hiddenPerson = {
  firstName: null,
  lastName: null,
  latinFirstName: null,
  latinLastName: null,
  birthDate: null,
  phone: null,
  formerPhone: null,
  address1: null,
  address2: null,
  city: null,
  postalCode: null,
  state: null,
  nationalityCountry: null,
} as const satisfies Partial<User>;

/** Name, phone number, birth date and address of a person show to operators who may act for the person, and to no viewer. */
export const hidePerson = <U extends User>(actor: OperatorActor, user: U): U =>
  maySeePeople(actor) ? user : { ...user, ...hiddenPerson };

/** Who reads, and where from. */
type Reader = Pick<OperatorContext, "db" | "actor">;

/** Users as their reader may see them, newest first; `after` names the last row of the page before. */
export async function listUsers(
  { db, actor }: Reader,
  {
    status = null,
    kycStatus = null,
    owing: isOwing = false,
    after = null,
    limit,
  }: {
    status?: User["status"] | null | undefined;
    kycStatus?: User["kycStatus"] | null | undefined;
    /** Those who owe for card payments only. */
    owing?: boolean | undefined;
    after?: string | null;
    limit: number;
  },
): Promise<User[]> {
  const rows = await listRows(db, { status, kycStatus, isOwing, after, limit });
  return rows.map((row) => hidePerson(actor, row));
}

/** The user of an id, an e-mail address, a sign-in wallet or a Safe, in any letter case. @throws users.not_found */
export async function resolveUser(on: Executor, reference: string): Promise<User> {
  const parsed = address.safeParse(reference);
  const find = parsed.success
    ? findUserByAddress(on, parsed.data)
    : reference.includes("@")
      ? findUserByEmail(on, reference)
      : findUser(on, reference);
  return (await find) ?? fail("users.not_found");
}

/** First and last names by id; the mail address of those without. Erased people have neither. */
export async function listNames(
  { lists }: Pick<Services, "lists">,
  { ids }: { ids: readonly string[] },
): Promise<ReadonlyMap<string, string>> {
  const rows = await lists.read((on) => listUsersById(on, ids));
  const nameOf = ({ firstName, lastName, email }: User): string =>
    [firstName, lastName].filter(Boolean).join(" ") || email;
  return new Map(rows.filter(({ erasedAt }) => erasedAt === null).map((user) => [user.id, nameOf(user)]));
}

/** One user with wallets and Safes, as the reader may see both. @throws users.not_found */
export async function getUserDetails(
  { db, actor }: Reader,
  { reference }: { reference: string },
): Promise<UserDetails> {
  const user = await resolveUser(db, reference);
  const safes = await listSafes(db, user.id);
  const open = await Promise.all(safes.map(({ id }) => listOpenDelays(db, id)));
  const violations = await Promise.all(safes.map(({ id }) => listViolations(db, id)));
  return {
    ...hidePerson(actor, user),
    signInWallets: await listSignInWallets(db, user.id),
    safes: safes.map(({ id, address: at, status, tokenSymbol, createdAt }) => ({
      id,
      address: at,
      status,
      tokenSymbol,
      createdAt,
    })),
    violations: violations.flat().map(({ status, reason, hash, seenAt }) => ({ status, reason, hash, seenAt })),
    debts: await sumDebts(db, user.id),
    openDelays: open.flat().length,
    ibanStatus: (await findIban(db, user.id))?.status ?? null,
  };
}
