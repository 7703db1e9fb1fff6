/** Which verb answers which route. */
import type { Routes } from "@cardkeep/contract/routes";
import { getBalances } from "@cardkeep/domain/balances/getBalances";
import { getDailyLimit } from "@cardkeep/domain/accounts/getDailyLimit";
import { getDailyLimitData, setDailyLimit } from "@cardkeep/domain/accounts/setDailyLimit";
import {
  onchainDailyLimit,
  onchainDailyLimitData,
  setOnchainDailyLimit,
} from "@cardkeep/domain/accounts/onchainDailyLimit";
import { getWithdrawalData, withdraw } from "@cardkeep/domain/accounts/withdraw";
import { createNonce, verifyChallenge } from "@cardkeep/domain/auth/verifyChallenge";
import { sendOtp } from "@cardkeep/domain/auth/sendOtp";
import { signUp } from "@cardkeep/domain/auth/signUp";
import { getControls } from "@cardkeep/domain/cardControls/controls";
import { setControls } from "@cardkeep/domain/cardControls/setControls";
import { activateOwnCard } from "@cardkeep/domain/cards/activateOwnCard";
import { createVirtualCard } from "@cardkeep/domain/cards/startCard";
import { freezeCard, markLost, markStolen, unfreezeCard, voidCard } from "@cardkeep/domain/cards/freezeCard";
import { getCardStatus, listOwnCards } from "@cardkeep/domain/cards/listOwnCards";
import { getCardKey } from "@cardkeep/domain/cards/openEnvelope";
import { verifyCard } from "@cardkeep/domain/cards/verifyCard";
import { listOwnDelays } from "@cardkeep/domain/delays/delayedTransaction";
import {
  getIbanAvailability,
  getIbanDetails,
  listOwnIbanOrders,
  signingMessage,
} from "@cardkeep/domain/ibans/getIbanDetails";
import { createProfile, integrateIban, redirectUrl } from "@cardkeep/domain/ibans/createProfile";
import { resetIban } from "@cardkeep/domain/ibans/resetIban";
import { importPartnerApplicant, sdkToken, webLink } from "@cardkeep/domain/kyc/webLink";
import {
  addOwner,
  getOwnerAdditionData,
  getOwnerRemovalData,
  listOwners,
  removeOwner,
} from "@cardkeep/domain/owners/addOwner";
import { checkPhone } from "@cardkeep/domain/phone/checkPhone";
import { startPhoneCheck } from "@cardkeep/domain/phone/startPhoneCheck";
import { referrals, referrerCode } from "@cardkeep/domain/users/referrals";
import { getCashback, getRewardsSummary } from "@cardkeep/domain/rewards/cashbackTier";
import { getSafeConfig } from "@cardkeep/domain/safes/getSafeConfig";
import { createSafe } from "@cardkeep/domain/safes/createSafe";
import { requestDeployment } from "@cardkeep/domain/safes/requestDeployment";
import { deployModules } from "@cardkeep/domain/safes/deployModules";
import { getDeployment, getMigration } from "@cardkeep/domain/safes/getDeployment";
import { addWallet, listWallets, removeWallet } from "@cardkeep/domain/signInWallets/addWallet";
import { resetSafe } from "@cardkeep/domain/safes/resetSafe";
import { setCurrency } from "@cardkeep/domain/safes/setCurrency";
import { signaturePayload } from "@cardkeep/domain/safes/signaturePayload";
import { answerQuestions, listQuestions } from "@cardkeep/domain/sourceOfFunds/answerQuestions";
import { attachCoupon } from "@cardkeep/domain/orders/attachCoupon";
import { attachTransaction } from "@cardkeep/domain/orders/attachTransaction";
import { cancelOrder } from "@cardkeep/domain/orders/cancelOrder";
import { confirmPayment } from "@cardkeep/domain/orders/confirmPayment";
import { createOrder } from "@cardkeep/domain/orders/createOrder";
import { createCard, createCardOlder } from "@cardkeep/domain/orders/createCard";
import { getOwnOrder, listOwnOrders } from "@cardkeep/domain/orders/order";
import { addEvidence, addEvidenceFile } from "@cardkeep/domain/disputes/addEvidence";
import {
  addPartnerVersion,
  backtestPartnerRule,
  createPartnerRule,
  deletePartnerRule,
  getPartnerRule,
  listPartnerRules,
  setPartnerRuleState,
} from "@cardkeep/domain/ruleChanges/partnerRules";
import { disputePayment, listDisputeReasons } from "@cardkeep/domain/disputes/disputePayment";
import { getDispute } from "@cardkeep/domain/disputes/getDispute";
import { listAllTransactions, listTransactions } from "@cardkeep/domain/spending/listTransactions";
import {
  listOwnWalletTokens,
  removeWalletToken,
  resumeWalletToken,
  suspendWalletToken,
} from "@cardkeep/domain/cards/walletTokens";
import { acceptTerms, listTerms, terms } from "@cardkeep/domain/users/terms";
import { getMe } from "@cardkeep/domain/users/user";
import { createSubscriptionMessage } from "@cardkeep/domain/webhooks/createSubscriptionMessage";
import { getWebhookKey, listWebhookKeys } from "@cardkeep/domain/webhooks/buildDeliveryRequest";
import { pullEvents } from "@cardkeep/domain/webhooks/pullEvents";
import { getSubscription, subscribe, unsubscribe } from "@cardkeep/domain/webhooks/subscribe";
import type { Verbs } from "./operation.ts";

export const verbs: Verbs<Routes> = {
  auth: { nonce: createNonce, sendOtp, challenge: verifyChallenge, signUp },
  users: { me: getMe, terms, acceptTerms, referrerCode, referrals },
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
};
