import { findCardByToken, lockCard } from "@cardkeep/db/queries/cards/cards";
import { findUser, holdUser } from "@cardkeep/db/queries/users/users";
import { findWalletToken } from "@cardkeep/db/queries/cards/walletTokens";
import type { WalletTokenReport } from "@cardkeep/providers/issuer/port";
import { isContactNew } from "../../core/cardholders/contactWindow.ts";
import { partnerSkewMs } from "../../core/clockSkew.ts";
import type { WorkerContext } from "../../core/context.ts";
import { recordWalletToken } from "./recordWalletToken.ts";

/**
 * Reads a wallet token's present state from the issuer and records it. Callbacks come in any order, so their own data are
 * not used. One that was made within the window of `contactWindow.ts` is deleted, however late it is read. That of an
 * erased person is not recorded.
 * @throws ProviderUnavailable; the job is run again
 */
export async function readWalletToken(ctx: WorkerContext, { walletTokenId }: { walletTokenId: string }): Promise<void> {
  const report = await ctx.issuer.findWalletToken(walletTokenId);
  const known = report && (await findCardByToken(ctx.db, report.cardToken));
  if (!report || !known) return ctx.log.warn({ walletTokenId }, "a wallet token belongs to no card of this service");
  const shown = (await isMadeByThief(ctx, known.userId, report)) ? await removeToken(ctx, report) : report;
  await ctx.commit(async (work) => {
    if (!(await holdUser(work.tx, known.userId))) return;
    const card = await lockCard(work.tx, known.id);
    if (card) await recordWalletToken(work, card, shown);
  });
}

/** Whether a wallet token was made while a change of its user's contact counts: a thief may have got the code for it. */
async function isMadeByThief(
  ctx: WorkerContext,
  userId: string,
  { id, status, createdAt }: WalletTokenReport,
): Promise<boolean> {
  if (status === "deleted") return false;
  const user = await findUser(ctx.db, userId);
  if (!user?.contactChangedAt || !user.contactSettlesAt) return false;
  const row = await findWalletToken(ctx.db, id);
  if (row !== null) return isContactNew(user, await ctx.clock.now(ctx.db)) && row.createdAt >= user.contactChangedAt;
  // Its callback may be lost, and the window closed before it is found.
  return createdAt.getTime() >= user.contactChangedAt.getTime() - partnerSkewMs && createdAt < user.contactSettlesAt;
}

/** Ends a wallet token at the issuer. @throws ProviderUnavailable, ProviderRefused */
async function removeToken(ctx: WorkerContext, report: WalletTokenReport): Promise<WalletTokenReport> {
  await ctx.issuer.setWalletTokenStatus(report.id, "deleted");
  ctx.log.warn({ walletTokenId: report.id }, "a wallet token was made after a change of the phone number, and deleted");
  return { ...report, status: "deleted" };
}
