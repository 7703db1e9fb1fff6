/**
 * Attempts with other fees, and cancellations: a newer attempt of the same nonce takes the place of the older ones.
 *
 * All attempts but a cancellation have one call, so the transaction is settled by any of them that is mined.
 */
import { type Fees, outbidFees, raiseFees, suggestFees } from "@cardkeep/chain/relayer";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { findLowestOpenNonce } from "@cardkeep/db/queries/chain/relay/lanes";
import { insertRelayAttempt, listRelayAttempts, type RelayAttempt } from "@cardkeep/db/queries/chain/relay/attempts";
import { lockOpenRelayTransaction, type RelayTransaction } from "@cardkeep/db/queries/chain/relay/transactions";
import type { RelayContext } from "./settler.ts";
import { greatest } from "../../core/money.ts";
import { listSenders, signAttempt } from "./signAttempt.ts";

/** A transaction that waits longer in the mempool is signed again with more fee. */
const replaceAfterMs = 45_000;
/** An attempt whose fees are above this multiple of the present suggestion was signed when the chain was dearer. */
const fallMin = 2n;
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

/**
 * Signs an attempt that the node refused again with the fees of now, where these are less than half. True where signed.
 *
 * A sender may lack the money for fees that the chain asked for once, and everything behind it in its lane would wait for
 * that money. An older attempt that the node holds goes first, unless the base fee is above its fees: then it is outbid.
 */
export async function lowerRefused(
  ctx: RelayContext,
  transaction: RelayTransaction,
  [newest, ...older]: readonly RelayAttempt[],
): Promise<boolean> {
  const block = await ctx.chain.getBlock();
  const isTooDear = ({ maxFeePerGas }: Fees) => newest && newest.maxFeePerGas > fallMin * maxFeePerGas;
  if (!newest || !isTooDear(suggestFees(block))) return false;
  const held: RelayAttempt[] = [];
  for (const attempt of older) if (await ctx.chain.hasTransaction(attempt.hash)) held.push(attempt);
  if (held.some(({ maxFeePerGas }) => maxFeePerGas >= block.baseFeePerGas)) return false;
  const fees = held.length > 0 ? outbidFees(findHighest(held), block) : suggestFees(block);
  if (!isTooDear(fees)) return false;
  await replace(ctx, transaction, newest, fees);
  return true;
}

const findHighest = (attempts: readonly Fees[]): Fees => ({
  maxFeePerGas: attempts.reduce((most, { maxFeePerGas }) => greatest(most, maxFeePerGas), 0n),
  maxPriorityFeePerGas: attempts.reduce((most, { maxPriorityFeePerGas }) => greatest(most, maxPriorityFeePerGas), 0n),
});

/** Fills the nonce of a lost transaction after a reorganisation freed it; its subject was signed anew. True where signed. */
export async function cancelLost(
  ctx: RelayContext,
  transaction: RelayTransaction,
  attempts: readonly RelayAttempt[],
): Promise<boolean> {
  const [newest] = attempts;
  if (!newest || transaction.lostAt === null || newest.isCancellation) return false;
  // A node may hold any of them.
  await replace(ctx, transaction, newest, outbidFees(findHighest(attempts), await ctx.chain.getBlock()));
  return true;
}

/** Fees that no attempt has: the same fees would give the same bytes, and a node was asked for those already. */
function differ(fees: Fees, attempts: readonly RelayAttempt[]): Fees {
  const isKnown = attempts.some(
    ({ maxFeePerGas, maxPriorityFeePerGas }) =>
      maxFeePerGas === fees.maxFeePerGas && maxPriorityFeePerGas === fees.maxPriorityFeePerGas,
  );
  return isKnown ? differ({ ...fees, maxFeePerGas: fees.maxFeePerGas + 1n }, attempts) : fees;
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
  const different = differ(fees, await listRelayAttempts(ctx.db, transaction.id));
  const signed = await signAttempt(ctx, relayer, { ...transaction, ...call }, different);
  await ctx.commit(async ({ tx, now }) => {
    if (!(await lockOpenRelayTransaction(tx, transaction.id))) return;
    const [newest] = await listRelayAttempts(tx, transaction.id);
    if (newest?.hash !== stuck.hash) return;
    // The newest by its instant, also where another worker with a fast clock signed the one before.
    const createdAt = new Date(Math.max(now.getTime(), newest.createdAt.getTime() + 1));
    await insertRelayAttempt(tx, { ...signed, isCancellation, createdAt });
    await enqueue(tx, "relay.broadcast", { relayTransactionId: transaction.id, requestId: transaction.requestId });
  });
}
