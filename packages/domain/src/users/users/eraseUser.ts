import { fail } from "@cardkeep/contract/core/errors";
import {
  erasePersonalData,
  type Erasure,
  type HeldRows,
  readPersonalData,
} from "@cardkeep/db/queries/core/personalData/personalData";
import { closeCaseOf } from "@cardkeep/db/queries/spending/cases";
import { findIban } from "@cardkeep/db/queries/users/ibans";
import { findLegalHold } from "@cardkeep/db/queries/users/records";
import { endSubscriptions } from "@cardkeep/db/queries/partners/subscriptions";
import { listSignInWallets, lockUserForErasure, removeSignInWallet, type User } from "@cardkeep/db/queries/users/users";
import { readSnapshot } from "@cardkeep/db/readSnapshot";
import type { OperatorContext, Work } from "../../core/context.ts";
import { watchIban } from "../ibans/watchIban.ts";
import { requireApproval } from "../../operators/approvals/requireApproval.ts";
import { keptReasons } from "../../core/privacy/keptHours.ts";
import { type Restriction, restrictRecords } from "../../core/records/restrictRecords.ts";
import { keepIban } from "../ibans/iban.ts";
import { resolveUser } from "./listUsers.ts";
import { listUnderWay } from "./listUnderWay.ts";

export interface UserErasure {
  userId: string;
  tables: Erasure[];
  /** What the law keeps, sealed, and until when. */
  restricted: Restriction[];
}

/**
 * Forgets a person: what the law wants kept is sealed until its date, the books stay without names, the rest is gone, and
 * access tokens end within a second. A request for it closes. The same again changes nothing.
 *
 * Nothing may be under way: cards are ended, orders and operations final. The account stays on chain, and its owners'.
 * An IBAN stays open at the institution, so a case asks to close it, and money that still arrives by it is a case. It names
 * orders whose end was never reported.
 *
 * @throws users.not_found, users.held, users.busy, operators.approval_needed
 */
export async function eraseUser(ctx: OperatorContext, { reference }: { reference: string }): Promise<UserErasure> {
  const { id } = await resolveUser(ctx.db, reference);
  await requireApproval(ctx, "users.erase", { input: { reference: id }, subject: { kind: "user", id } });
  return ctx.act("users.erase", async (work) => {
    const { user, output } = await eraseLocked(ctx, work, id);
    const rows = output.tables.reduce((sum, table) => sum + table.rows, 0);
    const before = { status: user.status, kycStatus: user.kycStatus };
    return { output, subject: { kind: "user", id }, before, after: { rows } };
  });
}

/**
 * Erases a user in the caller's commit. It fails before it changes anything.
 *
 * @throws users.not_found, users.held, users.busy
 */
export async function eraseLocked(
  ctx: OperatorContext,
  work: Work,
  id: string,
): Promise<{ user: User; output: UserErasure }> {
  const { tx, now, requestId, afterCommit } = work;
  const user = (await lockUserForErasure(tx, id)) ?? fail("users.not_found");
  const hold = await findLegalHold(tx, id);
  if (hold) fail("users.held", { text: `A legal hold is open since ${hold.placedAt.toISOString()}: ${hold.reason}` });
  const open = await listUnderWay(tx, user, now);
  if (open.length > 0) fail("users.busy", { text: `Something of this user is under way: ${open.join(", ")}` });
  const wallets = await listSignInWallets(tx, id);
  await endSubscriptions(tx, { userId: id, now });
  const closed = {
    closedAt: now,
    closedBy: ctx.actor.name,
    closeReason: `Erased: ${ctx.reason ?? "again, after a restore"}`,
  };
  await closeCaseOf(tx, { kind: "erasure_request", subjectId: id }, closed);
  const restricted = await restrictRecords(ctx, work, user);
  const iban = await findIban(tx, id);
  if (iban) await keepIban(work, iban);
  const tables = await erasePersonalData(tx, user, { now, keptReasons });
  // An erasure that is repeated opens no case that was closed since.
  if (user.erasedAt === null) await watchIban(work, id);
  // By the wall clock, as tokens are.
  for (const wallet of wallets) await removeSignInWallet(tx, wallet.id, now);
  // The log is not in the database: after a restore it names the people to erase again.
  afterCommit(() => ctx.erasureLog.info({ userId: id, requestId }, "a person was erased"));
  return { user, output: { userId: id, tables, restricted } };
}

export interface UserExport {
  userId: string;
  exportedAt: Date;
  tables: HeldRows[];
}

/**
 * Everything that is known of a user, table by table, for the user to have. The action log records who took it.
 *
 * @throws users.not_found
 */
export async function exportUser(ctx: OperatorContext, { reference }: { reference: string }): Promise<UserExport> {
  const output = await readSnapshot(ctx.db, async (tx) => {
    const user = await resolveUser(tx, reference);
    return { userId: user.id, exportedAt: await ctx.clock.now(tx), tables: await readPersonalData(tx, user, "person") };
  });
  const rows = output.tables.reduce((sum, table) => sum + table.rows.length, 0);
  const subject = { kind: "user", id: output.userId } as const;
  return ctx.act("users.export", async () => ({ output, subject, before: null, after: { rows } }));
}
