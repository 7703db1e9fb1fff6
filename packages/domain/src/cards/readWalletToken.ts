import { findCardByToken, lockCard } from "@cardkeep/db/queries/cards/cards";
import type { WorkerContext } from "../context.ts";
import { recordWalletToken } from "./recordWalletToken.ts";

/**
 * Reads a wallet token's present state from the issuer and records it. Callbacks come in any order, so their own data are
 * not used.
 * @throws ProviderUnavailable; the job is run again
 */
export async function readWalletToken(ctx: WorkerContext, { walletTokenId }: { walletTokenId: string }): Promise<void> {
  const report = await ctx.issuer.findWalletToken(walletTokenId);
  const known = report && (await findCardByToken(ctx.db, report.cardToken));
  if (!report || !known) return ctx.log.warn({ walletTokenId }, "a wallet token belongs to no card of this service");
  await ctx.commit(async (work) => {
    const card = await lockCard(work.tx, known.id);
    if (card) await recordWalletToken(work, card, report);
  });
}
