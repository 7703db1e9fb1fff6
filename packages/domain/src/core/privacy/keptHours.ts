/** Retention and erasure: how long rows are kept, and why some stay when their user is erased. */
import { disputeDaysMax } from "@cardkeep/contract/spending/disputes";
import { tokensKeptDays } from "@cardkeep/contract/users/tokens";
import type { KeptReasons } from "@cardkeep/db/queries/core/personalData/personalData";
import type { RetainedTableName } from "@cardkeep/db/queries/core/retention";

const dayHours = 24;
/** Partners can look up, pull or resend a delivery this long. */
const deliveriesKeptHours = 30 * dayHours;
/** A partner repeats a callback for days. A later one is too old to be accepted. */
const callbacksKeptHours = 30 * dayHours;
/** The operator's pages compare days and weeks. Counts name no person. */
const countsKeptHours = 31 * dayHours;

/** Operators can look up who was signed in. Actions name the person themselves. */
const sessionsKeptHours = 30 * dayHours;

/** A rule in SHADOW is compared over a quarter. */
const ruleHitsKeptHours = 92 * dayHours;
/** A user sees which tokens ended, and which were reported. */
const tokensKeptHours = tokensKeptDays * dayHours;
/** Evidence may be given until a dispute can no longer be submitted. */
const evidenceKeptHours = (disputeDaysMax + 10) * dayHours;

/** Support can look up who asked for a change, and how it ended. */
const contactChangesKeptHours = 30 * dayHours;

/** Hours that rows of a table are kept, from the instant of the row that `retainedTables` names. */
export const keptHours: Readonly<Record<RetainedTableName, number>> = {
  nonces: 1,
  codes: 1,
  contact_changes: contactChangesKeptHours,
  card_envelopes: 1,
  subscription_messages: 1,
  oauth_states: 0,
  operator_sign_ins: 0,
  operator_sessions: sessionsKeptHours,
  rate_limits: 0,
  reverted_gas: countsKeptHours,
  idempotency_keys: dayHours,
  delivery_attempts: deliveriesKeptHours,
  deliveries: deliveriesKeptHours,
  events: deliveriesKeptHours,
  decision_hours: countsKeptHours,
  delivery_hours: countsKeptHours,
  issuer_callbacks: callbacksKeptHours,
  unmatched_threads: callbacksKeptHours,
  live_transfers: 1,
  dispute_evidence: evidenceKeptHours,
  emoney_callbacks: callbacksKeptHours,
  card_rule_hits: ruleHitsKeptHours,
  user_tokens: tokensKeptHours,
  restricted_records: 0,
  identity_versions: 0,
  person_keys: 0,
};

/** Why rows of a table are kept when their user is erased; null where they are deleted. */
export const keptReasons: KeptReasons = {
  card_controls: null,
  idempotency_keys: null,
  codes: null,
  user_messages: null,
  contact_changes: null,
  events: "The event's type and time, without its content: a partner's sequence has no gaps",
  subscription_messages: null,
  reverted_gas: null,
  subscriptions: "Shows which partner received events, without the wallet that signed for it; it receives no more",
  sign_in_wallets: null,
  user_tokens: null,
  movements: "Transfers on chain, where they stay public",
  statements: null,
  statement_volumes: null,
  kyc_callbacks: "Recognizes a callback that arrives again",
  kyc_applications: "Names the file that the identity provider keeps by the law against money laundering",
  kyc_checks: null,
  source_of_funds: "The result of the answers, by the law against money laundering",
  terms_acceptances: "Proof of which terms were accepted",
  card_envelopes: null,
  dispute_evidence: null,
  card_disputes: "What was disputed with a merchant, by the law of accounting",
  card_cases: "What an operator settled by hand, without the person's words, by the law of accounting",
  card_clearings: "Captures and refunds, by the law of accounting",
  card_decisions: "Approvals and declines of a payment, by the law of accounting",
  card_transfers: "What was sent to the chain, where it stays public",
  live_transfers: "Repeats a transfer while it is open, and for an hour or the cooldown after",
  ledger_entries: "The books, by the law of accounting",
  card_debts: "A debt that is still to be paid",
  card_stand_ins: "Shows that the issuer decided a payment that is in the books",
  card_threads: "Names the payment of the issuer's thread, so that it is never booked twice",
  card_rules: null,
  card_rule_hits: "Shows why a payment was declined; deleted after 92 days",
  card_payments: "A payment's amount, date and category, by the law of accounting",
  wallet_tokens: null,
  cards: "Payments were made with it and are in the books",
  card_issues: "Shows that no card was made twice",
  cardholders: "Names the file that the card issuer keeps by its own law",
  oauth_states: null,
  archived_ibans: "The account and profile that an IBAN still pays into, without the IBAN: such money is a case",
  emoney_callbacks: "Recognizes a callback that arrives again; holds nothing else",
  iban_orders: "An amount that came or went by an IBAN, and its date, by the law of accounting",
  ibans: "Names the file that the e-money institution keeps by the law against money laundering",
  coupon_redemptions: "Counts what a coupon gave away",
  orders: "An invoice's amount, date and country, by the law of accounting",
  order_returns: "What was returned of an invoice, by the law of accounting",
  delay_transactions: "What was sent to the chain, where it stays public",
  safes: "The account stays on chain with its owner; the service has to know what it watches there",
  person_keys: "Opens what the law keeps of the person; destroyed with the last of it",
  identity_versions: "What was verified, sealed, by the law against money laundering",
  restricted_records: "What the law keeps, sealed, until the date of its class",
  legal_holds: "Shows who demanded that nothing be deleted",
  users: "Rows that are kept elsewhere refer to it",
};
