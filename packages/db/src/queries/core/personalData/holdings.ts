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
import { erasedPayer, type Holding, noName, ofPayments, owned } from "./holding.ts";

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
  owned(userMessages),
  owned(contactChanges, { secret: ["tokenHash"] }),
  owned(events, {
    blank: () => ({ data: {} }),
  }),
  owned(subscriptionMessages),
  owned(subscriptions, {
    blank: () => ({ walletAddress: nativeToken }),
  }),
  owned(signInWallets),
  {
    table: movements,
    of: ({ id }) => sql`${movements.safeId} in (select id from ${safes} where ${safes.userId} = ${id})`,
  },
  owned(statements),
  owned(statementVolumes),
  owned(userTokens, { secret: ["hash"] }),
  owned(kycCallbacks, {
    blank: () => ({ body: {} }),
  }),
  owned(kycApplications),
  owned(kycChecks),
  owned(sourceOfFunds, {
    blank: () => ({ answers: [] }),
  }),
  owned(termsAcceptances),
  owned(cardEnvelopes, {
    secret: ["encryptedKey", "encryptedData", "iv"],
    open: sql`${cardEnvelopes.outcome} is null`,
  }),
  owned(disputeEvidence, { secret: ["sealed"] }),
  owned(cardDisputes, {
    open: isOneOf(cardDisputes.status, openDisputeStatuses),
  }),
  owned(cardCases, {
    // A request to be erased ends with the erasure. Cases to close an IBAN go on without the person.
    open: sql`${isOneOf(cardCases.status, ["OPEN"])} and ${isNoneOf(cardCases.kind, ["erasure_request", "iban_to_close", "iban_of_former_safe"])}`,
    blank: () => ({ words: null }),
  }),
  { table: cardClearings, of: ofPayments(cardClearings.userId, cardClearings.paymentId) },
  { table: cardDecisions, of: ofPayments(cardDecisions.userId, cardDecisions.paymentId) },
  { table: cardTransfers, of: ofPayments(cardTransfers.userId, cardTransfers.paymentId) },
  owned(liveTransfers),
  { table: ledgerEntries, of: ofPayments(ledgerEntries.userId, ledgerEntries.paymentId) },
  owned(cardDebts),
  owned(cardStandIns),
  {
    table: cardThreads,
    of: ({ id }) => sql`${cardThreads.userId} = ${id} and ${cardThreads.threadId} in
      (select thread_id from ${cardPayments} where ${cardPayments.userId} = ${id})`,
  },
  owned(cardControls),
  owned(cardRules),
  owned(cardRuleHits),
  owned(cardPayments, {
    open: sql`(${isOneOf(cardPayments.status, ["REQUESTED", "AUTHORIZED"])} or ${cardPayments.owed} > 0)`,
    blank: () => ({ merchantName: null, merchantCity: null, merchantNetworkId: null }),
  }),
  owned(walletTokens),
  owned(cards, {
    open: isNoneOf(cards.statusCode, endedCardStatuses),
    blank: () => ({ embossedName: null }),
  }),
  owned(cardIssues, {
    secret: ["sealedPin"],
    open: isOneOf(cardIssues.status, ["open"]),
    blank: () => ({ embossedName: null }),
  }),
  owned(cardholders, {
    // Digests of the details: a guess of them could be checked.
    blank: () => ({ issuerDetails: null, issuerSyncedDetails: null, issuerRefusedDetails: null }),
  }),
  owned(oauthStates, { secret: ["sealedVerifier"] }),
  owned(archivedIbans, { blank: () => ({ iban: "erased", bic: null }) }),
  owned(emoneyCallbacks),
  owned(ibanOrders, {
    blank: () => erasedPayer,
  }),
  owned(ibans, {
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
  }),
  owned(couponRedemptions),
  owned(revertedGas),
  owned(orderReturns, {
    open: sql`${orderReturns.paidAt} is null`,
  }),
  owned(orders, {
    open: isNoneOf(orders.status, listFinalStates(orderMachine)),
    blank: () => ({ embossedName: null, address1: null, address2: null, city: null, postalCode: null, state: null }),
  }),
  owned(delayTransactions, {
    open: isNoneOf(delayTransactions.status, listFinalStates(delayMachine)),
  }),
  owned(safes, {
    open: isOneOf(safes.status, deployingStatuses),
  }),
  owned(personKeys, { secret: ["sealedKey"] }),
  owned(identityVersions, { secret: ["sealed"] }),
  owned(restrictedRecords, { secret: ["sealed"] }),
  owned(legalHolds, { isHidden: true }),
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
