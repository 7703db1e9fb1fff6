/** The entries and card items of a range, from the rows that there are. */
import type { Token } from "@cardkeep/chain/tokens";
import { fail } from "@cardkeep/contract/core/errors";
import { type CardItem, type StatementEntry, statementEntriesMax } from "@cardkeep/contract/spending/statements";
import type { Executor } from "@cardkeep/db/client";
import { type CardClearing, listPayments } from "@cardkeep/db/queries/spending/payments";
import { listReferenceRates } from "@cardkeep/db/queries/spending/referenceRates";
import {
  listCauses,
  listClearingsOfPayments,
  listMovements,
  listRecordedClearings,
  listSpends,
} from "@cardkeep/db/queries/spending/statements";
import { clearingSigns } from "../payments/clearingSums.ts";
import { closeOfMonth, dayOf, findStatedAt, monthOf } from "../../core/calendar.ts";
import { toMerchantMinor } from "../payments/buildCardEvent.ts";
import { buildCardFacts, formatAmount, type PaymentOfCard, referenceDaysMax } from "./cardFacts.ts";
import { describeEntry, type NamedMovement, nameMovements } from "./nameEntries.ts";

export interface Range {
  readonly from: Date;
  readonly to: Date;
}

export interface StatementSubject {
  readonly userId: string;
  readonly token: Token;
  readonly zone: string;
}

const dayMs = 86_400_000;
/** The issuer's clock may be ahead of ours by this much. */
const skewMs = dayMs;
const itemKinds = {
  capture: "payment",
  refund: "refund",
  reversal: "payment_reversal",
  capture_reversal: "payment_reversal",
  refund_reversal: "refund_reversal",
} as const;

/** Payments with their clearings, spends and the reference rates of their currencies. */
async function readPayments(
  on: Executor,
  { userId }: StatementSubject,
  paymentIds: readonly string[],
  { from, to }: Range,
) {
  const [payments, clearings, spends] = await Promise.all([
    listPayments(on, userId, paymentIds),
    listClearingsOfPayments(on, userId, paymentIds),
    listSpends(on, userId, paymentIds),
  ]);
  const currencies = [...new Set(payments.flatMap((each) => [each.merchantCurrency, each.billingCurrency]))];
  const days = payments.map(({ createdAt }) => createdAt.getTime());
  const first = new Date(Math.min(from.getTime(), ...days) - (referenceDaysMax + 1) * dayMs);
  const rates = await listReferenceRates(on, {
    currencies,
    from: first.toISOString().slice(0, 10),
    to: new Date(to.getTime() + dayMs).toISOString().slice(0, 10),
  });
  return {
    byId: new Map<string, PaymentOfCard>(payments.map((payment) => [payment.id, payment])),
    clearingsOf: Map.groupBy(clearings, ({ paymentId }) => paymentId),
    hashOf: (paymentId: string) =>
      spends.find((spend) => spend.paymentId === paymentId && spend.direction === "spend")?.hash ?? null,
    rates,
    clearings,
  };
}

type Payments = Awaited<ReturnType<typeof readPayments>>;

/** The day that a rate is compared with: the network's, else the issuer's, else that of the authorization. */
const rateDayOf = (payment: PaymentOfCard, clearing: CardClearing | undefined, zone: string): string =>
  clearing?.processedOn ?? dayOf(clearing?.postedAt ?? payment.createdAt, zone);

function buildCard(
  { transfer, kind }: NamedMovement,
  { byId, clearingsOf, rates, hashOf }: Payments,
  zone: string,
): StatementEntry["card"] {
  const payment = transfer && byId.get(transfer.paymentId);
  if (!payment) return null;
  const own = clearingsOf.get(payment.id) ?? [];
  const followed = own.find(({ id }) => id === transfer.clearingId);
  const captures = own.filter((clearing) => clearing.kind === "capture");
  const cents = payment.capturedCents > 0n ? payment.capturedCents : payment.authorizedCents;
  const amounts = followed
    ? { cents: followed.amountCents, minor: followed.merchantMinor }
    : { cents, minor: payment.capturedCents > 0n ? payment.capturedMinor : toMerchantMinor(cents, payment) };
  const dated = followed ?? captures[0];
  return {
    ...buildCardFacts(payment, followed ? [followed] : captures, {
      ...amounts,
      day: rateDayOf(payment, dated, zone),
      rates,
    }),
    isPending: payment.status === "AUTHORIZED",
    clearedAt: (dated?.postedAt ?? payment.clearedAt)?.toISOString() ?? null,
    original: kind === "card_payment" ? null : { threadId: payment.threadId, hash: hashOf(payment.id) },
  };
}

/** The entries of a range. @throws statements.too_long */
export async function readEntries(
  on: Executor,
  subject: StatementSubject,
  range: Range,
  opening: bigint,
): Promise<StatementEntry[]> {
  const { userId, token, zone } = subject;
  const account = { userId, token: token.address };
  const moved = await listMovements(on, account, { ...range, limit: statementEntriesMax + 1 });
  if (moved.length > statementEntriesMax) fail("statements.too_long");
  const causes = await listCauses(on, userId, [...new Set(moved.map(({ hash }) => hash))]);
  const paymentIds = [...new Set(causes.transfers.map(({ paymentId }) => paymentId))];
  const payments = await readPayments(on, subject, paymentIds, range);
  let balance = opening;
  return nameMovements(moved, causes, payments.clearings).map((named) => {
    const { movement, kind, ibanPayment } = named;
    balance += movement.amount;
    const card = buildCard(named, payments, zone);
    return {
      at: movement.at.toISOString(),
      statedAt: movement.statedAt.toISOString(),
      kind,
      amount: formatAmount(movement.amount, token.decimals),
      balance: formatAmount(balance, token.decimals),
      description: describeEntry(named, card?.merchant ?? null),
      hash: movement.hash,
      party: movement.party,
      counterpart: ibanPayment && {
        name: ibanPayment.counterpart.details.name ?? null,
        iban: "iban" in ibanPayment.counterpart.identifier ? ibanPayment.counterpart.identifier.iban : null,
        memo: ibanPayment.memo,
      },
      card,
    };
  });
}

/** The card items of a range by the issuer's dates. @throws statements.too_long */
export async function readCardItems(on: Executor, subject: StatementSubject, range: Range): Promise<CardItem[]> {
  const { userId, zone } = subject;
  const recorded = await listRecordedClearings(on, userId, {
    from: new Date(range.from.getTime() - skewMs),
    to: closeOfMonth(monthOf(range.to, zone), zone),
    limit: 2 * statementEntriesMax + 1,
  });
  if (recorded.length > 2 * statementEntriesMax) fail("statements.too_long");
  const stated = recorded
    .map((clearing) => ({ clearing, statedAt: findStatedAt(clearing.postedAt, clearing.createdAt, zone) }))
    .filter(({ statedAt }) => statedAt >= range.from && statedAt < range.to)
    .toSorted((a, b) => a.statedAt.getTime() - b.statedAt.getTime() || (a.clearing.id < b.clearing.id ? -1 : 1));
  const payments = await readPayments(
    on,
    subject,
    [...new Set(stated.map(({ clearing }) => clearing.paymentId))],
    range,
  );
  return stated.flatMap(({ clearing, statedAt }) => {
    const payment = payments.byId.get(clearing.paymentId);
    if (!payment) return [];
    const { amountCents: cents, merchantMinor: minor } = clearing;
    return {
      id: clearing.id,
      kind: itemKinds[clearing.kind],
      at: clearing.postedAt.toISOString(),
      statedAt: statedAt.toISOString(),
      amount: formatAmount(-clearingSigns[clearing.kind] * cents, 2),
      ...buildCardFacts(payment, [clearing], {
        cents,
        minor,
        day: rateDayOf(payment, clearing, zone),
        rates: payments.rates,
      }),
      original: clearing.kind === "capture" ? null : { threadId: payment.threadId, hash: payments.hashOf(payment.id) },
    };
  });
}
