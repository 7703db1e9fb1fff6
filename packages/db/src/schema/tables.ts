/** Every table, for the query builder and for the migrations generated from them. */
export { backfills } from "./core/backfills.ts";
export {
  bookAccounts,
  bookCloses,
  bookCursors,
  bookDays,
  bookItems,
  bookLines,
  bookPostings,
  bookWitnessEntries,
} from "./books/postings.ts";
export { cardControls } from "./cards/cardControls.ts";
export { walletTokens } from "./cards/walletTokens.ts";
export { cardholders, cardIssues, cards, issuerCallbacks } from "./cards/cards.ts";
export { cardEnvelopes, publishedKeys } from "./cards/envelopes.ts";
export { codes, nonces } from "./core/codes.ts";
export { couponRedemptions, coupons } from "./cards/coupons.ts";
export { delayTransactions } from "./accounts/delays.ts";
export { dayFigures } from "./operations/figures.ts";
export { deliveries, deliveryAttempts } from "./partners/deliveries.ts";
export { decisionHours, deliveryHours } from "./partners/hours.ts";
export { archivedIbans, emoneyCallbacks, ibanOrders, ibans, oauthStates } from "./users/ibans.ts";
export { accountViolations, checkedBlocks, queueEntries } from "./accounts/integrity.ts";
export { movements } from "./accounts/movements.ts";
export { settingKeys } from "./core/keys.ts";
export { kycApplications, kycCallbacks, kycChecks } from "./verification/kyc.ts";
export { operatorActions, operatorAlerts, operatorApprovals, operatorChain } from "./operators/operators.ts";
export { operatorSessions, operatorSignIns } from "./operators/operatorSessions.ts";
export { orderReturns, orders, paymentHashes } from "./cards/orders.ts";
export { events } from "./partners/outbox.ts";
export { partnerDomains, partnerKeys, partners } from "./partners/partners.ts";
export { discrepancies, reconciliations } from "./sync/reconciliations.ts";
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
} from "./chain/relayers.ts";
export { publishedBalances, safes } from "./accounts/safes.ts";
export { chores, clock, idempotencyKeys, rateLimits } from "./core/service.ts";
export { settlementChanges, settlementFunds } from "./chain/settlementFunds.ts";
export { questionSets, sourceOfFunds } from "./verification/sourceOfFunds.ts";
export { signerReports } from "./chain/signers.ts";
export { cardCases } from "./spending/cases.ts";
export { cardRuleHits, cardRules, cardRuleStamps, cardRuleVersions } from "./spending/cardRules.ts";
export { cardDecisions } from "./spending/decisions.ts";
export { cardDisputes, disputeEvidence } from "./spending/disputes.ts";
export { ledgerEntries } from "./spending/ledger.ts";
export { cardClearings, cardDebts, cardPayments, cardThreads } from "./spending/payments.ts";
export { cardStandIns } from "./spending/standIns.ts";
export { cardTransfers, liveTransfers } from "./spending/transfers.ts";
export { unmatchedThreads } from "./spending/unmatchedThreads.ts";
export { stopSwitches } from "./operators/stops.ts";
export { subscriptionMessages, subscriptions } from "./partners/subscriptions.ts";
export { topUps } from "./chain/topUps.ts";
export { referenceRates, statements, statementVolumes } from "./spending/statements.ts";
export { userTokens } from "./users/tokens.ts";
export {
  contactChanges,
  removedSignInWallets,
  signInWallets,
  termsAcceptances,
  termsVersions,
  userMessages,
  users,
} from "./users/users.ts";
export { identityVersions, legalHolds, personKeys, restrictedRecords } from "./users/records.ts";
export { issuerCover, issuerTopUps, treasuryDestinations, treasuryItems, treasuryMoves } from "./treasury/treasury.ts";
