/** The queue's tasks: each hands its payload to a verb. */
import { announceClose } from "@cardkeep/domain/books/closes/announceClose";
import { jitter } from "@cardkeep/db/jitter";
import { catalogue, type Jobs, type PoolName, type Task } from "@cardkeep/db/queue/catalogue";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { spreadRetry } from "@cardkeep/db/queue/reschedule";
import { endlessJobs } from "@cardkeep/domain/operations/housekeeping/chores";
import { createContext } from "@cardkeep/domain/core/context";
import type { WorkerKeys } from "@cardkeep/domain/core/services";
import { guardByChain } from "@cardkeep/domain/chain/guards/reorgGuard";
import { follow } from "@cardkeep/domain/sync/chainSync/follow";
import { compareQueues } from "@cardkeep/domain/sync/chainSync/compareQueues";
import { compareCallbacks } from "@cardkeep/domain/cards/cards/compareCallbacks";
import { issueCard } from "@cardkeep/domain/cards/cards/issueCard";
import { mailActivated } from "@cardkeep/domain/cards/cards/activateOwnCard";
import { mirrorRules } from "@cardkeep/domain/cards/issuerControls/mirrorRules";
import { syncIssuerControls } from "@cardkeep/domain/cards/issuerControls/syncIssuerControls";
import { openCardEnvelope } from "@cardkeep/domain/cards/cards/openCardEnvelope";
import { mirrorCardholders } from "@cardkeep/domain/core/cardholders/mirrorCardholders";
import { syncCardholder } from "@cardkeep/domain/core/cardholders/syncCardholder";
import { syncIssuerStatus } from "@cardkeep/domain/cards/cards/syncIssuerStatus";
import { sendMessages } from "@cardkeep/domain/users/messages/sendMessages";
import { mailSupportAct } from "@cardkeep/domain/cards/cards/mailSupportAct";
import { sendAlerts } from "@cardkeep/domain/operations/alerts/reportAlerts";
import { mailContactChange, sendContactLink, reportToOthers } from "@cardkeep/domain/verification/contacts/sendContact";
import { mailPhoneChange, sendPhoneChange } from "@cardkeep/domain/verification/phone/mailPhoneChange";
import { dispatch } from "@cardkeep/domain/accounts/delays/dispatch";
import { relayNext } from "@cardkeep/domain/accounts/delays/relayNext";
import { isUnavailable } from "@cardkeep/domain/core/errors";
import { compareFunds } from "@cardkeep/domain/chain/funds/compareFunds";
import { settleIbanOrder } from "@cardkeep/domain/users/ibans/settleIbanOrder";
import { openIban } from "@cardkeep/domain/users/ibans/openIban";
import { checkSetUp } from "@cardkeep/domain/accounts/safes/checkSetUp";
import { checkSafe } from "@cardkeep/domain/accounts/integrity/checkSafe";
import { handOverViolation, settleViolations } from "@cardkeep/domain/accounts/integrity/settleViolations";
import { notifyDisabled } from "@cardkeep/domain/partners/webhooks/reportAttempts";
import { deliver } from "@cardkeep/domain/partners/webhooks/deliver";
import { checkBalances } from "@cardkeep/domain/accounts/balances/checkBalances";
import { publishBalance } from "@cardkeep/domain/accounts/balances/publishBalance";
import { carryOutReturn } from "@cardkeep/domain/cards/orders/carryOutReturn";
import { watchPayment } from "@cardkeep/domain/cards/orders/watchPayment";
import { compareNonces } from "@cardkeep/domain/chain/relay/compareNonces";
import { broadcast } from "@cardkeep/domain/chain/relay/broadcast";
import { confirm } from "@cardkeep/domain/chain/relay/confirm";
import { LaneClosed, LaneFull } from "@cardkeep/domain/chain/relay/signRelayTransaction";
import { readWalletToken } from "@cardkeep/domain/cards/cards/readWalletToken";
import { retireRelayer } from "@cardkeep/domain/chain/relay/retireRelayer";
import { sweepRelayer } from "@cardkeep/domain/chain/relay/sweepRelayer";
import { deploySafe } from "@cardkeep/domain/accounts/safes/deploySafe";
import { collectDebts } from "@cardkeep/domain/spending/payments/collectDebts";
import { settleLateSpends } from "@cardkeep/domain/spending/payments/settleLateSpends";
import { compareThreads } from "@cardkeep/domain/spending/payments/compareThreads";
import { makeVolume } from "@cardkeep/domain/spending/statements/volumes";
import { settleThread } from "@cardkeep/domain/spending/payments/settleThread";
import { adoptDispute } from "@cardkeep/domain/spending/disputes/adoptDispute";
import { advanceDispute } from "@cardkeep/domain/spending/disputes/advanceDispute";
import { mailOpenedDispute } from "@cardkeep/domain/spending/disputes/disputePaymentFor";
import { mailCredit, mailDispute } from "@cardkeep/domain/spending/disputes/mailDispute";
import { submitNow } from "@cardkeep/domain/spending/disputes/submitDispute";
import { checkSafes } from "@cardkeep/domain/accounts/integrity/checkSafes";
import { carryOutTransfer } from "@cardkeep/domain/spending/payments/carryOutTransfer";
import { runReconciliation } from "@cardkeep/domain/sync/reconciliations/runReconciliation";
import { renewApprovals } from "@cardkeep/domain/treasury/approvals/renewApprovals";
import { readIssuerMoney } from "@cardkeep/domain/treasury/issuerMoney/readIssuerMoney";
import { carryOutMove } from "@cardkeep/domain/treasury/moves/carryOutMove";
import { topUpRelayers } from "@cardkeep/domain/chain/topUps/topUpRelayers";
import type { RelayContext } from "@cardkeep/domain/chain/relay/settler";
import { createSuccessRecord } from "./recordSuccess.ts";
import { settlers } from "./settlers.ts";
import type { Runtime } from "@cardkeep/runtime/compose";
import { withoutParameters } from "@cardkeep/runtime/log";
import type { JobHelpers, TaskList } from "graphile-worker";

type Verb<T extends Task> = (ctx: RelayContext, payload: Jobs[T]) => Promise<void>;

const verbs: { readonly [T in Task]: Verb<T> } = {
  "chain.follow": follow,
  "chain.reconcile": compareQueues,
  "chain.nonces": compareNonces,
  "chain.funds": compareFunds,
  "chain.checkSafes": checkSafes,
  "chain.topUps": topUpRelayers,
  "database.reconcile": runReconciliation,
  "safe.deploy": deploySafe,
  "safe.setUpHistory": checkSetUp,
  "safe.check": checkSafe,
  "safe.violations": settleViolations,
  "safe.violation": handOverViolation,
  "delay.relay": relayNext,
  "delay.dispatch": dispatch,
  "order.payment": watchPayment,
  "order.return": carryOutReturn,
  "treasury.move": carryOutMove,
  "treasury.approvals": renewApprovals,
  "issuer.balance": readIssuerMoney,
  "card.issue": issueCard,
  "card.sync": syncIssuerStatus,
  "cardholder.sync": syncCardholder,
  "cardholders.mirror": mirrorCardholders,
  "card.controls": syncIssuerControls,
  "rules.mirror": mirrorRules,
  "card.walletToken": readWalletToken,
  "card.open": openCardEnvelope,
  "card.mail": mailActivated,
  "user.messages": sendMessages,
  "statement.volume": makeVolume,
  "card.supportMail": mailSupportAct,
  "contact.link": sendContactLink,
  "contact.others": reportToOthers,
  "contact.mail": mailContactChange,
  "phone.mail": mailPhoneChange,
  "phone.sms": sendPhoneChange,
  "iban.open": openIban,
  "iban.match": settleIbanOrder,
  "card.settle": settleThread,
  "card.compare": compareThreads,
  "card.callbacks": compareCallbacks,
  "card.transfer": carryOutTransfer,
  "card.collect": collectDebts,
  "card.lateSpends": settleLateSpends,
  "card.dispute": advanceDispute,
  "card.submitDispute": submitNow,
  "card.adoptDispute": adoptDispute,
  "card.disputeMail": mailDispute,
  "card.creditMail": mailCredit,
  "card.openedDisputeMail": mailOpenedDispute,
  "webhook.deliver": deliver,
  "books.announce": announceClose,
  "operator.alert": sendAlerts,
  "webhook.mail": notifyDisabled,
  "balances.check": checkBalances,
  "balance.publish": publishBalance,
  "relay.broadcast": broadcast,
  "relay.confirm": confirm,
  "relayer.retire": retireRelayer,
  "relayer.sweep": sweepRelayer,
};

/** While another service is unavailable, a job is retried after this mean time, however long the outage lasts. */
const unavailableRetryMs = 3_000;
/** The next block frees places in a lane. A lane that closed meanwhile has a substitute. */
const laneRetryMs = 1_000;
/** A database that restarts is back within seconds. */
const databaseRetryMs = 500;
const databaseTriesMax = 20;

/** A delivered event stays delivered after a reorganisation, and who follows the chain guards the commit that notes one itself. */
const isGuarded = (task: Task): boolean => task !== "chain.follow" && catalogue[task].pool !== "strangers";

/** The task list of each of a worker's pools. */
export function createTasks(
  runtime: Runtime,
  { workerId, stopping, ...keys }: WorkerKeys & { workerId: string; stopping: AbortSignal },
): (pool: PoolName) => TaskList {
  const recordSuccess = createSuccessRecord(runtime.db, workerId);
  const runTask = async <T extends Task>(task: T, payload: unknown, job: JobHelpers["job"]): Promise<void> => {
    // The catalogue types what `enqueue` wrote, and no other code adds jobs.
    const given = payload as Jobs[T];
    const { requestId } = given;
    const log = runtime.log.child({ requestId, task, jobId: job.id, attempt: job.attempts });
    const run = async () => {
      // Read for each job: secrets may change.
      const cardKeys = runtime.settings.cardEncryptionKeys;
      const services = { ...runtime.services, ...keys, cardKeys, stopping, settlers };
      const ctx = createContext(services, { log, requestId });
      return verbs[task](isGuarded(task) ? await guardByChain(ctx) : ctx, given);
    };
    try {
      await (runtime.tracing === null || isHousekeeping(task)
        ? run()
        : runtime.tracing.job({ requestId, task, attributes: describeJob(job) }, run));
      if (Object.hasOwn(endlessJobs, task))
        await recordSuccess(task).catch((error: unknown) => log.debug({ err: error }, "a success was not recorded"));
    } catch (error) {
      if (error instanceof LaneFull || error instanceof LaneClosed)
        return await persist(() => enqueue(runtime.db, task, given, jitter(laneRetryMs)));
      if (!isUnavailable(error)) throw error;
      log.warn({ err: error }, "unavailable, trying again");
      await persist(() => enqueue(runtime.db, task, given, jitter(unavailableRetryMs)));
    }
  };
  const createTask =
    (task: Task) =>
    async (payload: unknown, { job, query }: JobHelpers): Promise<void> => {
      try {
        await runTask(task, payload, job);
      } catch (error) {
        // graphile-worker logs the job's own failure, so that error is thrown.
        await query(spreadRetry, [job.id, catalogue[task].pool]).catch((fault: unknown) =>
          runtime.log.debug({ err: fault, jobId: job.id }, "could not spread the next attempt"),
        );
        throw withoutParameters(error);
      }
    };
  return (pool) =>
    Object.fromEntries(
      (Object.keys(verbs) as Task[])
        .filter((task) => catalogue[task].pool === pool)
        .map((task) => [task, createTask(task)]),
    );
}

/** Periodic work that no request waits for. */
const isHousekeeping = (task: Task): boolean => catalogue[task].pool === "chain" && task !== "database.reconcile";

const describeJob = ({ id, attempts, run_at: runAt }: JobHelpers["job"]) => ({
  "cardkeep.job.id": String(id),
  "cardkeep.job.attempt": attempts,
  "cardkeep.job.waited_ms": Math.max(0, Date.now() - runAt.getTime()),
});

/** Retries the write until the database is back. The queue would double the wait after every outage. */
async function persist(write: () => Promise<void>): Promise<void> {
  for (let triesLeft = databaseTriesMax; ; triesLeft--) {
    try {
      return await write();
    } catch (error) {
      if (triesLeft === 1 || !isUnavailable(error)) throw error;
      await Bun.sleep(jitter(databaseRetryMs));
    }
  }
}
