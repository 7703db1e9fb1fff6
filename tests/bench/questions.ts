/** The frequent statements of requests, jobs and chores, for people with a long history. */
import { ibanOrdersMax } from "@cardkeep/contract/users/ibanRoutes";
import type { Db, Executor } from "@cardkeep/db/client";
import { listRulesInForce } from "@cardkeep/db/queries/cards/cardControls/issuerRules";
import { listRules } from "@cardkeep/db/queries/cards/cardRules/rules";
import { listIbanOrders } from "@cardkeep/db/queries/users/ibanOrders";
import {
  erasePersonalData,
  listOpenTables,
  readPersonalData,
} from "@cardkeep/db/queries/core/personalData/personalData";
import { deleteOldBatch, listTablesWithOldRows, retainedTables } from "@cardkeep/db/queries/core/retention";
import { listSealed } from "@cardkeep/db/queries/core/sealed";
import { keptReasons } from "@cardkeep/domain/core/privacy/keptHours";
import {
  countCards,
  countPayments,
  countPeople,
  findFirstSignUp,
  hasManyPayments,
  sumSpending,
  sumWithdrawals,
} from "@cardkeep/db/queries/operations/figures";
import { countFailedDeliveries, listBacklogs } from "@cardkeep/db/queries/partners/deliveries/backlogs";
import { listPastIncrements, listPastPayments, lowestIdOf } from "@cardkeep/db/queries/cards/cardRules/pastPayments";
import { listReplayedPayments } from "@cardkeep/db/queries/cards/cardRules/replayedPayments";
import { countHistory, listHistory } from "@cardkeep/db/queries/spending/history";
import {
  countLiveCards,
  findCardByToken,
  listCards,
  listExpiredCards,
  listLateCards,
} from "@cardkeep/db/queries/cards/cards";
import { listLateCardholders } from "@cardkeep/db/queries/cards/cardholders";
import {
  listSafesAfter,
  rollBackEnds,
  rollBackEnqueues,
  rollBackRelayTransactions,
} from "@cardkeep/db/queries/chain/rollBack";
import {
  findDelayByQueueNonce,
  findEmptyQueueBlock,
  findLastLimitBlock,
  listHeldPositions,
  listQueuing,
} from "@cardkeep/db/queries/accounts/delays/queue";
import {
  listAllDelays,
  listAllOpenDelays,
  listDelaysWithin,
  listDelays,
  listOpenDelays,
} from "@cardkeep/db/queries/accounts/delays/lists";
import { moveDelay } from "@cardkeep/db/queries/accounts/delays/delays";
import {
  findNextToEnqueue,
  listDelaysAmong,
  listToEnqueue,
  moveToWaiting,
} from "@cardkeep/db/queries/accounts/delays/enqueues";
import { readFollowState } from "@cardkeep/db/queries/chain/followState";
import { fanOutEvents, hasPendingEvents } from "@cardkeep/db/queries/partners/deliveries/fanOut";
import {
  findNextAttempt,
  listDueDeliveries,
  listForgottenEndpoints,
  recordAttempts,
} from "@cardkeep/db/queries/partners/deliveries/due";
import {
  countReplay,
  findDeliveryContent,
  listDeliveries,
  reopenDeliveries,
} from "@cardkeep/db/queries/partners/deliveries/log";
import { listFeed } from "@cardkeep/db/queries/partners/deliveries/feed";
import { insertEvent, listEventsAt } from "@cardkeep/db/queries/partners/outbox";
import { addDecisions, listAttemptCounts, listDecisionCounts, sumAttempts } from "@cardkeep/db/queries/partners/hours";
import {
  countForeignEntries,
  listRelayerLanes,
  measureDelays,
  measureDeliveries,
} from "@cardkeep/db/queries/operations/health";
import { readDuePools } from "@cardkeep/db/queue/due";
import { countJobs, findOldestWaitSeconds, listJobs } from "@cardkeep/db/queue/inspect";
import { listStandings } from "@cardkeep/db/queries/cards/cardholders";
import { hasSignedOrderReturn, selectOrderReturnsOfReset } from "@cardkeep/db/queries/cards/orderReturns";
import { listOrders } from "@cardkeep/db/queries/cards/orders";
import { rollBackOrders } from "@cardkeep/db/queries/cards/orderRollBacks";
import { addMissingJobs } from "@cardkeep/db/queue/missing";
import { rescheduleFailedJobs } from "@cardkeep/db/queue/reschedule";
import { findFirstRelayedBlock, findRelayTransaction } from "@cardkeep/db/queries/chain/relay/transactions";
import { hasOpenRelayTransaction, listRelayTransactions } from "@cardkeep/db/queries/chain/relay/bySubject";
import { confirmUpTo, findLowestOpenNonce } from "@cardkeep/db/queries/chain/relay/lanes";
import {
  findDeploymentBlock,
  findDeployedSafe,
  findNewestSafe,
  listDelayModules,
  listPublishedSafes,
  selectReceivedSafes,
} from "@cardkeep/db/queries/accounts/safes";
import { findNewestUse, findPayment } from "@cardkeep/db/queries/spending/payments";
import { findHoldConcerning, findLastSequence, listHolds } from "@cardkeep/db/queries/spending/liveTransfers";
import {
  listTransfers,
  listTransfersAfter,
  moveTransferBack,
  nameTransferRow,
  listSafesOfUnknown,
  listUnknownHashes,
} from "@cardkeep/db/queries/spending/transfers";
import {
  getCollectionRecord,
  listDebtors,
  listDebts,
  listNewestDebtors,
  sumDebts,
} from "@cardkeep/db/queries/spending/debts";
import { findSpendingFacts } from "@cardkeep/db/queries/spending/decisionFacts";
import { lockSubmission, readSubmissionFacts } from "@cardkeep/db/queries/accounts/delays/submissionFacts";
import { pageOpenAmounts } from "@cardkeep/db/queries/books/reports";
import { listRests } from "@cardkeep/db/queries/books/witnessSources";
import { listExplained } from "@cardkeep/db/queries/books/reversedPostings";
import { findUser, findUserByAddress, findUserByEmail, listUsers, type User } from "@cardkeep/db/queries/users/users";
import { findOpenReconciliation } from "@cardkeep/db/queries/sync/reconciliations";
import { hastenKycChecks } from "@cardkeep/db/queries/verification/kyc";
import { listLedger, sumLedger } from "@cardkeep/db/queries/spending/ledger";
import { countSubscriptions, endSubscriptions } from "@cardkeep/db/queries/partners/subscriptions";
import { freeIdleQueues, recoverDeadPools } from "@cardkeep/db/queue/liveness";
import { generateId } from "@cardkeep/domain/core/generateId";
import { nameDelivery, nameRow } from "./fill.ts";
import type { Question } from "./plans.ts";

const now = () => new Date();
const dayAgo = () => new Date(Date.now() - 86_400_000);
const lastDay = () => ({ from: dayAgo(), to: now(), offsetMs: 0 });
const user = "old-1";
const address = (kind: string, n: number) => `0x${kind}${n.toString(16).padStart(39, "0")}` as const;
const hash = (kind: string, n: number) => `0x${kind}${n.toString(16).padStart(63, "0")}` as const;
const ledger = { safe: null, paymentId: null, from: null, until: null };
const payment = { id: nameRow(5), userId: "old-6" };
const delay = address("c", 1);
const submission = {
  safeId: user,
  delayAddress: delay,
  signer: address("a", 1),
  messageHash: hash("1", 10),
  quota: 20,
};
const delays = { status: null, userId: null, safeAddress: null, after: null, limit: 50 };
/** The whole history of a user's cards. */
export const cardHistory = {
  userId: user,
  cardTokens: null,
  updatedSince: null,
  before: null,
  after: null,
  billingCurrency: null,
  transactionCurrency: null,
  mcc: null,
  transactionType: null,
};
const undelivered = { from: new Date(0), until: new Date("2100-01-01"), isAll: false };

async function getUser(db: Executor, id: string): Promise<User> {
  const found = await findUser(db, id);
  if (!found) throw new Error(`There is no user ${id}`);
  return found;
}
const inTx =
  (run: (tx: Parameters<Parameters<Db["transaction"]>[0]>[0]) => Promise<unknown>): Question =>
  ({ db }) =>
    run(db as never);

export const questions: Readonly<Record<string, Question>> = {
  "aging of debts": ({ db }) => pageOpenAmounts(db, "2026-01-01", { after: null, limit: 500 }),
  listRests: ({ db }) => listRests(db, { from: dayAgo(), to: now(), before: now(), limit: 500 }),
  listExplained: ({ db }) => listExplained(db, { from: dayAgo(), to: now(), limit: 500 }),
  listDelays: ({ reads }) => listDelays(reads, { userId: user, executedMax: 20, withCall: false }),
  listPastPayments: inTx((tx) =>
    listPastPayments(tx, {
      userId: user,
      cardId: user,
      since: dayAgo(),
      lowestId: lowestIdOf(86_400_000, Date.now()),
      exceptId: null,
    }),
  ),
  listPastIncrements: inTx((tx) =>
    listPastIncrements(
      tx,
      { userId: user, cardId: user, since: dayAgo(), exceptId: null },
      { spanMs: 86_400_000, wallMs: Date.now() },
    ),
  ),
  listUnknownHashes: ({ db }) => listUnknownHashes(db, [`0x${"11".repeat(32)}`]),
  listSafesOfUnknown: ({ db }) => listSafesOfUnknown(db, [{ hash: `0x${"11".repeat(32)}`, safeId: user }]),
  listReplayedPayments: ({ db }) =>
    listReplayedPayments(db, {
      userIds: null,
      since: dayAgo(),
      until: now(),
      lowestId: lowestIdOf(86_400_000, Date.now()),
      after: { userId: user, createdAt: dayAgo(), id: nameRow(5) },
      limit: 50,
    }),
  findHoldConcerning: ({ db }) => findHoldConcerning(db, { safeId: user, spenders: [address("a", 5)] }),
  findSpendingFacts: ({ reads }) => findSpendingFacts(reads, user),
  findUser: ({ db }) => findUser(db, user),
  findUserByEmail: ({ db }) => findUserByEmail(db, "old-1@example.org"),
  findUserByAddress: ({ db }) => findUserByAddress(db, address("a", 5)),
  findDeployedSafe: ({ db }) => findDeployedSafe(db, user),
  findNewestSafe: ({ db }) => findNewestSafe(db, user),
  listPublishedSafes: ({ db }) => listPublishedSafes(db, "old-500", 500),
  listDelaysWithin: ({ db }) => listDelaysWithin(db, { safeId: user, from: dayAgo(), until: now(), limit: 12 }),
  listOpenDelays: ({ db }) => listOpenDelays(db, user),
  listHolds: ({ db }) => listHolds(db, user),
  listHoldsAfter: ({ db }) => listHolds(db, user, 1_000n),
  findLastSequence: ({ db }) => findLastSequence(db, user),
  getCollectionRecord: ({ db }) => getCollectionRecord(db, { safeId: user, userId: user }),
  readFollowState: ({ db }) => readFollowState(db, 100),
  hasPendingEvents: ({ db }) => hasPendingEvents(db),
  listDebts: ({ db }) => listDebts(db, user),
  listDebtors: ({ db }) => listDebtors(db, [address("b", 5), address("b", 6)]),
  listNewestDebtors: ({ db }) => listNewestDebtors(db, 5),
  sumDebts: ({ db }) => sumDebts(db, null),
  findNewestUse: ({ db }) => findNewestUse(db),
  findPayment: ({ db }) => findPayment(db, payment),
  listTransfers: ({ db }) => listTransfers(db, payment.userId, [payment.id]),
  moveTransferBack: inTx((tx) =>
    moveTransferBack(tx, { id: nameTransferRow(payment.id, 0), userId: payment.userId }, now()),
  ),
  findRelayTransaction: ({ db }) => findRelayTransaction(db, nameRow(5)),
  listCards: ({ db }) => listCards(db, user),
  countLiveCards: ({ db }) => countLiveCards(db, user),
  findCardByToken: ({ db }) => findCardByToken(db, user),
  listExpiredCards: ({ db }) => listExpiredCards(db, now()),
  listLateCards: ({ db }) => listLateCards(db, { seconds: 180, limit: 20 }),
  listLateCardholders: ({ db }) => listLateCardholders(db, { seconds: 180, limit: 20 }),
  listStandings: ({ db }) => listStandings(db, [user, "old-7"], dayAgo()),
  hasSignedOrderReturn: ({ db }) => hasSignedOrderReturn(db, address("b", 5)),
  selectOrderReturnsOfReset: ({ db }) => db.execute(selectOrderReturnsOfReset(user)),
  findOpenReconciliation: ({ db }) => findOpenReconciliation(db),
  hastenKycChecks: inTx((tx) => hastenKycChecks(tx, { after: "old-500", limit: 500, since: dayAgo(), now: now() })),
  listOrders: ({ db }) => listOrders(db, user),
  listHistory: ({ db }) => listHistory(db, cardHistory, { limit: 20, offset: 0 }),
  countHistory: ({ db }) => countHistory(db, cardHistory),
  listIbanOrders: ({ db }) => listIbanOrders(db, user, { limit: ibanOrdersMax }),
  readPersonalData: async ({ db }) => readPersonalData(db, await getUser(db, "old-7"), "records"),
  listOpenTables: inTx(async (tx) => listOpenTables(tx, await getUser(tx, "old-7"))),
  erasePersonalData: inTx(async (tx) => erasePersonalData(tx, await getUser(tx, "old-7"), { now: now(), keptReasons })),
  listPartnerRules: ({ db }) => listRules(db, { scope: null, subjectId: null, ownerId: user, after: null, limit: 50 }),
  listSealedEvidence: ({ db }) =>
    listSealed(db, { kind: "disputeEvidence", after: `${payment.id}:text`, now: now(), prefix: "x" }),
  readSubmissionFacts: ({ reads }) => readSubmissionFacts(reads, submission),
  lockSubmission: inTx((tx) => lockSubmission(tx, { ...submission, isWithdrawal: true, after: 1_000n })),
  moveDelay: inTx((tx) => moveDelay(tx, "old-5", "EXECUTED", { updatedAt: now() })),
  listToEnqueue: ({ db }) => listToEnqueue(db, { countMax: 200 }),
  listDelaysAmong: ({ db }) => listDelaysAmong(db, ["old-5", "old-6"]),
  moveToWaiting: inTx((tx) =>
    moveToWaiting(tx, [{ id: "old-5", queueNonce: 1n, readyAt: now(), expiresAt: now() }], {
      enqueuedHash: hash("e", 5),
      enqueuedBlock: 5n,
      updatedAt: now(),
    }),
  ),
  findNextToEnqueue: ({ db }) => findNextToEnqueue(db, user),
  hasOpenRelayTransaction: ({ db }) => hasOpenRelayTransaction(db, "old-10", ["delay.dispatch"]),
  listRelayTransactions: ({ db }) => listRelayTransactions(db, "old-10"),
  findLowestOpenNonce: ({ db }) => findLowestOpenNonce(db, "0xold" as never),
  confirmUpTo: ({ db }) => confirmUpTo(db, { relayer: "0xold" as never, nonce: 900_000n }),
  findDelayByQueueNonce: ({ db }) => findDelayByQueueNonce(db, delay, 500n),
  findEmptyQueueBlock: ({ db }) => findEmptyQueueBlock(db, { delayAddress: delay, queueNonce: 90n }),
  findLastLimitBlock: ({ db }) => findLastLimitBlock(db, user),
  findDeploymentBlock: ({ db }) => findDeploymentBlock(db, user),
  findFirstRelayedBlock: ({ db }) => findFirstRelayedBlock(db),
  listDelayModules: ({ db }) => listDelayModules(db, [delay, address("c", 2)]),
  listQueuing: ({ db }) => listQueuing(db, [delay, address("c", 2)]),
  listHeldPositions: ({ db }) => listHeldPositions(db, [{ delayAddress: delay, queueNonce: 10n }]),
  listAllOpenDelays: ({ db }) => listAllOpenDelays(db, { after: null, limit: 1_000 }),
  listSafesAfter: ({ db }) => listSafesAfter(db, 10n),
  rollBackRelayTransactions: inTx((tx) => rollBackRelayTransactions(tx, 10n, now())),
  rollBackEnqueues: inTx((tx) => rollBackEnqueues(tx, 10n, now())),
  rollBackEnds: inTx((tx) => rollBackEnds(tx, 10n, now())),
  rollBackOrders: inTx((tx) => rollBackOrders(tx, 10n, now())),
  listTransfersAfter: inTx((tx) => listTransfersAfter(tx, 10n)),
  selectReceivedSafes: ({ db }) => db.execute(selectReceivedSafes({ addresses: [address("b", 5), address("b", 6)] })),
  insertEvent: inTx((tx) =>
    insertEvent(tx, { id: generateId(), userId: user, requestId: "r", eventType: "x", data: {}, createdAt: now() }),
  ),
  listEventsAt: ({ db }) => listEventsAt(db, { userId: user, requestId: "old-5", at: now() }),
  fanOutEvents: inTx((tx) => fanOutEvents(tx, { now: now(), limit: 500 })),
  listForgottenEndpoints: ({ db }) => listForgottenEndpoints(db, now()),
  listDueDeliveries: ({ db }) => listDueDeliveries(db, { partnerId: "old", now: now(), limit: 100, except: [] }),
  findNextAttempt: ({ db }) => findNextAttempt(db, "old"),
  recordAttempts: inTx((tx) =>
    recordAttempts(tx, "old", [
      {
        id: nameDelivery(5),
        attempt: 2,
        scheduleFrom: 0,
        at: now(),
        status: 200,
        error: null,
        durationMs: 5,
        becomes: "DELIVERED",
        nextAttemptAt: now(),
      },
    ]),
  ),
  listFeed: ({ db }) => listFeed(db, { partnerId: "old", after: 500_000n, limit: 500 }),
  endSubscriptions: inTx((tx) => endSubscriptions(tx, { userId: user, partnerId: "old", now: now() })),
  listFeedOfRarePartner: ({ db }) => listFeed(db, { partnerId: "old-rare", after: 0n, limit: 500 }),
  reopenDeliveries: inTx((tx) => reopenDeliveries(tx, { id: nameDelivery(6) }, now())),
  reopenUndelivered: inTx((tx) => reopenDeliveries(tx, { ...undelivered, partnerId: "old-rare" }, now())),
  countUndelivered: ({ db }) => countReplay(db, { ...undelivered, partnerId: "old" }),
  countUndeliveredOfRarePartner: ({ db }) => countReplay(db, { ...undelivered, partnerId: "old-rare" }),
  addMissingJobs: ({ db }) => addMissingJobs(db, { chainId: 100, now: now() }),
  recoverDeadPools: ({ db }) => recoverDeadPools(db),
  freeIdleQueues: ({ db }) => freeIdleQueues(db),
  readDuePools: ({ db }) => readDuePools(db, 1_000),
  listTablesWithOldRows: ({ db }) => listTablesWithOldRows(db, () => new Date(0)),
  deleteOldBatch: async ({ db }) => {
    for (const table of retainedTables) await deleteOldBatch(db, table, { before: new Date(0), limit: 1_000 });
  },
  listRulesInForce: ({ db }) => listRulesInForce(db, [user]),
  countJobs: ({ db }) => countJobs(db),
  findOldestWaitSeconds: ({ db }) => findOldestWaitSeconds(db),
  listJobs: ({ db }) => listJobs(db, { state: null, after: 500n, limit: 50 }),
  listJobsWaiting: ({ db }) => listJobs(db, { state: "waiting", after: null, limit: 50 }),
  rescheduleFailedJobs: inTx((tx) => rescheduleFailedJobs(tx, 100)),
  measureDelays: ({ db }) => measureDelays(db, now()),
  measureDeliveries: ({ db }) => measureDeliveries(db, now()),
  countReplay: ({ db }) => countReplay(db, { partnerId: "old", from: dayAgo(), until: now(), isAll: true }),
  findDeliveryContent: ({ db }) => findDeliveryContent(db, nameDelivery(5)),
  countSubscriptions: ({ db }) => countSubscriptions(db, "old"),
  listLedger: ({ db }) => listLedger(db, { ...ledger, after: null, limit: 50 }),
  listLedgerAfter: ({ db }) =>
    listLedger(db, { ...ledger, after: { paymentId: nameRow(500), id: nameRow(500) }, limit: 50 }),
  listLedgerOfSafe: ({ db }) => listLedger(db, { ...ledger, safe: { id: user, userId: user }, after: null, limit: 50 }),
  listLedgerOfPayment: ({ db }) => listLedger(db, { ...ledger, paymentId: payment.id, after: null, limit: 50 }),
  listLedgerOfDay: ({ db }) => listLedger(db, { ...ledger, from: dayAgo(), until: now(), after: null, limit: 50 }),
  sumLedger: ({ db }) => sumLedger(db, { ...ledger, safe: { id: user, userId: user } }, 10_000),
  countFailedDeliveries: ({ db }) => countFailedDeliveries(db),
  addDecisions: ({ db }) => addDecisions(db, [{ reason: "approved", msMax: 20, count: 1 }], now()),
  listDecisionCounts: ({ db }) => listDecisionCounts(db, dayAgo()),
  listAttemptCounts: ({ db }) => listAttemptCounts(db, { partnerId: null, since: dayAgo() }),
  listAttemptCountsOfPartner: ({ db }) => listAttemptCounts(db, { partnerId: "partner-1", since: dayAgo() }),
  sumAttempts: ({ db }) =>
    sumAttempts(db, { partnerIds: ["partner-1", "partner-2"], daySince: dayAgo(), weekSince: dayAgo() }),
  listRelayerLanes: ({ db }) => listRelayerLanes(db),
  countForeignEntries: ({ db }) => countForeignEntries(db),
  listAllDelays: ({ db }) => listAllDelays(db, { ...delays, isOpenOnly: false }),
  listAllDelaysOpen: ({ db }) => listAllDelays(db, { ...delays, isOpenOnly: true }),
  listDeliveries: ({ db }) => listDeliveries(db, { partnerId: null, status: null, after: null, limit: 50 }),
  listFailedDeliveries: ({ db }) =>
    listDeliveries(db, { partnerId: null, status: "FAILED", after: nameDelivery(500), limit: 50 }),
  listBacklogs: ({ db }) => listBacklogs(db, 100),
  countPeople: ({ db }) => countPeople(db, lastDay()),
  hasManyPayments: ({ db }) => hasManyPayments(db, lastDay(), 100),
  countPayments: ({ db }) => countPayments(db, lastDay()),
  countCards: ({ db }) => countCards(db, lastDay(), { day: dayAgo(), week: dayAgo(), month: dayAgo() }),
  sumSpending: ({ db }) => sumSpending(db, lastDay()),
  sumWithdrawals: ({ db }) => sumWithdrawals(db, lastDay()),
  findFirstSignUp: ({ db }) => findFirstSignUp(db),
  listOwingUsers: ({ db }) => listUsers(db, { status: null, kycStatus: null, isOwing: true, after: null, limit: 50 }),
  listUsers: ({ db }) => listUsers(db, { status: null, kycStatus: null, isOwing: false, after: "old-500", limit: 50 }),
};
