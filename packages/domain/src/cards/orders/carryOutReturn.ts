/** The chain's side of a return of an order's payment: from planned to signed, and from mined to paid. */
import { CallReverted } from "@cardkeep/chain/errors";
import { buildReturn, hasTransfer, nameTransfer } from "@cardkeep/chain/spending";
import { tokenOf } from "@cardkeep/chain/tokens";
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import { listSafes, lockSafe } from "@cardkeep/db/queries/accounts/safes";
import type { SeenBlock } from "@cardkeep/db/queries/chain/blocks";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { findOrder, type Order } from "@cardkeep/db/queries/cards/orders";
import {
  findOrderReturn,
  lockPlannedReturn,
  type OrderReturn,
  setReturnPaid,
  setReturnSigned,
  setReturnTransfer,
} from "@cardkeep/db/queries/cards/orderReturns";
import { findFinalInstant } from "../../chain/guards/findBlockSince.ts";
import { findOwnTransfer } from "../../chain/guards/findOwnTransfer.ts";
import { requireNothingHeld, requireSettled } from "../../chain/guards/requireSettled.ts";
import { requireRows } from "../../chain/guards/restoreGuard.ts";
import { type Work, type WorkerContext, writeNothing } from "../../core/context.ts";
import { generateId } from "../../core/generateId.ts";
import { lockOrder } from "./order.ts";
import { openReturnCase } from "./orderReturns.ts";
import { closeWaitingOrderReturn, findRecipientSafe, redirectOrderReturn } from "./redirectOrderReturn.ts";
import type { Settler } from "../../chain/relay/settler.ts";
import { quoteRelay, signRelayTransaction } from "../../chain/relay/signRelayTransaction.ts";

/** How soon a return that the chain refuses is tried again: the treasury first has to approve the spender, or to be funded. */
const againMs = 30_000;
/** How soon one that is on chain is looked at again until its block is final. */
const finalMs = 5_000;

const tagOf = ({ orderId, ordinal }: OrderReturn) => nameTransfer(`order-return:${orderId}:${ordinal}`);

async function getOrder(ctx: WorkerContext, { orderId }: OrderReturn): Promise<Order> {
  const order = await findOrder(ctx.db, orderId);
  if (!order) throw new Error(`Order ${orderId} has no row`);
  return order;
}

/** What a return moves, as the token logs it. */
const describeMove = (
  { policy }: WorkerContext,
  { recipient: to, amount }: OrderReturn,
  { currency }: Pick<Order, "currency">,
) => ({ token: tokenOf[currency].address, from: policy.treasuryAddress, to, amount });

async function writePaid(work: Work, row: OrderReturn, hash: Hex): Promise<void> {
  await setReturnPaid(work.tx, row.id, { hash, paidAt: work.now });
  await closeWaitingOrderReturn(work, row);
}

interface FoundReturn {
  hash: Hex;
  block: SeenBlock;
  recipient: Address;
  amount: bigint;
}

/**
 * A return of this name that is on chain: a restore may have lost its row, which had another amount, or another account of the person.
 */
async function findFound(ctx: WorkerContext, row: OrderReturn, order: Order): Promise<FoundReturn | null> {
  const { token, from } = describeMove(ctx, row, order);
  const safes = (await listSafes(ctx.db, row.userId)).map(({ address }) => address);
  const receivers = new Set([row.recipient, order.paidBy, ...safes]);
  for (const recipient of receivers) {
    const search = { token, from, amount: null, tag: tagOf(row) };
    const found = recipient && (await findOwnTransfer(ctx, { ...search, to: recipient }));
    if (found) return { ...found, recipient };
  }
  return null;
}

/** Records a return as it is on chain. What it lacks is for operators to return. */
async function writeFound(work: Work, row: OrderReturn, { hash, recipient, amount }: FoundReturn): Promise<void> {
  const order = await lockOrder(work.tx, row.userId, row.orderId);
  await setReturnTransfer(work.tx, row.id, { recipient, amount });
  await writePaid(work, row, hash);
  if (amount !== row.amount) await openReturnCase(work, order, { isChanged: true });
}

/**
 * Signs a planned return. One that is on chain already, after a database was restored, is only recorded. One to a Safe that was given
 * up since goes to the person's next one.
 */
export async function carryOutReturn(ctx: WorkerContext, { returnId }: { returnId: string }): Promise<void> {
  const row = await findOrderReturn(ctx.db, returnId);
  if (!row || row.signedAt !== null || row.paidAt !== null) return;
  await requireRows(ctx, "transactions");
  await requireSettled(ctx, row.id, "order.return");
  await requireNothingHeld(ctx, ctx.spender.address);
  const order = await getOrder(ctx, row);
  const move = describeMove(ctx, row, order);
  const paid = await findFound(ctx, row, order);
  const { requestId } = row;
  if (paid) {
    // No row of ours rests on its block, so nothing would bring the return back if that were removed.
    if (!(await findFinalInstant(ctx, paid.block)))
      return enqueue(ctx.db, "order.return", { returnId, requestId }, finalMs);
    return ctx.commit((work) => writeFound(work, row, paid));
  }
  const safe = await findRecipientSafe(ctx, row);
  if (await redirectOrderReturn(ctx, row, safe, order)) return;
  const call = buildReturn({ ...move, tag: tagOf(row) });
  try {
    const quote = await quoteRelay(ctx, ctx.spender, call);
    await ctx.commit(async (work) => {
      // Given up meanwhile, it begins anew.
      if (safe && (await lockSafe(work.tx, safe.id))?.status === "reset")
        return enqueue(work.tx, "order.return", { returnId, requestId });
      if ((await lockPlannedReturn(work.tx, row.id))?.recipient !== row.recipient) return;
      const input = { id: generateId(), purpose: "order.return", subjectId: row.id, requestId } as const;
      await signRelayTransaction(ctx, work, { ...input, relayer: ctx.spender, call, quote });
      await setReturnSigned(work.tx, row.id, work.now);
    });
  } catch (error) {
    if (!(error instanceof CallReverted)) throw error;
    ctx.log.warn(
      { returnId, reason: error.reason },
      "the treasury cannot return money: fund it, or approve the spender",
    );
    await ctx.commit(({ tx }) => enqueue(tx, "order.return", { returnId, requestId }, againMs));
  }
}

/** Settles a mined return by the token's own log. Without it the money is still due, and the return is signed anew. */
export const settleOrderReturn: Settler = async (ctx, { subjectId }, receipt) => {
  const row = await findOrderReturn(ctx.db, subjectId);
  if (!row) return writeNothing;
  const { id: returnId, requestId } = row;
  const { transactionHash: hash } = receipt;
  if (hasTransfer(receipt.logs, describeMove(ctx, row, await getOrder(ctx, row))))
    return (work) => writePaid(work, row, hash);
  ctx.log.error({ returnId, hash }, "a return of an order's payment moved no money");
  return async ({ tx }) => {
    await setReturnSigned(tx, returnId, null);
    await enqueue(tx, "order.return", { returnId, requestId }, againMs);
  };
};
