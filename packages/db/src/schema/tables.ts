/** Every table, for the query builder and for the migrations generated from them. */
export { cardEnvelopes, cardholders, cardIssues, cards, issuerCallbacks, publishedKeys } from "./cards.ts";
export { codes, nonces } from "./codes.ts";
export { couponRedemptions, coupons } from "./coupons.ts";
export { emoneyCallbacks, ibanOrders, ibans, oauthStates } from "./ibans.ts";
export { accountViolations, checkedBlocks, queueEntries } from "./integrity.ts";
export { kycApplications, kycCallbacks } from "./kyc.ts";
export { rateLimits } from "./limits.ts";
export { orders, paymentHashes } from "./orders.ts";
export { partners } from "./partners.ts";
export {
  chainBlocks,
  chainCursor,
  foreignEntries,
  relayAttempts,
  relayers,
  relaySubjects,
  relayTransactions,
} from "./relayers.ts";
export { delayTransactions, safes, publishedBalances } from "./safes.ts";
export {
  inboxAttempts,
  inboxes,
  emoneyRecords,
  issuerObjects,
  issuerReplies,
  kycApplicants,
  messages,
  sandbox,
} from "./sandbox.ts";
export { settlementChanges, settlementFunds } from "./settlementFunds.ts";
export { chores, clock, events, idempotencyKeys } from "./service.ts";
export { cardClearings, cardDisputes, cardPayments, cardTransfers, ledgerEntries } from "./spending.ts";
export { unmatchedThreads } from "./unmatchedThreads.ts";
export { questionSets, sourceOfFunds } from "./sourceOfFunds.ts";
export { removedSignInWallets, signInWallets, termsAcceptances, users } from "./users.ts";
export {
  deliveries,
  deliveryAttempts,
  partnerDomains,
  partnerKeys,
  subscriptionMessages,
  subscriptions,
} from "./webhooks.ts";
