/** The one table of operations. REST, tRPC, OpenAPI, the client and the reference page are derived from it. */
import type { TRPCBuiltRouter, TRPCDefaultErrorData } from "@trpc/server";
import * as accounts from "./accounts/accounts.ts";
import * as auth from "./users/auth.ts";
import * as limits from "./accounts/dailyLimit.ts";
import * as cardControls from "./cards/cardControls.ts";
import * as cardEnvelopes from "./cards/cardEnvelopes.ts";
import * as cardRules from "./cards/cardRuleRoutes.ts";
import * as cards from "./cards/cardRoutes.ts";
import * as delays from "./accounts/delays.ts";
import * as disputes from "./spending/disputeRoutes.ts";
import type { ErrorCode } from "./core/errorCatalogue.ts";
import * as ibans from "./users/ibanRoutes.ts";
import * as kyc from "./verification/kyc.ts";
import * as orderCards from "./cards/orderCards.ts";
import * as orders from "./cards/orderRoutes.ts";
import * as owners from "./accounts/owners.ts";
import * as phone from "./verification/phone.ts";
import type { ProceduresOf } from "./core/route.ts";
import * as referrals from "./users/referrals.ts";
import * as rewards from "./users/rewards.ts";
import * as safes from "./accounts/safeRoutes.ts";
import * as accountSetUp from "./accounts/accountSetUp.ts";
import * as signInWallets from "./users/signInWallets.ts";
import * as sourceOfFunds from "./verification/sourceOfFunds.ts";
import * as statements from "./spending/statementRoutes.ts";
import * as tokens from "./users/tokens.ts";
import * as transactions from "./spending/spendingRoutes.ts";
import * as walletTokens from "./cards/walletTokens.ts";
import * as messages from "./users/messages.ts";
import * as users from "./users/users.ts";
import * as webhooks from "./partners/webhooks.ts";

export const routes = {
  auth: { nonce: auth.nonce, sendOtp: auth.sendOtp, challenge: auth.challenge, signUp: auth.signUp },
  users: {
    me: users.me,
    terms: users.terms,
    acceptTerms: users.acceptTerms,
    language: messages.getLanguage,
    setLanguage: messages.setLanguage,
    messages: messages.getMessages,
    setMessages: messages.setMessages,
    referrerCode: referrals.referrerCode,
    referrals: referrals.referrals,
  },
  terms: { list: users.listTerms },
  kyc: {
    webLink: kyc.webLink,
    sdkToken: kyc.sdkToken,
    importPartnerApplicant: kyc.importPartnerApplicant,
    questions: sourceOfFunds.questions,
    answer: sourceOfFunds.answer,
  },
  phone: { start: phone.start, check: phone.check },
  safes: {
    deploy: safes.deploy,
    deployment: safes.deployment,
    config: safes.config,
    setCurrency: safes.setCurrency,
    reset: safes.reset,
    migration: safes.migration,
  },
  accounts: {
    create: accountSetUp.create,
    signaturePayload: accountSetUp.signaturePayload,
    deployModules: accountSetUp.deployModules,
    balances: accounts.balances,
    withdrawalData: accounts.withdrawalData,
    withdraw: accounts.withdraw,
    dailyLimit: limits.dailyLimit,
    dailyLimitData: limits.dailyLimitData,
    setDailyLimit: limits.setDailyLimit,
    onchainDailyLimit: limits.onchainDailyLimit,
    onchainDailyLimitData: limits.onchainDailyLimitData,
    setOnchainDailyLimit: limits.setOnchainDailyLimit,
  },
  owners: {
    list: owners.list,
    addData: owners.addData,
    add: owners.add,
    removeData: owners.removeData,
    remove: owners.remove,
  },
  delays: { list: delays.list },
  orders: {
    create: orders.create,
    list: orders.list,
    get: orders.get,
    attachCoupon: orders.attachCoupon,
    attachTransaction: orders.attachTransaction,
    confirmPayment: orders.confirmPayment,
    cancel: orders.cancel,
    createCard: orderCards.createCard,
    createCardOlder: orderCards.createCardOlder,
  },
  cards: {
    list: cards.list,
    status: cards.status,
    createVirtual: cards.createVirtual,
    verify: cardEnvelopes.verify,
    activate: cards.activate,
    freeze: cards.freeze,
    unfreeze: cards.unfreeze,
    markLost: cards.markLost,
    markStolen: cards.markStolen,
    void: cards.voidCard,
    publicKey: cardEnvelopes.publicKey,
    controls: cardControls.controls,
    setControls: cardControls.setControls,
  },
  walletTokens: {
    list: walletTokens.list,
    suspend: walletTokens.suspend,
    resume: walletTokens.resume,
    remove: walletTokens.remove,
  },
  ibans: {
    available: ibans.available,
    signingMessage: ibans.signingMessage,
    createProfile: ibans.createProfile,
    integrate: ibans.integrate,
    details: ibans.details,
    orders: ibans.listOrders,
    redirectUrl: ibans.redirectUrl,
    reset: ibans.reset,
  },
  transactions: {
    list: transactions.list,
    listAll: transactions.listAll,
    listDisputeReasons: transactions.listDisputeReasons,
    dispute: transactions.dispute,
    showDispute: disputes.showDispute,
    addEvidence: disputes.addEvidence,
    addEvidenceFile: disputes.addEvidenceFile,
  },
  rewards: { summary: rewards.summary, cashback: rewards.cashback },
  signInWallets: { list: signInWallets.list, add: signInWallets.add, remove: signInWallets.remove },
  statements: { list: statements.list, get: statements.get },
  tokens: { create: tokens.create, list: tokens.list, remove: tokens.remove, report: tokens.report },
  webhooks: {
    message: webhooks.message,
    subscribe: webhooks.subscribe,
    subscription: webhooks.subscription,
    unsubscribe: webhooks.unsubscribe,
    publicKey: webhooks.publicKey,
    keys: webhooks.keys,
  },
  partners: {
    events: webhooks.pull,
    rules: cardRules.rules,
    createRule: cardRules.createRule,
    rule: cardRules.getRule,
    addRuleVersion: cardRules.addRuleVersion,
    setRuleState: cardRules.setRuleState,
    deleteRule: cardRules.deleteRule,
    backtestRule: cardRules.backtestRule,
  },
} as const;

export type Routes = typeof routes;

/**
 * An error as tRPC carries it: `data.error` is the catalogue's code, `data.httpStatus` its status, `data.help` the path of its
 * place on the reference page.
 */
export interface ErrorShape {
  message: string;
  code: number;
  data: TRPCDefaultErrorData & { details?: Readonly<Record<string, unknown>>; error: ErrorCode; help: string };
}

/** The router's type for a tRPC client; its values on the wire are those of REST. */
export type AppRouter = TRPCBuiltRouter<
  { ctx: object; meta: object; errorShape: ErrorShape; transformer: false },
  ProceduresOf<Routes>
>;
