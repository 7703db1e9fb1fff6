/**
 * Fills the keys that pay for transactions up with native tokens, from the top-up account and within the operator's limits.
 *
 * A top-up is a relay transaction of the top-up account's own lane. That lane's row is locked while the day's sum is
 * compared and the top-up is booked, so the limit and "once for each need" hold for any number of workers.
 */
import { dayMs, hourMs } from "@cardkeep/contract/core/durations";
import type { RelayerKey } from "@cardkeep/chain/relayer";
import type { Address } from "@cardkeep/contract/core/primitives";
import { lockLane } from "@cardkeep/db/queries/chain/relay/lanes";
import { hasOpenRelayTransaction } from "@cardkeep/db/queries/chain/relay/bySubject";
import type { Executor } from "@cardkeep/db/client";
import { findNewestTopUp, insertTopUp, sumTopUps, type TopUp } from "@cardkeep/db/queries/chain/topUps";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { mayLackRows } from "../guards/restoreGuard.ts";
import type { WorkerContext } from "../../core/context.ts";
import { generateId } from "../../core/generateId.ts";
import { quoteRelay, signRelayTransaction } from "../relay/signRelayTransaction.ts";
import type { TopUpLimits } from "../../core/policy.ts";
import { formatNative, listFunded } from "./readTopUps.ts";

const everyMs = 15_000;
/** A node that lags behind may not show the last top-up's tokens before. */
const restMs = 60_000;

/** Tops up every key whose balance is below the floor; runs again 15 s later. */
export async function topUpRelayers(ctx: WorkerContext): Promise<void> {
  const { topUpLimits: limits, chainId } = ctx.policy;
  const { topUpKey: key } = ctx;
  // Rows that a database lost are missing in the sum of the day.
  if (limits !== null && key !== null && !(await mayLackRows(ctx, "transactions")))
    for (const recipient of await listFunded(ctx)) await topUp(ctx, { limits, key, recipient });
  await ctx.commit(({ tx, requestId }) =>
    enqueue(tx, "chain.topUps", { chainId: String(chainId), requestId }, everyMs),
  );
}

async function topUp(
  ctx: WorkerContext,
  { limits, key, recipient }: { limits: TopUpLimits; key: RelayerKey; recipient: Address },
): Promise<void> {
  const now = await ctx.clock.now(ctx.db);
  const newest = await findNewestTopUp(ctx.db, recipient);
  // Before the balance is read: what has settled by now is part of it.
  if (newest && (await isUnderWay(ctx.db, newest, now))) return;
  const balance = await ctx.chain.getNativeBalance(recipient);
  if (balance >= limits.below) return;
  if (newest && (await isRemovedUnnoticed(ctx, newest, now))) return;
  const amount = limits.to - balance;
  const own = await ctx.chain.getNativeBalance(key.address);
  const isShort = (cost: bigint): boolean => {
    if (own >= cost) return false;
    ctx.log.error({ account: key.address, recipient }, "The top-up account lacks native tokens. Send it some.");
    return true;
  };
  if (isShort(amount)) return;
  const call = { to: recipient, value: amount, data: "0x" } as const;
  const quote = await quoteRelay(ctx, key, call);
  if (isShort(amount + quote.gasLimit * quote.maxFeePerGas)) return;
  const isBooked = await ctx.commit(async (work) => {
    const { tx, now, requestId } = work;
    await lockLane(tx, key.address);
    if ((await findNewestTopUp(tx, recipient))?.id !== newest?.id) return null;
    if (newest && (await isUnderWay(tx, newest, now))) return null;
    const spent = await sumTopUps(tx, new Date(now.getTime() - dayMs));
    if (spent + amount > limits.perDayMax) return false;
    const id = generateId();
    await insertTopUp(tx, { id, recipient, amount, createdAt: now });
    await signRelayTransaction(ctx, work, {
      id: generateId(),
      purpose: "relayer.topUp",
      subjectId: id,
      requestId,
      relayer: key,
      call,
      quote,
    });
    return true;
  });
  const fields = { recipient, amount: formatNative(amount) };
  if (isBooked === true) ctx.log.info(fields, "topped up a key");
  if (isBooked === false)
    ctx.log.error(fields, "A key waits for a top-up: the day's limit TOP_UP_PER_DAY_MAX is used up.");
}

/**
 * Whether a reorganisation, which no job has noticed yet, rolled a top-up back: it is sent again. Only while it is young, because
 * nodes forget old receipts.
 */
async function isRemovedUnnoticed(
  { chain }: Pick<WorkerContext, "chain">,
  { hash, settledAt }: TopUp,
  now: Date,
): Promise<boolean> {
  if (hash === null || settledAt === null || now.getTime() - settledAt.getTime() > hourMs) return false;
  return (await chain.findReceipt(hash)) === null;
}

/** Whether a top-up may not be part of the balance that a node answers; a removed block may take it back. */
async function isUnderWay(on: Executor, { id, settledAt }: TopUp, now: Date): Promise<boolean> {
  if (settledAt === null || now.getTime() - settledAt.getTime() < restMs) return true;
  return hasOpenRelayTransaction(on, id, ["relayer.topUp"]);
}
