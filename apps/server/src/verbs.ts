/** Which verb answers which route. */
import type { Routes } from "@cardkeep/contract/routes";
import { getBalances } from "@cardkeep/domain/balances/balances";
import { getDailyLimit } from "@cardkeep/domain/accounts/getDailyLimit";
import { getDailyLimitData } from "@cardkeep/domain/accounts/getDailyLimitData";
import {
  onchainDailyLimit,
  onchainDailyLimitData,
  setOnchainDailyLimit,
} from "@cardkeep/domain/accounts/onchainDailyLimit";
import { setDailyLimit } from "@cardkeep/domain/accounts/setDailyLimit";
import { withdraw } from "@cardkeep/domain/accounts/withdraw";
import { getWithdrawalData } from "@cardkeep/domain/accounts/getWithdrawalData";
import { verifyChallenge } from "@cardkeep/domain/auth/verifyChallenge";
import { createNonce } from "@cardkeep/domain/auth/createNonce";
import { sendOtp } from "@cardkeep/domain/auth/sendOtp";
import { signUp } from "@cardkeep/domain/auth/signUp";
import { activateOwnCard } from "@cardkeep/domain/cards/activateOwnCard";
import { createVirtualCard } from "@cardkeep/domain/cards/createVirtualCard";
import { markLost, markStolen, voidCard } from "@cardkeep/domain/cards/end";
import { freezeCard, unfreezeCard } from "@cardkeep/domain/cards/freeze";
import { listOwnCards } from "@cardkeep/domain/cards/listOwnCards";
import { getCardKey } from "@cardkeep/domain/cards/publicKey";
import { getCardStatus } from "@cardkeep/domain/cards/getCardStatus";
import { verifyCard } from "@cardkeep/domain/cards/verifyCard";
import { listOwnDelays } from "@cardkeep/domain/delays/listOwnDelays";
import { getIbanAvailability } from "@cardkeep/domain/ibans/getIbanAvailability";
import { createProfile } from "@cardkeep/domain/ibans/createProfile";
import { getIbanDetails } from "@cardkeep/domain/ibans/getIbanDetails";
import { integrateIban } from "@cardkeep/domain/ibans/integrateIban";
import { listOwnIbanOrders } from "@cardkeep/domain/ibans/listOwnIbanOrders";
import { redirectUrl } from "@cardkeep/domain/ibans/redirectUrl";
import { resetIban } from "@cardkeep/domain/ibans/resetIban";
import { signingMessage } from "@cardkeep/domain/ibans/signingMessage";
import { importPartnerApplicant } from "@cardkeep/domain/kyc/importPartnerApplicant";
import { sdkToken, webLink } from "@cardkeep/domain/kyc/integration";
import { addOwner } from "@cardkeep/domain/owners/addOwner";
import { getOwnerAdditionData } from "@cardkeep/domain/owners/getOwnerAdditionData";
import { listOwners } from "@cardkeep/domain/owners/listOwners";
import { removeOwner } from "@cardkeep/domain/owners/removeOwner";
import { getOwnerRemovalData } from "@cardkeep/domain/owners/getOwnerRemovalData";
import { checkPhone } from "@cardkeep/domain/phone/checkPhone";
import { startPhoneCheck } from "@cardkeep/domain/phone/startPhoneCheck";
import { referrals, referrerCode } from "@cardkeep/domain/users/referrals";
import { getCashback } from "@cardkeep/domain/rewards/getCashback";
import { getRewardsSummary } from "@cardkeep/domain/rewards/getRewardsSummary";
import { getSafeConfig } from "@cardkeep/domain/safes/getSafeConfig";
import { createSafe } from "@cardkeep/domain/safes/createSafe";
import { requestDeployment } from "@cardkeep/domain/safes/requestDeployment";
import { deployModules } from "@cardkeep/domain/safes/deployModules";
import { getDeployment } from "@cardkeep/domain/safes/getDeployment";
import { addWallet } from "@cardkeep/domain/signInWallets/addWallet";
import { getMigration } from "@cardkeep/domain/safes/getMigration";
import { resetSafe } from "@cardkeep/domain/safes/resetSafe";
import { setCurrency } from "@cardkeep/domain/safes/setCurrency";
import { signaturePayload } from "@cardkeep/domain/safes/signaturePayload";
import { listWallets } from "@cardkeep/domain/signInWallets/listWallets";
import { removeWallet } from "@cardkeep/domain/signInWallets/removeWallet";
import { answerQuestions } from "@cardkeep/domain/sourceOfFunds/answerQuestions";
import { listQuestions } from "@cardkeep/domain/sourceOfFunds/listQuestions";
import { attachCoupon } from "@cardkeep/domain/orders/attachCoupon";
import { attachTransaction } from "@cardkeep/domain/orders/attachTransaction";
import { cancelOrder } from "@cardkeep/domain/orders/cancel";
import { confirmPayment } from "@cardkeep/domain/orders/confirmPayment";
import { createOrder } from "@cardkeep/domain/orders/createOrder";
import { createCard, createCardOlder } from "@cardkeep/domain/orders/createCard";
import { getOwnOrder } from "@cardkeep/domain/orders/getOwnOrder";
import { listOwnOrders } from "@cardkeep/domain/orders/listOwnOrders";
import { disputePayment } from "@cardkeep/domain/spending/disputePayment";
import { listTransactions } from "@cardkeep/domain/spending/list";
import { listAllTransactions } from "@cardkeep/domain/spending/listAllTransactions";
import { listDisputeReasons } from "@cardkeep/domain/spending/listDisputeReasons";
import { acceptTerms } from "@cardkeep/domain/users/acceptTerms";
import { getMe } from "@cardkeep/domain/users/getMe";
import { listTerms, terms } from "@cardkeep/domain/users/terms";
import { createSubscriptionMessage } from "@cardkeep/domain/webhooks/createSubscriptionMessage";
import { listWebhookKeys, getWebhookKey } from "@cardkeep/domain/webhooks/publicKeys";
import { pullEvents } from "@cardkeep/domain/webhooks/pullEvents";
import { subscribe } from "@cardkeep/domain/webhooks/subscribe";
import { getSubscription, unsubscribe } from "@cardkeep/domain/webhooks/subscription";
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
  transactions: { list: listTransactions, listAll: listAllTransactions, listDisputeReasons, dispute: disputePayment },
  rewards: { summary: getRewardsSummary, cashback: getCashback },
  webhooks: {
    message: createSubscriptionMessage,
    subscribe,
    subscription: getSubscription,
    unsubscribe,
    publicKey: getWebhookKey,
    keys: listWebhookKeys,
  },
  partners: { events: pullEvents },
  signInWallets: { list: listWallets, add: addWallet, remove: removeWallet },
};
