/** What caused each movement of a statement: card money, withdrawals, money by the IBAN, orders. */
import { type EntryKind, entryKinds } from "@cardkeep/contract/spending/statements";
import type { Movement } from "@cardkeep/db/queries/accounts/movements";
import type { listCauses } from "@cardkeep/db/queries/spending/statements";
import type { CardClearing } from "@cardkeep/db/queries/spending/payments";
import type { CardTransfer } from "@cardkeep/db/queries/spending/transfers";

export type Causes = Awaited<ReturnType<typeof listCauses>>;

/** A movement with what caused it. */
export interface NamedMovement {
  readonly movement: Movement;
  readonly kind: EntryKind;
  readonly transfer: CardTransfer | null;
  readonly ibanPayment: Causes["ibanPayments"][number] | null;
}

function kindOfTransfer(transfer: CardTransfer, clearings: readonly CardClearing[]): EntryKind {
  const { direction, disputeId, isByHand, isCollection, clearingId, paymentId } = transfer;
  if (disputeId !== null) return direction === "return" ? "dispute_credit" : "dispute_debit";
  if (isByHand) return "card_return";
  if (isCollection) return "debt_payment";
  if (direction === "spend") return "card_payment";
  const clearing = clearings.find((each) => each.id === clearingId && each.paymentId === paymentId);
  return clearing?.kind === "refund" ? "card_refund" : "card_reversal";
}

/** Takes each transfer for one movement: two of one amount in one transaction differ by their order. `taken` has those of pages before. */
function createTaker(
  transfers: readonly CardTransfer[],
  taken: Set<string>,
): (movement: Movement) => CardTransfer | null {
  const keyOf = (hash: string | null, safeId: string, signed: bigint) => `${hash} ${safeId} ${signed}`;
  const open = transfers.filter(({ id }) => !taken.has(id));
  const left = Map.groupBy(open, ({ hash, safeId, direction, amount }) =>
    keyOf(hash, safeId, direction === "spend" ? -amount : amount),
  );
  return ({ hash, safeId, amount }) => {
    const transfer = left.get(keyOf(hash, safeId, amount))?.shift() ?? null;
    if (transfer) taken.add(transfer.id);
    return transfer;
  };
}

/** Names each movement of a page, in their order. */
export function nameMovements(
  movements: readonly Movement[],
  causes: Causes,
  clearings: readonly CardClearing[],
  taken: Set<string>,
): NamedMovement[] {
  const takeTransfer = createTaker(causes.transfers, taken);
  return movements.map((movement) => {
    const { hash, amount } = movement;
    const transfer = takeTransfer(movement);
    const isIn = amount > 0n;
    const ibanPayment = isIn ? (causes.ibanPayments.find(({ mintHash }) => mintHash === hash) ?? null) : null;
    const findKind = (): EntryKind => {
      if (transfer) return kindOfTransfer(transfer, clearings);
      if (ibanPayment) return "iban_payment";
      if (isIn) return causes.returns.some((each) => each.hash === hash) ? "order_return" : "transfer_in";
      if (causes.paidOrders.some((order) => order.transactionHash === hash && order.paidAt !== null))
        return "order_payment";
      return causes.withdrawals.some((each) => isWithdrawal(each, movement)) ? "withdrawal" : "transfer_out";
    };
    return { movement, kind: findKind(), transfer, ibanPayment };
  });
}

const isWithdrawal = (
  { kind, tokenAddress, executedHash }: Causes["withdrawals"][number],
  { token, hash }: Movement,
): boolean => kind === "withdrawal" && tokenAddress === token && executedHash === hash;

/** An entry in words: who was paid or who paid, or what it is. */
export function describeStatementEntry(
  { kind, ibanPayment }: NamedMovement,
  merchant: { name: string; city: string } | null,
): string {
  const name = merchant && [merchant.name, merchant.city].filter((part) => part !== "").join(", ");
  const sender = ibanPayment?.counterpart.details.name;
  const of = name || (sender ? [sender, ibanPayment.memo ?? ""].filter((part) => part !== "").join(": ") : "");
  if (of === "") return entryKinds[kind];
  return kind === "card_payment" || kind === "iban_payment" ? of : `${entryKinds[kind]}: ${of}`;
}
