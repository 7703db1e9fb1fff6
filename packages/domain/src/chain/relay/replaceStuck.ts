/** Attempts with higher fees, and cancellations: a newer attempt of the same nonce takes the place of the older one. */
import { type Fees, outbidFees, raiseFees } from "@cardkeep/chain/relayer";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { findLowestOpenNonce } from "@cardkeep/db/queries/chain/relay/lanes";
import { insertRelayAttempt, listRelayAttempts, type RelayAttempt } from "@cardkeep/db/queries/chain/relay/attempts";
import { lockOpenRelayTransaction, type RelayTransaction } from "@cardkeep/db/queries/chain/relay/transactions";
import type { RelayContext } from "./settler.ts";
import { listSenders, signAttempt } from "./signAttempt.ts";

/** A transaction that waits longer in the mempool is signed again with more fee. */
const replaceAfterMs = 45_000;
/** What a transfer of the native token costs. */
export const cancellationGas = 21_000n;

/**
 * Signs a stuck attempt again with higher fees, where these can help.
 *
 * @param canFeesHelp whether the node holds the attempt, or refuses it for its fees alone
 */
export async function replaceStuck(
  ctx: RelayContext,
  transaction: RelayTransaction,
  newest: RelayAttempt,
  canFeesHelp: boolean,
): Promise<void> {
  const ageMs = (await ctx.clock.now(ctx.db)).getTime() - newest.createdAt.getTime();
  if (ageMs < replaceAfterMs) return;
  const block = await ctx.chain.getBlock();
  const isBelowBaseFee = newest.maxFeePerGas < block.baseFeePerGas;
  // Behind another nonce of its lane it waits for that one, not for a better fee.
  const isFirst = (await findLowestOpenNonce(ctx.db, transaction.relayer)) === transaction.nonce;
  const fees = isBelowBaseFee || (canFeesHelp && isFirst) ? raiseFees(newest, block) : null;
  if (fees) await replace(ctx, transaction, newest, fees);
}

/** Fills the nonce of a lost transaction after a reorganisation freed it; its subject was signed anew. True where signed. */
export async function cancelLost(
  ctx: RelayContext,
  transaction: RelayTransaction,
  newest: RelayAttempt,
): Promise<boolean> {
  if (transaction.lostAt === null || newest.isCancellation) return false;
  await replace(ctx, transaction, newest, outbidFees(newest, await ctx.chain.getBlock()));
  return true;
}

async function replace(
  ctx: RelayContext,
  transaction: RelayTransaction,
  stuck: RelayAttempt,
  fees: Fees,
): Promise<void> {
  const relayer = listSenders(ctx).find((key) => key.address === transaction.relayer);
  if (!relayer) return;
  const { to, value, data, gasLimit } = transaction;
  const isCancellation = transaction.lostAt !== null;
  const call = isCancellation
    ? ({ to: relayer.address, value: 0n, data: "0x", gasLimit: cancellationGas } as const)
    : { to, value, data, gasLimit };
  const signed = await signAttempt(ctx, relayer, { ...transaction, ...call }, fees);
  await ctx.commit(async ({ tx, now }) => {
    if (!(await lockOpenRelayTransaction(tx, transaction.id))) return;
    const [newest] = await listRelayAttempts(tx, transaction.id);
    if (newest?.hash !== stuck.hash) return;
    await insertRelayAttempt(tx, { ...signed, isCancellation, createdAt: now });
    await enqueue(tx, "relay.broadcast", { relayTransactionId: transaction.id, requestId: transaction.requestId });
  });
}
