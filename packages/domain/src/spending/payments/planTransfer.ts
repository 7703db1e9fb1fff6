/** The transfers of a payment, planned in the caller's commit and behind the Safe's row lock. */
import { buildReturn, buildSpend, nameTransfer } from "@cardkeep/chain/spending";
import { tokens } from "@cardkeep/chain/tokens";
import { enqueueQuietly } from "@cardkeep/db/queue/enqueue";
import { type CurrencySafe, findSafe, hasCurrency } from "@cardkeep/db/queries/accounts/safes";
import type { LedgerEntry } from "@cardkeep/db/queries/spending/paymentParts";
import type { CardPayment, PaymentKey } from "@cardkeep/db/queries/spending/payments";
import {
  type CardTransfer,
  insertEntry,
  insertTransfer,
  listTransfers,
  nameTransferRow,
} from "@cardkeep/db/queries/spending/transfers";
import { findReturnSafe } from "../../accounts/safes/returnSafe.ts";
import type { Context, Work } from "../../core/context.ts";
import { enqueueBalanceChecks } from "../../accounts/balances/publishBalance.ts";
import { generateId } from "../../core/generateId.ts";
import { chainTargetOf, computeMove } from "./debtAmounts.ts";
import { setOffReturn } from "./setOffReturn.ts";

type Planned = Pick<
  CardPayment,
  "id" | "userId" | "threadId" | "target" | "setOff" | "credit" | "writtenOff" | "requestId"
>;
type PaidSafe = Pick<CurrencySafe, "id" | "address" | "rolesAddress" | "tokenSymbol">;

/** The refund or reversal that a transfer follows, or the dispute. */
interface Cause {
  clearingId?: string | null;
  disputeId?: string | null;
}

type Move = Pick<CardTransfer, "direction" | "amount" | "ordinal" | "clearingId" | "isCollection" | "isByHand"> &
  Partial<Pick<CardTransfer, "disputeId">>;

/** The key of a transfer's payment. */
export const paymentOf = ({ paymentId: id, userId }: CardTransfer): PaymentKey => ({ id, userId });

/** A transfer to be. */
export interface NewTransfer {
  row: CardTransfer;
  /** What a spend books; a return is booked when it ran. */
  entry: LedgerEntry | null;
}

/** Inserts a transfer and its entry, and enqueues its job and the check of the balance; nothing for null. */
export async function insertPlanned(work: Pick<Work, "tx" | "wake">, transfer: NewTransfer | null): Promise<void> {
  if (transfer === null) return;
  const { row, entry } = transfer;
  await Promise.all([
    insertTransfer(work.tx, row),
    entry && insertEntry(work.tx, entry, {}),
    entry && enqueueBalanceChecks({ ...work, requestId: row.requestId }, { ids: [row.safeId] }),
    enqueueTransfer(work, transfer),
  ]);
}

/** Enqueues the job of a transfer that this commit inserts. */
export async function enqueueTransfer(
  { tx, wake }: Pick<Work, "tx" | "wake">,
  { row: { id, requestId } }: Pick<NewTransfer, "row">,
): Promise<void> {
  wake("jobs");
  await enqueueQuietly(tx, "card.transfer", { subjects: [id], requestId });
}

/**
 * Plans what is missing between a payment's transfers and its target; nothing for what is a debt. A return is first set off
 * against other debts of its user.
 */
export async function planTransfer(
  ctx: Pick<Context, "policy">,
  work: Work,
  safe: CurrencySafe,
  payment: Planned,
  { clearingId = null, disputeId = null }: Cause = {},
): Promise<void> {
  const transfers = await listTransfers(work.tx, payment.userId, [payment.id]);
  // Money that was collected from another Safe of the user goes back there.
  const last = transfers.findLast(({ direction, status }) => direction === "spend" && status === "DONE");
  const other = last && last.safeId !== safe.id ? await findSafe(work.tx, last.safeId) : null;
  const move = computeMove(chainTargetOf(payment, transfers), transfers);
  const cause = { clearingId, disputeId };
  if (move?.direction !== "return") {
    await insertPlanned(work, planTransferOf(ctx, work, safe, payment, transfers, cause));
    return;
  }
  const setOff = await setOffReturn(work, safe, payment, { amount: move.amount, transfers });
  const rest = { ...payment, setOff: payment.setOff - setOff };
  const paid = other && hasCurrency(other) ? other : safe;
  // Where there is no such Safe yet, the return waits before it is signed.
  const side = (await findReturnSafe(work.tx, paid)) ?? paid;
  await insertPlanned(work, planTransferOf(ctx, work, side, rest, transfers, cause));
}

/** The place of a payment's next transfer. A restore knows those on chain alone: the places of failed ones stay empty. */
export const computeNextOrdinal = (transfers: readonly Pick<CardTransfer, "ordinal">[]): number =>
  transfers.reduce((next, { ordinal }) => Math.max(next, ordinal + 1), 0);

/** The same for a payment whose transfers are known; null when nothing is to move. */
export function planTransferOf(
  ctx: Pick<Context, "policy">,
  work: Pick<Work, "now">,
  safe: PaidSafe,
  payment: Planned,
  transfers: readonly CardTransfer[],
  { clearingId = null, disputeId = null }: Cause = {},
): NewTransfer | null {
  const move = computeMove(chainTargetOf(payment, transfers), transfers);
  if (!move) return null;
  const ordinal = computeNextOrdinal(transfers);
  const kind = { isCollection: false, isByHand: false };
  return buildTransfer(ctx, work, safe, payment, { ...move, ...kind, ordinal, clearingId, disputeId });
}

/**
 * A transfer of a payment's thread.
 *
 * Its name on chain follows from the thread and its place in it alone. So a spend that a restored database plans again
 * is the one that ran already.
 */
export function buildTransfer(
  { policy }: Pick<Context, "policy">,
  { now }: Pick<Work, "now">,
  safe: PaidSafe,
  payment: Planned,
  move: Move,
): NewTransfer {
  const { direction, amount, ordinal, isByHand } = move;
  const { address: token } = tokens[safe.tokenSymbol];
  const salt = nameTransfer(`${isByHand ? "refund" : direction}:${payment.threadId}:${ordinal}`);
  const settlement = policy.settlementAddress;
  const { rolesAddress: roles } = safe;
  const spend =
    direction === "spend" && buildSpend({ roles, chainId: policy.chainId, token, settlement, amount, salt });
  const call = spend
    ? { to: roles, data: spend.data }
    : buildReturn({ token, from: settlement, to: safe.address, amount, tag: salt });
  const row = {
    disputeId: null,
    ...move,
    id: nameTransferRow(payment.id, ordinal),
    paymentId: payment.id,
    userId: payment.userId,
    safeId: safe.id,
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
  const entry = spend ? { ...emptyEntry, ...nameEntry(transfer, now), safe: -amount, held: amount } : null;
  return { row: transfer, entry };
}

const emptyEntry = { safe: 0n, held: 0n, settlement: 0n, owed: 0n, advanced: 0n, writtenOff: 0n };

/** What names an entry of a transfer. */
const nameEntry = ({ paymentId, ordinal, userId, safeId }: CardTransfer, createdAt: Date) => ({
  id: generateId(),
  paymentId,
  ordinal,
  userId,
  safeId,
  createdAt,
});

/** Books one move of a transfer. */
export async function book(
  { tx, now, wake }: Pick<Work, "tx" | "now" | "wake">,
  transfer: CardTransfer,
  amounts: Parameters<typeof insertEntry>[2],
): Promise<void> {
  const { requestId, safeId } = transfer;
  await Promise.all([
    insertEntry(tx, nameEntry(transfer, now), amounts),
    enqueueBalanceChecks({ tx, requestId, wake }, { ids: [safeId] }),
  ]);
}
