/**
 * Holdings: the tables with personal data, which of their rows are a user's, and what is erased of rows that are kept.
 *
 * One table, so that a person's rows are found in one place. A higher floor decides which tables are kept and why. A test fails for a table with a user's id and no entry here.
 */
import { endedCardStatuses } from "@cardkeep/contract/cards/cards";
import { delayMachine } from "@cardkeep/contract/accounts/delays";
import { listFinalStates } from "@cardkeep/contract/core/machine";
import { nativeToken } from "@cardkeep/contract/core/primitives";
import { defaultMessageChoices } from "@cardkeep/contract/users/messages";
import { orderMachine } from "@cardkeep/contract/cards/orders";
import { placeholderEmail } from "@cardkeep/contract/users/placeholderEmail";
import { eq, getTableName, inArray, sql } from "drizzle-orm";
import { isNoneOf, isOneOf } from "../../../schema/columns.ts";
import { deployingStatuses } from "../../../schema/accounts/safes.ts";
import { openDisputeStatuses } from "../../../schema/spending/disputes.ts";
import { isBeingOpened } from "../../../schema/users/ibans.ts";
import {
  archivedIbans,
  cardCases,
  cardClearings,
  cardControls,
  cardDebts,
  cardDecisions,
  cardDisputes,
  cardEnvelopes,
  cardholders,
  cardIssues,
  cardPayments,
  cardRuleHits,
  cardRules,
  cards,
  cardStandIns,
  cardThreads,
  cardTransfers,
  codes,
  contactChanges,
  couponRedemptions,
  delayTransactions,
  disputeEvidence,
  emoneyCallbacks,
  events,
  ibanOrders,
  ibans,
  idempotencyKeys,
  identityVersions,
  ledgerEntries,
  liveTransfers,
  kycApplications,
  kycCallbacks,
  kycChecks,
  legalHolds,
  oauthStates,
  movements,
  orderReturns,
  orders,
  personKeys,
  restrictedRecords,
  revertedGas,
  safes,
  signInWallets,
  sourceOfFunds,
  statements,
  statementVolumes,
  subscriptionMessages,
  subscriptions,
  termsAcceptances,
  userMessages,
  users,
  userTokens,
  walletTokens,
} from "../../../schema/tables.ts";
import { erasedPayer, type Holding, noName, ofPayments, ofUser } from "./holding.ts";

/** In the order in which they are erased. */
const held = [
  { table: idempotencyKeys, of: ({ id }) => sql`starts_with(${idempotencyKeys.scope}, ${`${id}:`})` },
  {
    table: codes,
    of: ({ id, email, phone }) => {
      const names = [id, email.toLowerCase(), ...(phone === null ? [] : [phone])];
      return sql`${inArray(codes.subject, names)} or ${inArray(codes.receiver, names)}`;
    },
    secret: ["codeHash"],
  },
  { table: userMessages, of: ofUser(userMessages.userId) },
  { table: contactChanges, of: ofUser(contactChanges.userId), secret: ["tokenHash"] },
  {
    table: events,
    of: ofUser(events.userId),
    blank: () => ({ data: {} }),
  },
  { table: subscriptionMessages, of: ofUser(subscriptionMessages.userId) },
  {
    table: subscriptions,
    of: ofUser(subscriptions.userId),
    blank: () => ({ walletAddress: nativeToken }),
  },
  { table: signInWallets, of: ofUser(signInWallets.userId) },
  {
    table: movements,
    of: ({ id }) => sql`${movements.safeId} in (select id from ${safes} where ${safes.userId} = ${id})`,
  },
  { table: statements, of: ofUser(statements.userId) },
  { table: statementVolumes, of: ofUser(statementVolumes.userId) },
  { table: userTokens, of: ofUser(userTokens.userId), secret: ["hash"] },
  {
    table: kycCallbacks,
    of: ofUser(kycCallbacks.userId),
    blank: () => ({ body: {} }),
  },
  { table: kycApplications, of: ofUser(kycApplications.userId) },
  { table: kycChecks, of: ofUser(kycChecks.userId) },
  {
    table: sourceOfFunds,
    of: ofUser(sourceOfFunds.userId),
    blank: () => ({ answers: [] }),
  },
  { table: termsAcceptances, of: ofUser(termsAcceptances.userId) },
  {
    table: cardEnvelopes,
    of: ofUser(cardEnvelopes.userId),
    secret: ["encryptedKey", "encryptedData", "iv"],
    open: sql`${cardEnvelopes.outcome} is null`,
  },
  { table: disputeEvidence, of: ofUser(disputeEvidence.userId), secret: ["sealed"] },
  {
    table: cardDisputes,
    of: ofUser(cardDisputes.userId),
    open: isOneOf(cardDisputes.status, openDisputeStatuses),
  },
  {
    table: cardCases,
    of: ofUser(cardCases.userId),
    // A request to be erased ends with the erasure. Cases to close an IBAN go on without the person.
    open: sql`${isOneOf(cardCases.status, ["OPEN"])} and ${isNoneOf(cardCases.kind, ["erasure_request", "iban_to_close", "iban_of_former_safe"])}`,
    blank: () => ({ words: null }),
  },
  { table: cardClearings, of: ofPayments(cardClearings.userId, cardClearings.paymentId) },
  { table: cardDecisions, of: ofPayments(cardDecisions.userId, cardDecisions.paymentId) },
  { table: cardTransfers, of: ofPayments(cardTransfers.userId, cardTransfers.paymentId) },
  { table: liveTransfers, of: ofUser(liveTransfers.userId) },
  { table: ledgerEntries, of: ofPayments(ledgerEntries.userId, ledgerEntries.paymentId) },
  { table: cardDebts, of: ofUser(cardDebts.userId) },
  { table: cardStandIns, of: ofUser(cardStandIns.userId) },
  {
    table: cardThreads,
    of: ({ id }) => sql`${cardThreads.userId} = ${id} and ${cardThreads.threadId} in
      (select thread_id from ${cardPayments} where ${cardPayments.userId} = ${id})`,
  },
  { table: cardControls, of: ofUser(cardControls.userId) },
  { table: cardRules, of: ofUser(cardRules.userId) },
  { table: cardRuleHits, of: ofUser(cardRuleHits.userId) },
  {
    table: cardPayments,
    of: ofUser(cardPayments.userId),
    open: sql`(${isOneOf(cardPayments.status, ["REQUESTED", "AUTHORIZED"])} or ${cardPayments.owed} > 0)`,
    blank: () => ({ merchantName: null, merchantCity: null, merchantNetworkId: null }),
  },
  { table: walletTokens, of: ofUser(walletTokens.userId) },
  {
    table: cards,
    of: ofUser(cards.userId),
    open: isNoneOf(cards.statusCode, endedCardStatuses),
    blank: () => ({ embossedName: null }),
  },
  {
    table: cardIssues,
    of: ofUser(cardIssues.userId),
    secret: ["sealedPin"],
    open: isOneOf(cardIssues.status, ["open"]),
    blank: () => ({ embossedName: null }),
  },
  { table: cardholders, of: ofUser(cardholders.userId) },
  { table: oauthStates, of: ofUser(oauthStates.userId), secret: ["sealedVerifier"] },
  { table: archivedIbans, of: ofUser(archivedIbans.userId), blank: () => ({ iban: "erased", bic: null }) },
  { table: emoneyCallbacks, of: ofUser(emoneyCallbacks.userId) },
  {
    table: ibanOrders,
    of: ofUser(ibanOrders.userId),
    blank: () => erasedPayer,
  },
  {
    table: ibans,
    of: ofUser(ibans.userId),
    secret: ["sealedToken"],
    open: sql`(${isBeingOpened(ibans)})`,
    blank: () => ({
      address: null,
      attempt: null,
      linkedProfileId: null,
      iban: null,
      bic: null,
      signature: null,
      sealedToken: null,
      status: "NOTSTARTED",
    }),
  },
  { table: couponRedemptions, of: ofUser(couponRedemptions.userId) },
  { table: revertedGas, of: ofUser(revertedGas.userId) },
  {
    table: orderReturns,
    of: ofUser(orderReturns.userId),
    open: sql`${orderReturns.paidAt} is null`,
  },
  {
    table: orders,
    of: ofUser(orders.userId),
    open: isNoneOf(orders.status, listFinalStates(orderMachine)),
    blank: () => ({ embossedName: null, address1: null, address2: null, city: null, postalCode: null, state: null }),
  },
  {
    table: delayTransactions,
    of: ofUser(delayTransactions.userId),
    open: isNoneOf(delayTransactions.status, listFinalStates(delayMachine)),
  },
  {
    table: safes,
    of: ofUser(safes.userId),
    open: isOneOf(safes.status, deployingStatuses),
  },
  { table: personKeys, of: ofUser(personKeys.userId), secret: ["sealedKey"] },
  { table: identityVersions, of: ofUser(identityVersions.userId), secret: ["sealed"] },
  { table: restrictedRecords, of: ofUser(restrictedRecords.userId), secret: ["sealed"] },
  { table: legalHolds, of: ofUser(legalHolds.userId), isHidden: true },
  {
    table: users,
    of: ({ id }) => eq(users.id, id),
    blank: ({ id, erasedAt }, now) => ({
      erasedAt: erasedAt ?? now,
      email: placeholderEmail(id, "erased"),
      phone: null,
      formerPhone: null,
      contactChangedAt: null,
      contactSettlesAt: null,
      isPhoneValidated: false,
      ...noName,
      birthDate: null,
      address1: null,
      address2: null,
      city: null,
      postalCode: null,
      state: null,
      country: null,
      nationalityCountry: null,
      referralCouponCode: null,
      marketingCampaign: null,
      language: null,
      messageChoices: defaultMessageChoices,
      status: "DEACTIVATED",
    }),
  },
] as const satisfies readonly Holding[];

export type PersonalTableName = (typeof held)[number]["table"]["_"]["name"];

export const holdings: readonly (Holding & { name: PersonalTableName })[] = held.map((holding) => ({
  ...holding,
  name: getTableName(holding.table),
}));
