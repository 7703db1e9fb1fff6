/** Every table, for the query builder and for the migrations generated from them. */
export { cardControls } from "./cardControls.ts";
export { walletTokens } from "./walletTokens.ts";
export { cardEnvelopes, cardholders, cardIssues, cards, issuerCallbacks, publishedKeys } from "./cards.ts";
export { codes, nonces } from "./codes.ts";
export { couponRedemptions, coupons } from "./coupons.ts";
export { delayTransactions } from "./delays.ts";
export { deliveries, deliveryAttempts } from "./deliveries.ts";
export { decisionHours, deliveryHours } from "./hours.ts";
export { archivedIbans, emoneyCallbacks, ibanOrders, ibans, oauthStates } from "./ibans.ts";
export { accountViolations, checkedBlocks, queueEntries } from "./integrity.ts";
export { settingKeys } from "./keys.ts";
export { kycApplications, kycCallbacks, kycChecks } from "./kyc.ts";
export { operatorActions, operatorApprovals, operatorChain } from "./operators.ts";
export { operatorSessions, operatorSignIns } from "./operatorSessions.ts";
export { orderReturns, orders, paymentHashes } from "./orders.ts";
export { events } from "./outbox.ts";
export { partnerDomains, partnerKeys, partners } from "./partners.ts";
export { discrepancies, reconciliations } from "./reconciliations.ts";
export {
  chainBlocks,
  chainCursor,
  foreignEntries,
  openRelays,
  relayAttempts,
  relayers,
  relayNonces,
  relaySubjects,
  relayTransactions,
  revertedGas,
} from "./relayers.ts";
export { publishedBalances, safes } from "./safes.ts";
export { chores, clock, idempotencyKeys, rateLimits } from "./service.ts";
export { settlementChanges, settlementFunds } from "./settlementFunds.ts";
export { questionSets, sourceOfFunds } from "./sourceOfFunds.ts";
export { signerReports } from "./signers.ts";
export { cardCases } from "./spending/cases.ts";
export { cardRuleHits, cardRules, cardRuleStamps, cardRuleVersions } from "./spending/cardRules.ts";
export { cardDecisions } from "./spending/decisions.ts";
export { cardDisputes, disputeEvidence } from "./spending/disputes.ts";
export { ledgerEntries } from "./spending/ledger.ts";
export { cardClearings, cardDebts, cardPayments, cardThreads } from "./spending/payments.ts";
export { cardStandIns } from "./spending/standIns.ts";
export { cardTransfers, liveTransfers } from "./spending/transfers.ts";
export { unmatchedThreads } from "./spending/unmatchedThreads.ts";
export { stopSwitches } from "./stops.ts";
export { subscriptionMessages, subscriptions } from "./subscriptions.ts";
export { topUps } from "./topUps.ts";
export { removedSignInWallets, signInWallets, termsAcceptances, termsVersions, users } from "./users.ts";
export { identityVersions, legalHolds, personKeys, restrictedRecords } from "./records.ts";
