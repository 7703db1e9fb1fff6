/**
 * The queue's catalogue: every task, what its jobs carry, and which rows need one.
 *
 * - job: a row of the queue. - task: the code that runs it. - subject: the row that a job works on.
 * - payload: what a job carries, ids only: its subject, and the request that caused it.
 * - job key: names a job, so that adding it again moves it instead of doubling it.
 */
import { keysOf } from "@cardkeep/contract/core/keysOf";
import { type SQL, sql } from "drizzle-orm";
import { jobKeyIn } from "./jobKeyIn.ts";
import {
  cardholdersBehind,
  cardsBehind,
  cardsToControl,
  debtors,
  delaysToDispatch,
  drainingLanes,
  nextTransfers,
  openDisputes,
  openIbans,
  openIssues,
  openMoves,
  openReconciliations,
  openRelayTransactions,
  type OpenRows,
  outdatedChecks,
  plannedReturns,
  queuedViolations,
  safesToDeploy,
  safesToRelay,
  staleAuthorizations,
  theChain,
  unopenedEnvelopes,
  unmatchedOrders,
  unprovenPayments,
  unreadSetUps,
} from "./openRows.ts";

/**
 * Which queue the jobs of a task run in. Jobs of one queue run one after the other.
 *
 * - none: no queue, jobs run side by side. - perSubject: one queue for each subject.
 * - shared: one of 32 queues by the hash of the subject. A fetch of a job looks at every queue that ever was, so there
 *   must not be one per user; but more than there are jobs at a time.
 */
type QueueKind = "none" | "perSubject" | "shared";

/**
 * Which jobs a worker runs beside which others. Each pool has slots of its own, so the backlog of one delays no other.
 *
 * - chain: one job of each task for the whole service; there is a slot for each. - relay: what becomes a transaction.
 * - standing: who and what may pay at the issuer. - bulk: one act may add a job for everybody. - strangers: waits
 * for foreign endpoints. - own: everything else.
 */
export type PoolName = "chain" | "relay" | "standing" | "own" | "bulk" | "strangers";

interface Definition<S extends string> {
  /** Field of the payload that names the job's subject. */
  readonly subject: S;
  readonly queue: QueueKind;
  readonly pool: PoolName;
  /** After so many failures a job is left for the operator; one of the pool `chain` never is. */
  readonly attemptsMax: number;
  /** The rows that need a job of this task; null where a lost job is found otherwise, or is no loss. */
  readonly openRows: OpenRows | null;
}

const define = <const S extends string>(
  subject: S,
  options: Partial<Omit<Definition<S>, "subject">> = {},
): Definition<S> => ({ subject, queue: "none", pool: "own", attemptsMax: 25, openRows: null, ...options });

const definitions = {
  /** Follows the head of the chain, always again. */
  "chain.follow": define("chainId", { pool: "chain", openRows: theChain }),
  /** Compares the queues on chain with the rows, each minute again. */
  "chain.reconcile": define("chainId", { pool: "chain", openRows: theChain }),
  /** Checks the queue entries again that an older policy checked. */
  "chain.checkSafes": define("chainId", { pool: "chain", openRows: outdatedChecks }),
  /** Compares the ledger's settlement balance with the chain's, every 15 s again. */
  "chain.funds": define("chainId", { pool: "chain", openRows: theChain }),
  /** Compares the nonces of the sender keys with the chain's, each half minute again. */
  "chain.nonces": define("chainId", { pool: "chain", openRows: theChain }),
  /** Tops up the keys that pay for transactions, every 15 s again. */
  "chain.topUps": define("chainId", { pool: "chain", openRows: theChain }),
  /** Carries one reconciliation out: asks chain and partners for what no row knows. */
  "database.reconcile": define("reconciliationId", { pool: "chain", openRows: openReconciliations }),
  /** Deploys and sets up one Safe. */
  "safe.deploy": define("safeId", { pool: "relay", openRows: safesToDeploy }),
  /** Reads once whether the set-up of one Safe was its first transaction, where a release before did not. */
  "safe.setUpHistory": define("safeId", { openRows: unreadSetUps }),
  /** Checks the queue entries of one Safe that the follower of the chain did not see. */
  "safe.check": define("safeId"),
  /** Finds out how the violations in one Safe's queue end, and skips expired entries of any kind. */
  "safe.violations": define("safeId", { openRows: queuedViolations }),
  /** Hands a job of release 1.1.0, which had one for each violation, over to the one of its Safe. */
  "safe.violation": define("violationId"),
  /** Signs the enqueue of the oldest accepted operation of one Safe. */
  "delay.relay": define("safeId", { pool: "relay", openRows: safesToRelay }),
  /** Executes, waits for or gives up one queued operation. */
  "delay.dispatch": define("delayId", { pool: "relay", openRows: delaysToDispatch }),
  /** Looks at the transaction that is to pay one order. */
  "order.payment": define("orderId", { openRows: unprovenPayments }),
  /** Signs the return of one order's payment. */
  "order.return": define("returnId", { pool: "relay", openRows: plannedReturns }),
  /** Takes one move of the treasury further. */
  "treasury.move": define("moveId", { pool: "relay", openRows: openMoves }),
  /** Renews what the spender may return, every 15 s again. */
  "treasury.approvals": define("chainId", { pool: "chain", openRows: theChain }),
  /** Reads the operator's balance and top-ups at the issuer, each minute again. */
  "issuer.balance": define("chainId", { pool: "chain", openRows: theChain }),
  /** Makes one card at the issuer. */
  "card.issue": define("issueId", { queue: "shared", openRows: openIssues }),
  /** Syncs the status of one card with the issuer. */
  "card.sync": define("cardId", { pool: "standing", queue: "shared", openRows: cardsBehind }),
  /** Syncs the controls of one card with the issuer. */
  "card.controls": define("cardId", { pool: "bulk", queue: "shared", openRows: cardsToControl }),
  /** Syncs the status of one person with the issuer. `cardholders.mirror` finds a person without a job. */
  "cardholder.sync": define("userId", { pool: "standing", queue: "shared" }),
  /** Syncs the status of every person with the issuer, at the issuer's rate. */
  "cardholders.mirror": define("chainId", { pool: "standing", queue: "shared", openRows: cardholdersBehind }),
  /** Finds the cards whose controls a change of shared rules changes: of everybody, or of one partner's users. */
  "rules.mirror": define("subject", { pool: "bulk", queue: "shared" }),
  /** Reads one wallet token from the issuer. A lost job is no loss: the issuer reports its next change. */
  "card.walletToken": define("walletTokenId"),
  /** Opens one envelope that a client encrypted for the worker. */
  "card.open": define("envelopeId", { openRows: unopenedEnvelopes }),
  /** Mails a user that one card was activated. */
  "card.mail": define("cardId"),
  /** Sends one user the messages that wait. A chore finds a person whose job was lost. */
  "user.messages": define("userId", { pool: "bulk" }),
  /** Makes one volume of a month's statement. A chore, or a request for the month, adds a lost job. */
  "statement.volume": define("statementId", { pool: "bulk", queue: "shared" }),
  /** Mails a user what support did to one card. */
  "card.supportMail": define("cardId"),
  /** Sends the link of one change of a contact. */
  "contact.link": define("changeId"),
  /** Reports to a user's other contacts that a change was asked for. */
  "contact.others": define("changeId"),
  /** Mails the former address that it was replaced. */
  "contact.mail": define("changeId"),
  /** Mails a user that the phone number was changed. */
  "phone.mail": define("userId"),
  /** Sends the same to the former number. */
  "phone.sms": define("userId"),
  /** Opens one user's IBAN at the e-money institution: profile, address, IBAN. */
  "iban.open": define("userId", { queue: "shared", openRows: openIbans }),
  /** Finds the mint on chain of one incoming order of the e-money institution. */
  "iban.match": define("orderId", { openRows: unmatchedOrders }),
  /** Settles one thread of card money by the issuer's record of it. */
  "card.settle": define("threadId", { openRows: staleAuthorizations }),
  /** Asks the issuer for payments without a row, once an hour. */
  "card.compare": define("chainId", { pool: "chain", openRows: theChain }),
  /** Asks the issuer for callbacks about cards, people and wallet tokens that never came, once an hour. */
  "card.callbacks": define("chainId", { pool: "chain", openRows: theChain }),
  /** Signs the chain's side of one transfer of card money. */
  "card.transfer": define("transferId", { pool: "relay", openRows: nextTransfers }),
  /** Collects what one user owes for card payments, again and again until nothing is owed. */
  "card.collect": define("userId", { openRows: debtors }),
  /** Completes the failed spends of one Safe that ran after all, after a transfer that no row names. */
  "card.lateSpends": define("safeId"),
  /** Takes one dispute further by the issuer's record of it. */
  "card.dispute": define("disputeId", { openRows: openDisputes }),
  /** Submits one dispute for an operator, complete or not. */
  "card.submitDispute": define("disputeId"),
  /** Finds the payment of a dispute that was made at the issuer. */
  "card.adoptDispute": define("issuerDisputeId"),
  /** Mails a user what became of one dispute. */
  "card.disputeMail": define("disputeId"),
  /** Mails a user that the money of one reported payment was returned, or is collected again. */
  "card.creditMail": define("disputeId"),
  /** Mails a user that support opened one dispute. */
  "card.openedDisputeMail": define("disputeId"),
  /** Sends what is due to one partner's endpoint. */
  "webhook.deliver": define("partnerId", { pool: "strangers", queue: "perSubject" }),
  /** Sends the operators' alerts one way: by the webhook, or by mail. */
  "operator.alert": define("way", { pool: "strangers", queue: "perSubject" }),
  /** Sends the newest close of the books to one partner that asked for all events. */
  "books.announce": define("partnerId", { pool: "strangers", queue: "perSubject" }),
  /** Mails a partner that its endpoint was disabled. */
  "webhook.mail": define("partnerId"),
  /** Has every published balance checked, after blocks whose transfers cannot be listed. */
  "balances.check": define("chainId", { pool: "bulk", queue: "shared" }),
  /** Publishes one Safe's balance, if it changed. */
  "balance.publish": define("safeId", { pool: "bulk", queue: "shared" }),
  /** Broadcasts one relay transaction until it is mined. */
  "relay.broadcast": define("relayTransactionId", { pool: "relay" }),
  /** Looks for the receipt of one relay transaction. */
  "relay.confirm": define("relayTransactionId", { pool: "relay", openRows: openRelayTransactions }),
  /** Retires one draining lane once none of its transactions is open. */
  "relayer.retire": define("relayer", { pool: "relay", openRows: drainingLanes }),
  /** Sends the funds of one retired lane to the treasury. */
  "relayer.sweep": define("relayer", { pool: "relay" }),
};

export type Task = keyof typeof definitions;

type Subject<T extends Task> = (typeof definitions)[T]["subject"];

/**
 * Every task and the payload of its jobs. A job that comes again and again may know since when it has to look (ISO 8601),
 * or after which row.
 */
export type Jobs = {
  readonly [T in Task]: Record<Subject<T>, string> & { requestId: string; since?: string; after?: string };
};

/** Every task and what is to be known of it to add a job. */
export const catalogue: { readonly [T in Task]: Definition<Subject<T>> } = definitions;

/** The tasks whose job adds itself again, always. */
export const endlessTasks: readonly Task[] = keysOf(definitions).filter(
  (task) => definitions[task].openRows === theChain,
);

/** The key under which a job for one subject exists at most once while it waits. */
export const jobKeyOf = (task: Task, subjectId: string): string => `${task}:${subjectId}`;

/** Name of the queue of a task's job for one subject, in SQL; null where it has none. */
export function queueNameIn(task: Task, subject: SQL): SQL {
  const { queue } = catalogue[task];
  const name = sql`${task}::text`;
  if (queue === "perSubject") return jobKeyIn(name, subject);
  return queue === "shared" ? sql`${name} || ':' || (hashtextextended(${subject}, 0) & 31)` : sql`null::text`;
}
