/** What the history of a user is read from: a source for each kind of row, with what its rows say to operators. */
import { describeDecline } from "@cardkeep/contract/spending/declineWords";
import type { TransferStatus } from "@cardkeep/contract/spending/spending";
import { listCards } from "@cardkeep/db/queries/cards/cards";
import { listOrders } from "@cardkeep/db/queries/cards/orders";
import { listSafes } from "@cardkeep/db/queries/accounts/safes";
import { findIban } from "@cardkeep/db/queries/users/ibans";
import {
  type HistoryPage,
  listActionHistory,
  listCardHistory,
  listCreditHistory,
  listEventHistory,
  listHandReturnHistory,
  listIbanHistory,
  listKycHistory,
  listOperationHistory,
  listOrderHistory,
  listPaymentHistory,
  nameEntry,
} from "@cardkeep/db/queries/operations/userHistory";
import { listTermsAcceptances } from "@cardkeep/db/queries/users/terms";
import { listSignInWallets, type User } from "@cardkeep/db/queries/users/users";
import { describeOperation, summariseEffect } from "../../accounts/delays/describeOperation.ts";
import { formatUnitsShort } from "../../core/wording.ts";
import type { Services } from "../../core/services.ts";
import { formatCents, formatTokenShort } from "../../spending/payments/formatMoney.ts";

/** What an entry is about; each kind can be listed by itself. */
export const historyKinds = [
  "account",
  "kyc",
  "card",
  "payment",
  "operation",
  "order",
  "iban",
  "event",
  "action",
] as const;
export type HistoryKind = (typeof historyKinds)[number];

export interface HistoryEntry {
  kind: HistoryKind;
  /** Names the entry among all of the user; the position of the next page. */
  key: string;
  at: Date;
  /** What happened, in a word or two. */
  word: string;
  text: string;
  /** The row that it is about, if it has a page of its own. */
  subject: { kind: "card" | "payment" | "operation" | "order" | "delivery" | "action"; id: string } | null;
}

type Entry = Omit<HistoryEntry, "key" | "kind"> & { id: string };
type Source = (ctx: Pick<Services, "db">, user: User, page: HistoryPage) => Promise<Entry[]>;

/** Of a source without pages: the few entries before the position. */
const cut = (entries: readonly Entry[], { kind, before }: HistoryPage): Entry[] =>
  entries.filter(
    ({ at, id }) =>
      before === null || at < before.at || (at.getTime() === before.at.getTime() && nameEntry(kind, id) < before.key),
  );

const none = { subject: null } as const;
const unnamed = "an unnamed merchant";

const readAccountEntries: Source = async ({ db }, user, page) => {
  const [terms, wallets, safes, iban] = await Promise.all([
    listTermsAcceptances(db, user.id),
    listSignInWallets(db, user.id),
    listSafes(db, user.id),
    findIban(db, user.id),
  ]);
  const entries: Entry[] = [
    { id: "sign-up", at: user.createdAt, word: "signed up", text: "", ...none },
    ...(user.erasedAt
      ? [{ id: "erased", at: user.erasedAt, word: "erased", text: "Personal data are gone.", ...none }]
      : []),
    ...terms.map(({ type, version, acceptedAt }) => ({
      id: `terms:${type}:${version}`,
      at: acceptedAt,
      word: "accepted terms",
      text: `${type}, ${version}`,
      ...none,
    })),
    ...wallets.map(({ id, address, createdAt, isAdded }) => ({
      id: `wallet:${id}`,
      at: createdAt,
      word: isAdded ? "added a wallet" : "signed up with a wallet",
      text: address,
      ...none,
    })),
    ...safes.map(({ id, address, createdAt, status }) => ({
      id: `safe:${id}`,
      at: createdAt,
      word: "Safe requested",
      text: `${address} is ${status}`,
      ...none,
    })),
    ...(iban
      ? [{ id: "iban", at: iban.createdAt, word: "IBAN requested", text: `It is ${iban.status}`, ...none }]
      : []),
  ];
  return cut(entries, page);
};

/** Of a table that is read page by page by its user. */
const from =
  <R>(
    list: (on: Services["db"], userId: string, page: HistoryPage) => Promise<R[]>,
    toEntry: (row: R) => Entry,
  ): Source =>
  async ({ db }, { id }, page) =>
    (await list(db, id, page)).map(toEntry);

const readKyc = from(listKycHistory, ({ id, at, type }) => ({
  id,
  at,
  word: "KYC callback",
  text: type ?? "without a type",
  ...none,
}));

const readCards = from(listCardHistory, ({ id, at, lastFourDigits, virtual }) => ({
  id,
  at,
  word: "card made",
  text: `${virtual ? "virtual" : "physical"}, … ${lastFourDigits}`,
  subject: { kind: "card", id },
}));

const readPayments = from(listPaymentHistory, (row) => {
  const { id, at, status, declineReason, authorizedCents, billingCurrency, merchantName } = row;
  const amount = `${formatCents(authorizedCents, billingCurrency)} at ${merchantName ?? unnamed}`;
  const why = status === "DECLINED" ? `. ${describeDecline(declineReason).happened}` : "";
  return { id, at, word: `payment ${status}`, text: `${amount}${why}`, subject: { kind: "payment", id } };
});

const readCredits = from(listCreditHistory, (row) => ({
  id: row.id,
  at: row.at,
  word: row.kind,
  text: `${formatCents(row.amountCents, row.billingCurrency)} at ${row.merchantName ?? unnamed}`,
  subject: { kind: "payment", id: row.paymentId },
}));

const handReturnWords = {
  PLANNED: "return by hand planned",
  SIGNED: "return by hand sent",
  DONE: "returned by hand",
  FAILED: "return by hand failed",
} as const satisfies Record<TransferStatus, string>;

const readHandReturns = from(listHandReturnHistory, (row) => ({
  id: row.id,
  at: row.at,
  word: handReturnWords[row.status],
  text: `${formatTokenShort(row.amount, row.tokenSymbol)} of a payment at ${row.merchantName ?? unnamed}`,
  subject: { kind: "payment", id: row.paymentId },
}));

const readOperations: Source = async ({ db }, { id: userId }, page) => {
  const safes = await listSafes(db, userId);
  const pages = await Promise.all(
    safes.map(async (safe) =>
      (await listOperationHistory(db, safe.id, page)).map((row) => ({
        id: row.id,
        at: row.createdAt,
        word: `${row.kind} ${row.status}`,
        text: summariseEffect(describeOperation(row, safe.tokenSymbol), formatUnitsShort),
        subject: { kind: "operation", id: row.id } as const,
      })),
    ),
  );
  return pages.flat();
};

const readOrders = from(listOrderHistory, ({ id, at, status, virtual }) => ({
  id,
  at,
  word: `order ${status}`,
  text: `of a ${virtual ? "virtual" : "physical"} card`,
  subject: { kind: "order", id },
}));

const readIban = from(listIbanHistory, ({ id, at, kind, amount, currency, state }) => ({
  id,
  at,
  word: kind === "issue" ? "money came in" : "money went out",
  text: `${amount} ${currency.toUpperCase()} by IBAN, ${state}`,
  ...none,
}));

const readEvents = from(listEventHistory, ({ id, at, eventType, deliveries }) => {
  const [first] = deliveries;
  const sent = deliveries.map(({ partnerId, status }) => `${partnerId} ${status}`).join(", ");
  const subject = first ? ({ kind: "delivery", id: first.id } as const) : null;
  return { id, at, word: eventType, text: sent === "" ? "no partner subscribes" : `to ${sent}`, subject };
});

/** What operators did to the user, and to the user's cards and orders. */
const readActions: Source = async ({ db }, { id: userId }, page) => {
  const [cards, orders] = await Promise.all([listCards(db, userId), listOrders(db, userId)]);
  const pages = await Promise.all(
    (
      [
        ["user", [userId]],
        ["card", cards.map(({ id }) => id)],
        ["order", orders.map(({ id }) => id)],
      ] as const
    ).map(async ([kind, ids]) =>
      (ids.length === 0 ? [] : await listActionHistory(db, { kind, ids }, page)).map((row) => ({
        id: row.id,
        at: row.at,
        word: row.verb,
        text: `by ${row.operatorName}${row.reason === null ? "" : `: ${row.reason}`}`,
        subject: { kind: "action", id: row.id } as const,
      })),
    ),
  );
  return pages.flat();
};

/** Two sources may be of one kind; a name is one source's. */
export const historySources: readonly { kind: HistoryKind; name: string; read: Source }[] = [
  { kind: "account", name: "account", read: readAccountEntries },
  { kind: "kyc", name: "kyc", read: readKyc },
  { kind: "card", name: "card", read: readCards },
  { kind: "payment", name: "payment", read: readPayments },
  { kind: "payment", name: "credit", read: readCredits },
  { kind: "payment", name: "return", read: readHandReturns },
  { kind: "operation", name: "operation", read: readOperations },
  { kind: "order", name: "order", read: readOrders },
  { kind: "iban", name: "iban", read: readIban },
  { kind: "event", name: "event", read: readEvents },
  { kind: "action", name: "action", read: readActions },
];
