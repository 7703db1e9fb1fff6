/**
 * Posting rules: what each kind of event books; `witnessRules.ts` has those of what witnesses alone have. All pure.
 *
 * Each rule returns lines that sum to zero in each currency; lines of nothing are left out. `null`: the event books nothing.
 */
import { fromDecimal, tokenOf, tokens, type TokenSymbol } from "@cardkeep/chain/tokens";
import { isCurrency } from "@cardkeep/contract/core/currencies";
import type { NewLine, NewPosting } from "@cardkeep/db/queries/books/postings";
import type { ClearingFact, CreditFact, DisputeFact, EntryFact } from "@cardkeep/db/queries/books/cardSources";
import type {
  GasFact,
  IbanFact,
  MoveFact,
  OrderFact,
  ReturnFact,
  UnusedFact,
} from "@cardkeep/db/queries/books/sources";
import type { ReversedPosting } from "@cardkeep/db/queries/books/reversedPostings";
import { discountOf } from "../../cards/orders/orderPrice.ts";
import { centsToBaseUnits } from "../../core/money.ts";
import { splitTax } from "../../core/splitTax.ts";
import { clearingSigns } from "../../spending/payments/clearingSums.ts";
import { type AccountKind, type BookCurrency, nameAccount, nativeCurrency } from "./chart.ts";

/** A posting without its day, which follows from its instant. */
export type Posting = Omit<NewPosting, "effectiveOn"> & { readonly at: Date };

type Amounts = Partial<Record<AccountKind, bigint>>;

/** Lines of one currency. `references` are under which the witness of an account knows the line. */
function linesOf(
  currency: BookCurrency,
  amounts: Amounts,
  references: Partial<Record<AccountKind, string | null>> = {},
) {
  const lines: NewLine[] = [];
  for (const [kind, amount] of Object.entries(amounts) as [AccountKind, bigint][]) {
    if (amount === 0n) continue;
    lines.push({ account: nameAccount(kind, currency), currency, amount, reference: references[kind] ?? null });
  }
  return lines;
}

const orNull = (posting: Posting): Posting | null => (posting.lines.length === 0 ? null : posting);

function typeOfEntry({ settlement, owed, writtenOff }: EntryFact) {
  if (settlement > 0n) return "spend";
  if (settlement < 0n) return "return";
  if (writtenOff !== 0n) return "write-off";
  return owed === 0n ? "hold" : "debt";
}

/**
 * A ledger entry of card money. What the Safe gives is a memo; what the operator has or is owed stands against a clearing to come.
 * What the operator bears of that is in postings of its own: see `postCredit`.
 */
export function postEntry(entry: EntryFact): Posting | null {
  const { fiat } = tokens[entry.token];
  const { safe, held, settlement, owed, writtenOff } = entry;
  const gained = settlement + owed + writtenOff;
  const lines = linesOf(
    fiat,
    {
      safes: safe,
      holds: held,
      customers: -(safe + held),
      settlement,
      "customer-debts": owed,
      "credit-losses": writtenOff,
      "issuer-clearing": -gained,
    },
    { settlement: entry.hash ?? entry.transferId },
  );
  return orNull({ type: typeOfEntry(entry), externalId: entry.id, cause: entry.paymentId, at: entry.at, lines });
}

/** A clearing of the issuer, by the issuer's date. */
export function postClearing({ id, paymentId, kind, cents, currency, at }: ClearingFact): Posting | null {
  const taken = clearingSigns[kind] * centsToBaseUnits(cents, tokenOf[currency]);
  const lines = linesOf(currency, { "issuer-clearing": taken, prefund: -taken }, { prefund: id });
  return orNull({ type: kind.replace("_", "-"), externalId: id, cause: paymentId, at, lines });
}

/**
 * What changed of the amount that the operator bears of a payment, whichever transfer, debt or set-off carries it: refunds of the
 * merchant end it without one.
 */
export function postCredit(row: CreditFact): Posting | null {
  const { paymentId, currency, disputeId, postings, at } = row;
  const [credit, gift] = [row.credited - row.bookedCredit, row.byHand - row.bookedByHand];
  const amounts = { "provisional-credits": credit, goodwill: gift, "issuer-clearing": -(credit + gift) };
  // By the dispute, what was given and what came back of it add up.
  const lines = linesOf(currency, amounts, { "provisional-credits": disputeId });
  return orNull({ type: "credit", externalId: `${paymentId}:${postings}`, cause: paymentId, at, lines });
}

/** A paid order: the price with tax, what the coupon took off, and what was paid beyond. */
export function postOrder(order: OrderFact, taxPercent: string | null): Posting | null {
  const { currency, paid, totalCents, hasEnded } = order;
  const token = tokenOf[currency];
  const discountCents = discountOf(order);
  const dueCents = totalCents - discountCents;
  const due = centsToBaseUnits(dueCents, token);
  // A payment that its order does not use goes back.
  const isUsed = !hasEnded && paid >= due;
  const vat = isUsed ? centsToBaseUnits(splitTax(dueCents, taxPercent).tax ?? 0n, token) : 0n;
  const total = isUsed ? centsToBaseUnits(totalCents, token) : 0n;
  const coupons = isUsed ? centsToBaseUnits(discountCents, token) : 0n;
  const amounts = {
    treasury: paid,
    coupons,
    "order-income": -(total - vat),
    vat: -vat,
    payable: -(paid + coupons - total),
  };
  const lines = linesOf(currency, amounts, { treasury: order.hash });
  const externalId = order.postings === 0 ? order.id : `${order.id}:${order.postings}`;
  return orNull({ type: "order", externalId, cause: order.id, at: order.at, lines });
}

/** An order that ended after it was booked uses nothing of its payment: what its income was is payable. */
export function postUnused({ orderId, currency, income, vat, coupons, postings, at }: UnusedFact): Posting | null {
  const payable = income + vat + coupons;
  const lines = linesOf(currency, { "order-income": -income, vat: -vat, coupons: -coupons, payable });
  return orNull({ type: "order-unused", externalId: `${orderId}:${postings}`, cause: orderId, at, lines });
}

/** A return of an order's money: first what the order did not use, then its income with the tax. */
export function postReturn(row: ReturnFact, taxPercent: string | null): Posting | null {
  const { amount, currency } = row;
  const owed = row.payable < 0n ? -row.payable : 0n;
  const payable = amount < owed ? amount : owed;
  const rest = amount - payable;
  const taxed = row.vat < 0n ? -row.vat : 0n;
  const tax = splitTax(rest, taxPercent).tax ?? 0n;
  const vat = tax < taxed ? tax : taxed;
  const amounts = { treasury: -amount, payable, vat, "order-income": rest - vat };
  const lines = linesOf(currency, amounts, { treasury: row.hash });
  return orNull({ type: "order-return", externalId: row.id, cause: row.orderId, at: row.at, lines });
}

/** What changed of a dispute's money at the issuer, and of its loss: a customer keeps what the issuer did not give back. */
export function postDispute(dispute: DisputeFact): Posting | null {
  const { id, currency, reinstatedCents, credit, isClosed, prefund, losses, postings } = dispute;
  const reinstated = centsToBaseUnits(reinstatedCents, tokenOf[currency]);
  const lost = isClosed && credit > reinstated ? credit - reinstated : 0n;
  const [given, loss] = [reinstated - prefund, lost - losses];
  const lines = linesOf(
    currency,
    { prefund: given, "dispute-losses": loss, "provisional-credits": -(given + loss) },
    { prefund: dispute.issuerDisputeId, "provisional-credits": id },
  );
  return orNull({ type: "dispute", externalId: `${id}:${postings}`, cause: id, at: dispute.at, lines });
}

/** Native tokens for a key that pays for transactions. They are an expense once they leave the top-up account. */
export function postGas({ id, amount, at, hash }: GasFact): Posting | null {
  const lines = linesOf(nativeCurrency, { gas: amount, "gas-funds": -amount }, { "gas-funds": hash });
  return orNull({ type: "gas", externalId: id, cause: id, at, lines });
}

/** Money that came to a customer's Safe by the IBAN, or left it: a memo. */
export function postIbanOrder({ id, kind, currency, amount, hash, at }: IbanFact): Posting | null {
  const code = currency.toUpperCase();
  if (!isCurrency(code)) return null;
  const units = fromDecimal(amount.replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, ""), tokenOf[code]);
  if (units === null) return null;
  const signed = kind === "issue" ? units : -units;
  const lines = linesOf(code, { safes: signed, customers: -signed }, { safes: hash ?? id });
  return orNull({ type: kind === "issue" ? "mint" : "redeem", externalId: id, cause: id, at, lines });
}

/**
 * A move of the treasury: its own accounts, with the transaction or the issuer's entry that each witness has. Money of a redeem that
 * was given up is at a bank: what the issuer lists later is against that.
 */
export function postMove(move: MoveFact): Posting | null {
  const { id, kind, token, amount, hash, externalId, isLinked, isGivenUp, at } = move;
  const { fiat } = tokens[token];
  const onChain = hash ?? id;
  const chain = { settlement: onChain, treasury: onChain };
  const far = isLinked ? "transit" : "bank";
  const ways = {
    sweep: linesOf(fiat, { settlement: -amount, treasury: amount }, chain),
    contribute: linesOf(fiat, { treasury: -amount, settlement: amount }, chain),
    redeem: linesOf(fiat, { treasury: -amount, [far]: amount }, chain),
    fund: linesOf(fiat, { [far]: -amount, [isGivenUp ? "bank" : "prefund"]: amount }, { prefund: externalId ?? id }),
  } as const;
  return orNull({ type: "treasury", externalId: id, cause: id, at, lines: ways[kind] });
}

/** Where money that left unannounced may have gone, or came from. */
export const explainedAccounts = ["capital", "bank", "fraud-losses", "goodwill"] as const;
export type ExplainedAccount = (typeof explainedAccounts)[number];

interface Explanation {
  /** Of the item or the entry of the suspense. */
  readonly id: string;
  readonly token: TokenSymbol;
  /** That left; below zero came. */
  readonly amount: bigint;
  readonly account: ExplainedAccount;
  readonly at: Date;
}

/** What two persons know of an unannounced movement: it leaves the suspense for the account that they name. */
export function postExplanation({ id, token, amount, account, at }: Explanation): Posting {
  const lines = linesOf(tokens[token].fiat, { suspense: -amount, [account]: amount });
  return { type: "explanation", externalId: id, cause: id, at, lines };
}

/** Reverses what was in suspense, once its event is posted. */
export const postExplained = (fact: ReversedPosting): Posting => reverse("unannounced-end", fact);

/** Reverses an order's payment that the order lost. */
export const postLostPayment = (fact: ReversedPosting): Posting => reverse("order-end", fact);

function reverse(type: string, { postingId, cause, lines, at }: ReversedPosting): Posting {
  const back = lines.map((line) => ({ ...line, amount: -line.amount }));
  return { type, externalId: postingId, cause, reverses: postingId, at, lines: back };
}
