/**
 * Open rows: rows that are not finished, or never end, and so need a job.
 *
 * Each answers the subjects of the jobs and the requests that they go back to.
 */
import { delayMachine } from "@cardkeep/contract/accounts/delays";
import { entryPolicyVersion, violationMachine } from "@cardkeep/contract/accounts/integrity";
import { listFinalStates } from "@cardkeep/contract/core/machine";
import { orderMachine } from "@cardkeep/contract/cards/orders";
import { callbackMsMax, transferMachine } from "@cardkeep/contract/spending/spending";
import { treasuryMoveMachine } from "@cardkeep/contract/treasury/treasuryMoves";
import { type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { jobKeyIn } from "./jobKeyIn.ts";
import { jobsTable } from "./tables.ts";
import { isNoneOf, isOneOf } from "../schema/columns.ts";
import { isBehindAtIssuer, isPersonBehindAtIssuer } from "../schema/cards/cards.ts";
import { isBeingOpened, isUnmatched } from "../schema/users/ibans.ts";
import { deployingStatuses, isSetUpUnread } from "../schema/accounts/safes.ts";
import {
  accountViolations,
  cardDisputes,
  cardEnvelopes,
  cardholders,
  cardIssues,
  cardDebts,
  cardPayments,
  cards,
  checkedBlocks,
  delayTransactions,
  ibanOrders,
  ibans,
  liveTransfers,
  openRelays,
  orderReturns,
  orders,
  paymentHashes,
  reconciliations,
  relayers,
  relaySubjects,
  safes,
  treasuryMoves,
} from "../schema/tables.ts";

/** What open rows depend on besides the rows. `now` is the service's, as the rows' own instants are. */
export interface OpenRowsInput {
  chainId: number;
  now: Date;
}

/** A select of two columns: subject and request. */
export type OpenRows = (input: OpenRowsInput) => SQL;

/** Stands for the request where the chain's housekeeping adds a job, or a row has no request. */
const ofChain = sql`'chain'`;

/** Has to stand before a statement that uses `safesToDeploy`, `safesToRelay` or `delaysToDispatch`: it is read once. */
export const relayedSubjects = sql`relayed_subjects as (
  select ${relaySubjects.subjectId} from ${relaySubjects}
    join ${openRelays} on ${openRelays.relayTransactionId} = ${relaySubjects.relayTransactionId})`;

/** Condition: no transaction of ours is on its way for a row; its own job looks for that one. */
const isNotRelayed = (id: typeof safes.id | typeof delayTransactions.id): SQL =>
  sql`${id} not in (select subject_id from relayed_subjects)`;

/** The chain itself, followed without an end. */
export const theChain: OpenRows = ({ chainId }) => sql`select ${String(chainId)}::text, ${ofChain}`;

export const openReconciliations: OpenRows = () => sql`
  select ${reconciliations.id}, ${reconciliations.requestId} from ${reconciliations} where ${reconciliations.endedAt} is null`;

export const safesToDeploy: OpenRows = () => sql`
  select ${safes.id}, ${safes.requestId} from ${safes}
  where ${isOneOf(safes.status, deployingStatuses)} and ${isNotRelayed(safes.id)}`;

/** Safes of the older way in service of which no release has read whether the set-up was their first transaction. */
export const unreadSetUps: OpenRows = () => sql`
  select ${safes.id}, ${safes.requestId} from ${safes} where ${isSetUpUnread(safes)}
  order by ${safes.id} limit 1000`;

/** Safes with a violation in their queue: one job looks at all of a Safe's. */
export const queuedViolations: OpenRows = () => sql`
  select distinct ${accountViolations.safeId}, ${ofChain} from ${accountViolations}
  where ${isOneOf(accountViolations.status, [violationMachine.initial])}`;

/** The chain whose queue entries were checked by an older policy. */
export const outdatedChecks: OpenRows = () => sql`
  select ${checkedBlocks.chainId}::text, ${ofChain} from ${checkedBlocks}
  where ${checkedBlocks.policyVersion} < ${sql.raw(String(entryPolicyVersion))}`;

/** Safes with an accepted operation, which is relayed together with the others of its Safe. */
export const safesToRelay: OpenRows = () => sql`
  select ${delayTransactions.safeId}, min(${delayTransactions.requestId}) from ${delayTransactions}
  where ${isOneOf(delayTransactions.status, [delayMachine.initial])} and ${isNotRelayed(delayTransactions.id)}
  group by ${delayTransactions.safeId}`;

/** The first operation in the queue of each Safe. Its end adds the job of the one behind it. */
export const delaysToDispatch: OpenRows = () => sql`
  select id, request_id from (
    select distinct on (${delayTransactions.safeId}, ${delayTransactions.delayAddress}) ${delayTransactions.id}, ${delayTransactions.requestId}
    from ${delayTransactions} where ${isOneOf(delayTransactions.status, ["WAITING", "EXECUTING"])}
    order by ${delayTransactions.safeId}, ${delayTransactions.delayAddress}, ${delayTransactions.queueNonce}) head
  where id not in (select subject_id from relayed_subjects)`;

/** Orders whose attached transaction is not proven to pay them. */
export const unprovenPayments: OpenRows = () => sql`
  select ${orders.id}, ${orders.requestId} from ${orders}
    join ${paymentHashes} on ${paymentHashes.orderId} = ${orders.id} and ${paymentHashes.hash} = ${orders.transactionHash}
  where ${isOneOf(orders.status, [orderMachine.initial])} and ${paymentHashes.provenAt} is null`;

/** Returns of order payments that are to be signed. */
export const plannedReturns: OpenRows = () => sql`
  select ${orderReturns.id}, ${orderReturns.requestId} from ${orderReturns}
  where ${orderReturns.signedAt} is null and ${orderReturns.paidAt} is null`;

/** Moves of the treasury that are to be signed or followed. The transaction of a signed one has a job of its own. */
export const openMoves: OpenRows = () => sql`
  select ${treasuryMoves.id}, ${treasuryMoves.requestId} from ${treasuryMoves}
  where ${isNoneOf(treasuryMoves.status, ["DONE", "FAILED"])} and (${isOneOf(treasuryMoves.kind, ["redeem"])}
    or (${isOneOf(treasuryMoves.status, [treasuryMoveMachine.initial])} and ${isNoneOf(treasuryMoves.kind, ["fund"])}))`;

export const openIssues: OpenRows = () => sql`
  select ${cardIssues.id}, ${cardIssues.requestId} from ${cardIssues} where ${isOneOf(cardIssues.status, ["open"])}`;

/** Cards whose state the issuer does not have yet; the oldest thousand, because an outage leaves many. */
export const cardsBehind: OpenRows = () => sql`
  select ${cards.id}, ${cards.requestId} from ${cards} where ${isBehindAtIssuer(cards)}
  order by ${cards.id} limit 1000`;

/**
 * The chain, while the issuer does not have the status of a person without a job: one job syncs all people, at the issuer's
 * rate. A person that the issuer refuses has a job, which is given up at last, and stands in front of no other.
 */
export const cardholdersBehind: OpenRows = ({ chainId }) => sql`
  select ${String(chainId)}::text, ${ofChain} from (select from ${cardholders}
    where (${isPersonBehindAtIssuer(cardholders)}) and (select true from ${jobsTable} own
      where own.key = ${jobKeyIn(sql`'cardholder.sync'::text`, sql`${cardholders.userId}`)}) is null
    order by ${cardholders.userId} limit 1) behind`;

/** Cards whose controls the issuer does not have yet. */
export const cardsToControl: OpenRows = () => sql`
  select ${cards.id}, ${cards.requestId} from ${cards}
  where ${cards.issuerControls} is distinct from ${cards.issuerSyncedControls}
  order by ${cards.id} limit 1000`;

/** Envelopes that neither were opened nor belong to a card that is being made. */
export const unopenedEnvelopes: OpenRows = () => sql`
  select ${cardEnvelopes.id}, ${cardEnvelopes.requestId} from ${cardEnvelopes}
  where ${cardEnvelopes.outcome} is null and ${cardEnvelopes.issueId} is null`;

/** Users whose IBAN is being opened. */
export const openIbans: OpenRows = () => sql`
  select ${ibans.userId}, ${ibans.requestId} from ${ibans} where ${isBeingOpened(ibans)}`;

/** Incoming orders whose mint is not found yet; the oldest thousand, because an outage of the chain leaves many. */
export const unmatchedOrders: OpenRows = () => sql`
  select ${ibanOrders.id}, ${ofChain} from ${ibanOrders} where ${isUnmatched(ibanOrders)}
  order by ${ibanOrders.id} limit 1000`;

/** Planned transfers that wait for no other of their payment. */
export const nextTransfers: OpenRows = () => {
  const earlier = alias(liveTransfers, "earlier");
  return sql`
    select ${liveTransfers.id}, ${liveTransfers.requestId} from ${liveTransfers}
    where ${isOneOf(liveTransfers.status, [transferMachine.initial])} and not exists (select from ${liveTransfers} ${earlier}
      where ${earlier.paymentId} = ${liveTransfers.paymentId} and ${earlier.ordinal} < ${liveTransfers.ordinal}
        and ${isNoneOf(earlier.status, listFinalStates(transferMachine))})`;
};

/** Held payments without news for a day; the oldest thousand, because an outage of the issuer leaves many. */
export const staleAuthorizations: OpenRows = ({ now }) => sql`
  select ${cardPayments.threadId}, ${cardPayments.requestId} from ${cardPayments}
  where ${isOneOf(cardPayments.status, ["AUTHORIZED"])}
    and ${cardPayments.updatedAt} < ${new Date(now.getTime() - callbackMsMax).toISOString()}::timestamptz
  order by ${cardPayments.updatedAt} limit 1000`;

/** Users who owe for card payments. */
export const debtors: OpenRows = () => sql`
  select ${cardDebts.userId}, min(${cardDebts.requestId}) from ${cardDebts} group by ${cardDebts.userId}`;

/** Disputes that are to be taken further, or whose events may be lost. */
export const openDisputes: OpenRows = ({ now }) => sql`
  select ${cardDisputes.id}, ${cardDisputes.requestId} from ${cardDisputes}
  where ${cardDisputes.nextAt} <= ${now.toISOString()}::timestamptz`;

/** Lanes that drain, until none of their transactions is open. */
export const drainingLanes: OpenRows = () => sql`
  select ${relayers.address}, ${ofChain} from ${relayers} where ${isOneOf(relayers.state, ["DRAINING"])}`;

export const openRelayTransactions: OpenRows = () => sql`
  select ${openRelays.relayTransactionId}, ${openRelays.requestId} from ${openRelays}`;
