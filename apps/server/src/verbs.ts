/** Which verb answers which route. */
import type { Routes } from "@cardkeep/contract/routes";
import { getBalances } from "@cardkeep/domain/accounts/balances/getBalances";
import { getDailyLimit } from "@cardkeep/domain/accounts/withdrawals/getDailyLimit";
import { getDailyLimitData, setDailyLimit } from "@cardkeep/domain/accounts/withdrawals/setDailyLimit";
import {
  onchainDailyLimit,
  onchainDailyLimitData,
  setOnchainDailyLimit,
} from "@cardkeep/domain/accounts/withdrawals/onchainDailyLimit";
import { getWithdrawalData, withdraw } from "@cardkeep/domain/accounts/withdrawals/withdraw";
import { createNonce, verifyChallenge } from "@cardkeep/domain/users/auth/verifyChallenge";
import { sendOtp } from "@cardkeep/domain/users/auth/sendOtp";
import { signUp } from "@cardkeep/domain/users/auth/signUp";
import { getControls } from "@cardkeep/domain/cards/cardControls/controls";
import { setControls } from "@cardkeep/domain/cards/cardControls/setControls";
import { activateOwnCard } from "@cardkeep/domain/cards/cards/activateOwnCard";
import { createVirtualCard } from "@cardkeep/domain/cards/cards/startCard";
import { freezeCard, markLost, markStolen, unfreezeCard, voidCard } from "@cardkeep/domain/cards/cards/changeOwnCard";
import { getCardStatus, listOwnCards } from "@cardkeep/domain/cards/cards/listOwnCards";
import { getCardKey } from "@cardkeep/domain/cards/cards/openEnvelope";
import { verifyCard } from "@cardkeep/domain/cards/cards/verifyCard";
import { listOwnDelays } from "@cardkeep/domain/accounts/delays/delayedTransaction";
import {
  getIbanAvailability,
  getIbanDetails,
  listOwnIbanOrders,
  signingMessage,
} from "@cardkeep/domain/users/ibans/getIbanDetails";
import { createProfile, integrateIban, redirectUrl } from "@cardkeep/domain/users/ibans/createProfile";
import { resetIban } from "@cardkeep/domain/users/ibans/resetIban";
import { importPartnerApplicant, sdkToken, webLink } from "@cardkeep/domain/verification/kyc/webLink";
import {
  addOwner,
  getOwnerAdditionData,
  getOwnerRemovalData,
  listOwners,
  removeOwner,
} from "@cardkeep/domain/accounts/owners/owners";
import { checkPhone } from "@cardkeep/domain/verification/phone/checkPhone";
import { startPhoneCheck } from "@cardkeep/domain/verification/phone/startPhoneCheck";
import { referrals, referrerCode } from "@cardkeep/domain/users/users/referrals";
import { getCashback, getRewardsSummary } from "@cardkeep/domain/users/rewards/cashbackTier";
import { getSafeConfig } from "@cardkeep/domain/accounts/safes/getSafeConfig";
import { createSafe } from "@cardkeep/domain/accounts/safes/createSafe";
import { requestDeployment } from "@cardkeep/domain/accounts/safes/requestDeployment";
import { deployModules } from "@cardkeep/domain/accounts/safes/deployModules";
import { getDeployment, getMigration } from "@cardkeep/domain/accounts/safes/getDeployment";
import { addWallet, listWallets, removeWallet } from "@cardkeep/domain/users/signInWallets/addWallet";
import { resetSafe } from "@cardkeep/domain/accounts/safes/resetSafe";
import { setCurrency } from "@cardkeep/domain/accounts/safes/setCurrency";
import { signaturePayload } from "@cardkeep/domain/accounts/safes/signaturePayload";
import { answerQuestions, listQuestions } from "@cardkeep/domain/verification/sourceOfFunds/answerQuestions";
import { attachCoupon } from "@cardkeep/domain/cards/orders/attachCoupon";
import { attachTransaction } from "@cardkeep/domain/cards/orders/attachTransaction";
import { cancelOrder } from "@cardkeep/domain/cards/orders/cancelOrder";
import { confirmPayment } from "@cardkeep/domain/cards/orders/confirmPayment";
import { createOrder } from "@cardkeep/domain/cards/orders/createOrder";
import { createCard, createCardOlder } from "@cardkeep/domain/cards/orders/createCard";
import { getOwnOrder, listOwnOrders } from "@cardkeep/domain/cards/orders/order";
import { addEvidence, addEvidenceFile } from "@cardkeep/domain/spending/disputes/addEvidence";
import {
  addPartnerVersion,
  backtestPartnerRule,
  createPartnerRule,
  deletePartnerRule,
  getPartnerRule,
  listPartnerRules,
  setPartnerRuleState,
} from "@cardkeep/domain/cards/ruleChanges/partnerRules";
import { disputePayment, listDisputeReasons } from "@cardkeep/domain/spending/disputes/disputePayment";
import { getDispute } from "@cardkeep/domain/spending/disputes/getDispute";
import { listAllTransactions, listTransactions } from "@cardkeep/domain/spending/payments/listTransactions";
import {
  listOwnWalletTokens,
  removeWalletToken,
  resumeWalletToken,
  suspendWalletToken,
} from "@cardkeep/domain/cards/cards/walletTokens";
import { getMessageChoices, setMessageChoices } from "@cardkeep/domain/users/users/messageChoices";
import { getLanguage, setLanguage } from "@cardkeep/domain/users/users/setLanguage";
import { acceptTerms, listTerms, terms } from "@cardkeep/domain/users/users/terms";
import { createToken, listOwnTokens, reportToken, revokeToken } from "@cardkeep/domain/users/tokens/tokens";
import { getStatement, listStatements } from "@cardkeep/domain/spending/statements/statements";
import { getMe } from "@cardkeep/domain/users/users/user";
import { createSubscriptionMessage } from "@cardkeep/domain/partners/webhooks/createSubscriptionMessage";
import { getWebhookKey, listWebhookKeys } from "@cardkeep/domain/partners/webhooks/buildDeliveryRequest";
import { pullEvents } from "@cardkeep/domain/partners/webhooks/pullEvents";
import { getSubscription, subscribe, unsubscribe } from "@cardkeep/domain/partners/webhooks/subscribe";
import type { Verbs } from "./apiOperation.ts";

export const verbs: Verbs<Routes> = {
  auth: { nonce: createNonce, sendOtp, challenge: verifyChallenge, signUp },
  users: {
    me: getMe,
    terms,
    acceptTerms,
    language: getLanguage,
    setLanguage,
    messages: getMessageChoices,
    setMessages: setMessageChoices,
    referrerCode,
    referrals,
  },
  terms: { list: listTerms },
  kyc: { webLink, sdkToken, importPartnerApplicant, questions: listQuestions, answer: answerQuestions },
  phone: { start: startPhoneCheck, check: checkPhone },
  safes: {
    deploy: requestDeployment,
    deployment: getDeployment,
    config: getSafeConfig,
    setCurrency,
    reset: resetSafe,
    migration: getMigration,
  },
  accounts: {
    create: createSafe,
    signaturePayload,
    deployModules,
    balances: getBalances,
    withdrawalData: getWithdrawalData,
    withdraw,
    dailyLimit: getDailyLimit,
    dailyLimitData: getDailyLimitData,
    setDailyLimit,
    onchainDailyLimit,
    onchainDailyLimitData,
    setOnchainDailyLimit,
  },
  owners: {
    list: listOwners,
    addData: getOwnerAdditionData,
    add: addOwner,
    removeData: getOwnerRemovalData,
    remove: removeOwner,
  },
  delays: { list: listOwnDelays },
  orders: {
    create: createOrder,
    list: listOwnOrders,
    get: getOwnOrder,
    attachCoupon,
    attachTransaction,
    confirmPayment,
    cancel: cancelOrder,
    createCard,
    createCardOlder,
  },
  cards: {
    list: listOwnCards,
    status: getCardStatus,
    createVirtual: createVirtualCard,
    verify: verifyCard,
    activate: activateOwnCard,
    freeze: freezeCard,
    unfreeze: unfreezeCard,
    markLost,
    markStolen,
    void: voidCard,
    publicKey: getCardKey,
    controls: getControls,
    setControls,
  },
  walletTokens: {
    list: listOwnWalletTokens,
    suspend: suspendWalletToken,
    resume: resumeWalletToken,
    remove: removeWalletToken,
  },
  ibans: {
    available: getIbanAvailability,
    signingMessage,
    createProfile,
    integrate: integrateIban,
    details: getIbanDetails,
    orders: listOwnIbanOrders,
    redirectUrl,
    reset: resetIban,
  },
  transactions: {
    list: listTransactions,
    listAll: listAllTransactions,
    listDisputeReasons,
    dispute: disputePayment,
    showDispute: getDispute,
    addEvidence,
    addEvidenceFile,
  },
  rewards: { summary: getRewardsSummary, cashback: getCashback },
  webhooks: {
    message: createSubscriptionMessage,
    subscribe,
    subscription: getSubscription,
    unsubscribe,
    publicKey: getWebhookKey,
    keys: listWebhookKeys,
  },
  partners: {
    events: pullEvents,
    rules: listPartnerRules,
    createRule: createPartnerRule,
    rule: getPartnerRule,
    addRuleVersion: addPartnerVersion,
    setRuleState: setPartnerRuleState,
    deleteRule: deletePartnerRule,
    backtestRule: backtestPartnerRule,
  },
  signInWallets: { list: listWallets, add: addWallet, remove: removeWallet },
  statements: { list: listStatements, get: getStatement },
  tokens: { create: createToken, list: listOwnTokens, remove: revokeToken, report: reportToken },
};
