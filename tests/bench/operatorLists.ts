/** The lists and histories of the operator's pages: each filter, and pages far from the newest row. */
import { listAllCards } from "@cardkeep/db/queries/cards/cards";
import { listAllOrders } from "@cardkeep/db/queries/cards/orders";
import { listAllPayments, type PaymentFilter } from "@cardkeep/db/queries/spending/listAllPayments";
import { findMerchants } from "@cardkeep/db/queries/operations/search/merchants";
import {
  findAnyPayment,
  listAllClearings,
  listDailyMoney,
  listLedgerEntries,
} from "@cardkeep/db/queries/spending/paymentParts";
import {
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
  listPublishedBalances,
} from "@cardkeep/db/queries/operations/userHistory";
import { listUsers } from "@cardkeep/db/queries/users/users";
import { nameRow } from "./fill.ts";
import type { Question } from "./plans.ts";

const limit = 51;
/** Has a tenth of the operations. */
const user = "old-1";
const payment = { id: nameRow(5), userId: "old-6" };

const anyPayment: PaymentFilter = {
  status: null,
  userId: null,
  cardId: null,
  merchant: null,
  declineReason: null,
  after: null,
};
const payments =
  (filter: Partial<PaymentFilter>): Question =>
  ({ db }) =>
    listAllPayments(db, { ...anyPayment, ...filter, limit });
const users =
  (filter: Partial<Parameters<typeof listUsers>[1]>): Question =>
  ({ db }) =>
    listUsers(db, { status: null, kycStatus: null, isOwing: false, after: null, limit, ...filter });

const before = { at: new Date(), key: "x" };
const page = { kind: "x", before, limit };

export const operatorLists: Readonly<Record<string, Question>> = {
  payments: payments({}),
  paymentsAfter: payments({ after: nameRow(500) }),
  paymentsCleared: payments({ status: "CLEARED" }),
  paymentsAuthorized: payments({ status: "AUTHORIZED" }),
  paymentsDeclined: payments({ status: "DECLINED" }),
  paymentsExpired: payments({ status: "EXPIRED" }),
  paymentsOfReason: payments({ declineReason: "account_paused" }),
  paymentsOfUnknownReason: payments({ declineReason: "none" }),
  paymentsOfUser: payments({ userId: user }),
  paymentsOfCard: payments({ userId: user, cardId: user }),
  paymentsOfMerchant: payments({ merchant: "Shop 7" }),
  paymentsOfEveryMerchant: payments({ merchant: "s" }),
  paymentsOfUnknownMerchant: payments({ merchant: "nowhere" }),
  payment: ({ db }) => findAnyPayment(db, payment.id),
  clearings: ({ db }) => listAllClearings(db, payment),
  entries: ({ db }) => listLedgerEntries(db, payment),
  dailyMoney: ({ db }) => listDailyMoney(db, { safeId: user, userId: user, since: new Date(0) }),
  cards: ({ db }) => listAllCards(db, { userId: null, status: "1000", after: "old-500", limit }),
  cardsRestricted: ({ db }) => listAllCards(db, { userId: null, status: "1062", after: null, limit }),
  cardsOfUser: ({ db }) => listAllCards(db, { userId: user, status: null, after: null, limit }),
  orders: ({ db }) => listAllOrders(db, { userId: null, status: "CARDCREATED", after: "old-500", limit }),
  ordersCancelled: ({ db }) => listAllOrders(db, { userId: null, status: "CANCELLED", after: null, limit }),
  ordersOfUser: ({ db }) => listAllOrders(db, { userId: user, status: null, after: null, limit }),
  usersApproved: users({ kycStatus: "approved" }),
  usersRejected: users({ kycStatus: "rejected" }),
  usersDeactivated: users({ status: "DEACTIVATED" }),
  kycHistory: ({ db }) => listKycHistory(db, user, page),
  cardHistory: ({ db }) => listCardHistory(db, user, page),
  orderHistory: ({ db }) => listOrderHistory(db, user, page),
  paymentHistory: ({ db }) => listPaymentHistory(db, user, page),
  merchants: ({ db }) =>
    findMerchants(db, { clues: [{ by: "words", text: "shop", words: ["shop"] }], limit, now: new Date() }),
  handReturnHistory: ({ db }) => listHandReturnHistory(db, user, page),
  creditHistory: ({ db }) => listCreditHistory(db, user, page),
  operationHistory: ({ db }) => listOperationHistory(db, user, page),
  ibanHistory: ({ db }) => listIbanHistory(db, user, page),
  eventHistory: ({ db }) => listEventHistory(db, user, page),
  actionHistory: ({ db }) => listActionHistory(db, { kind: "user", ids: [user] }, page),
  publishedBalances: ({ db }) => listPublishedBalances(db, { userId: user, since: new Date(0) }),
};
