/** What is to move on chain for a payment, planned in the caller's commit and behind the Safe's row lock. */
import { buildReturn, buildSpend, nameTransfer } from "@cardkeep/chain/spending";
import { tokens } from "@cardkeep/chain/tokens";
import { enqueue } from "@cardkeep/db/jobs";
import type { CurrencySafe } from "@cardkeep/db/queries/safes";
import type { CardPayment } from "@cardkeep/db/queries/spending";
import { type CardTransfer, insertEntries, insertTransfer, listTransfers } from "@cardkeep/db/queries/cardTransfers";
import type { Context, Work } from "../context.ts";
import { lookAtBalances } from "../accounts/tellBalance.ts";
import { generateId } from "../ids.ts";

/** What the transfers of a payment come to that did not fail: base units out of the Safe. */
export const sumTransfers = (transfers: readonly CardTransfer[]): bigint =>
  transfers
    .filter(({ status }) => status !== "FAILED")
    .reduce((sum, { direction, amount }) => (direction === "spend" ? sum + amount : sum - amount), 0n);

type Planned = Pick<CardPayment, "id" | "threadId" | "target" | "requestId">;

/** Plans what is missing between a payment's transfers and its target; null when nothing is. */
export async function planTransfer(
  ctx: Pick<Context, "rules">,
  work: Work,
  safe: CurrencySafe,
  payment: Planned,
  clearingId: string | null = null,
): Promise<CardTransfer | null> {
  const planned = planTransferOf(ctx, work, safe, payment, await listTransfers(work.tx, [payment.id]), clearingId);
  await planned?.write();
  return planned?.row ?? null;
}

/**
 * The same for a payment whose transfers are known: the row to be, and how it is written with its booking and its job.
 *
 * A transfer's name on chain follows from the thread and its place in it alone, so that a spend planned again, by a
 * database that was restored, is the one that ran already.
 */
export function planTransferOf(
  { rules }: Pick<Context, "rules">,
  { tx, now }: Work,
  safe: Pick<CurrencySafe, "id" | "address" | "rolesAddress" | "tokenSymbol">,
  payment: Planned,
  transfers: readonly CardTransfer[],
  clearingId: string | null = null,
): { row: CardTransfer; write(): Promise<unknown> } | null {
  const difference = payment.target - sumTransfers(transfers);
  if (difference === 0n) return null;
  const { address: token } = tokens[safe.tokenSymbol];
  const direction = difference > 0n ? "spend" : "return";
  const amount = difference > 0n ? difference : -difference;
  const ordinal = transfers.length;
  const salt = nameTransfer(`${direction}:${payment.threadId}:${ordinal}`);
  const settlement = rules.settlementAddress;
  const { rolesAddress: roles } = safe;
  const spend = direction === "spend" && buildSpend({ roles, chainId: rules.chainId, token, settlement, amount, salt });
  const call = spend
    ? { to: roles, data: spend.data }
    : buildReturn({ token, settlement, safe: safe.address, amount, tag: salt });
  const row = {
    id: generateId(),
    paymentId: payment.id,
    ordinal,
    safeId: safe.id,
    clearingId,
    direction,
    amount,
    to: call.to,
    data: call.data,
    salt,
    messageHash: spend ? spend.messageHash : null,
    status: "PLANNED",
    requestId: payment.requestId,
    createdAt: now,
    updatedAt: now,
  } as const;
  const transfer = { ...row, sequence: 0n, hash: null, endedBlock: null, reason: null };
  const write = () =>
    Promise.all([
      insertTransfer(tx, row),
      spend ? book({ tx, now }, transfer, { safe: -amount, held: amount }) : null,
      enqueue(tx, "card.transfer", { transferId: row.id, requestId: payment.requestId }),
    ]);
  return { row: transfer, write };
}

/** Books one move of a transfer. */
export async function book(
  { tx, now }: Pick<Work, "tx" | "now">,
  { id, safeId, requestId }: CardTransfer,
  amounts: Parameters<typeof insertEntries>[2],
): Promise<void> {
  await Promise.all([
    insertEntries(tx, { id: generateId(), transferId: id, safeId, createdAt: now }, amounts),
    lookAtBalances({ tx, requestId }, { ids: [safeId] }),
  ]);
}
