/** What operators export, and the records of each. */
import { dayMs } from "@cardkeep/contract/core/durations";
import { toDecimal, tokenList } from "@cardkeep/chain/tokens";
import {
  pageClearings,
  pageDebts,
  pageIbanOrders,
  pageOrders,
  pagePayments,
} from "@cardkeep/db/queries/operations/exports";
import { firstIdAt } from "@cardkeep/db/timeIds";
import { discountOf } from "../../cards/orders/orderPrice.ts";
import { endedStatuses } from "../../cards/orders/orderReturns.ts";
import { dayOf } from "../../core/calendar.ts";
import { clearingSigns } from "../../spending/payments/clearingSums.ts";
import { describeCurrency } from "../../spending/payments/isoCodes.ts";
import { nameAge } from "./ages.ts";
import { journal, ledger } from "./bookRecords.ts";
import { type ExportKind, formatTimestamp, tokenOf } from "./exportKind.ts";
import { reports } from "./reports.ts";
import { splitTax } from "../../core/splitTax.ts";

const cents = (amount: bigint): string => toDecimal(amount, { decimals: 2 });
const minor = (amount: bigint, currency: string): string =>
  toDecimal(amount, { decimals: describeCurrency(currency).decimals });

/** The exports by their names. */
export const exportKinds = {
  transactions: {
    brief: "Card payments, each as it is now",
    day: "of its creation",
    isByTime: true,
    keyLength: 1,
    read: async (on, page, { zone }) =>
      (await pagePayments(on, page)).map((row) => ({
        key: [row.id],
        day: dayOf(row.createdAt, zone),
        recordedAt: row.createdAt,
        values: {
          day: dayOf(row.createdAt, zone),
          createdAt: formatTimestamp(row.createdAt),
          id: row.id,
          threadId: row.threadId,
          status: row.status,
          declineReason: row.declineReason,
          userId: row.userId,
          cardId: row.cardId,
          merchant: row.merchantName,
          city: row.merchantCity,
          country: row.merchantCountry,
          mcc: row.mcc,
          type: row.transactionType,
          currency: row.billingCurrency,
          authorized: cents(row.authorizedCents),
          reversed: cents(row.reversedCents),
          captured: cents(row.capturedCents),
          refunded: cents(row.refundedCents),
          merchantCurrency: row.merchantCurrency,
          merchantAmount: minor(row.merchantMinor, row.merchantCurrency),
          clearedAt: formatTimestamp(row.clearedAt),
          updatedAt: formatTimestamp(row.updatedAt),
        },
      })),
  },
  clearings: {
    brief: "What the issuer settles: captures and refunds above and below zero, by settlement day",
    day: "on which the network processed it, or the issuer booked it",
    isByTime: false,
    keyLength: 2,
    read: async (on, page, { zone }) =>
      (await pageClearings(on, page)).map(({ clearing, payment }) => {
        const day = clearing.processedOn ?? dayOf(clearing.postedAt, zone);
        const sign = clearingSigns[clearing.kind];
        return {
          key: [clearing.paymentId, clearing.id],
          // A released authorization is no money.
          day: clearing.kind === "reversal" ? null : day,
          recordedAt: clearing.createdAt,
          values: {
            settlementDay: day,
            postedAt: formatTimestamp(clearing.postedAt),
            id: clearing.id,
            kind: clearing.kind,
            paymentId: clearing.paymentId,
            threadId: payment?.threadId ?? null,
            userId: clearing.userId,
            merchant: payment?.merchantName ?? null,
            mcc: payment?.mcc ?? null,
            currency: payment?.billingCurrency ?? null,
            amount: cents(sign * clearing.amountCents),
            fee: cents(clearing.feeCents),
            merchantCurrency: payment?.merchantCurrency ?? null,
            merchantAmount: payment && minor(sign * clearing.merchantMinor, payment.merchantCurrency),
            networkReference: clearing.networkReference,
            recordedAt: formatTimestamp(clearing.createdAt),
          },
        };
      }),
  },
  debts: {
    brief: "What people owe for card payments now, by age",
    day: "of the payment",
    isByTime: true,
    keyLength: 1,
    read: async (on, page, { zone, now }) =>
      (await pageDebts(on, page)).map(({ debt, tokenSymbol }) => {
        const days = Math.max(0, Math.floor((now.getTime() - debt.createdAt.getTime()) / dayMs));
        return {
          key: [debt.paymentId],
          day: dayOf(debt.createdAt, zone),
          recordedAt: debt.createdAt,
          values: {
            day: dayOf(debt.createdAt, zone),
            createdAt: formatTimestamp(debt.createdAt),
            paymentId: debt.paymentId,
            userId: debt.userId,
            currency: tokenOf(tokenSymbol).fiat,
            owed: toDecimal(debt.owed, tokenOf(tokenSymbol)),
            days,
            age: nameAge(days),
          },
        };
      }),
  },
  "iban-orders": {
    brief: "Money by IBANs, each order as the institution reported it last",
    day: "on which the institution accepted it",
    isByTime: false,
    keyLength: 2,
    read: async (on, page, { zone }) =>
      (await pageIbanOrders(on, page)).map((row) => ({
        key: [row.id, row.institution],
        day: dayOf(row.placedAt, zone),
        // A report changes its row, and one is of the range all the same.
        recordedAt: row.placedAt,
        values: {
          day: dayOf(row.placedAt, zone),
          placedAt: formatTimestamp(row.placedAt),
          id: row.id,
          institution: row.institution,
          kind: row.kind,
          state: row.state,
          userId: row.userId,
          address: row.address,
          currency: row.currency.toUpperCase(),
          amount: row.amount,
          referenceNumber: row.referenceNumber,
          processedAt: formatTimestamp(row.processedAt),
          rejectedReason: row.rejectedReason,
          mintHash: row.mintHash,
        },
      })),
  },
  "order-income": {
    brief: "Paid card orders with price, discount, value added tax, and what was received and returned",
    day: "on which the payment was seen",
    isByTime: false,
    keyLength: 1,
    read: async (on, page, { zone, taxPercent }) =>
      (await pageOrders(on, page)).map(({ order, returned }) => {
        const token = tokenList.find(({ fiat }) => fiat === order.currency);
        const discount = discountOf(order);
        // An order that ended without a card uses nothing of its payment.
        const gross = endedStatuses.includes(order.status) ? 0n : order.totalCents - discount;
        const { net, tax } = splitTax(gross, taxPercent);
        return {
          key: [order.id],
          day: order.paidAt && dayOf(order.paidAt, zone),
          recordedAt: order.paidAt,
          values: {
            day: order.paidAt && dayOf(order.paidAt, zone),
            paidAt: formatTimestamp(order.paidAt),
            id: order.id,
            userId: order.userId,
            kind: order.virtual ? "virtual" : "physical",
            status: order.status,
            country: order.country,
            currency: order.currency,
            price: cents(order.totalCents),
            discount: cents(discount),
            gross: cents(gross),
            taxPercent,
            tax: tax === null ? null : cents(tax),
            net: net === null ? null : cents(net),
            received: token && order.paidAmount !== null ? toDecimal(order.paidAmount, token) : null,
            returned: token ? toDecimal(returned, token) : null,
            couponCode: order.couponCode,
            transaction: order.transactionHash,
          },
        };
      }),
  },
  ledger,
  journal,
  ...reports,
} as const satisfies Readonly<Record<string, ExportKind>>;

export type ExportName = keyof typeof exportKinds;

/** The row of an export, with the types that all rows have. */
export const findExportKind = (name: ExportName): ExportKind => exportKinds[name];

/**
 * The key from which records of a time have theirs; null where keys have no time. Ids have that of the wall clock, from which a
 * sandbox may have moved the service's.
 */
export const keyAt = (name: ExportName, at: Date, now: Date): string | null =>
  findExportKind(name).isByTime && Math.abs(now.getTime() - Date.now()) < dayMs ? firstIdAt(at.getTime()) : null;
