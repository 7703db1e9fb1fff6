/** Which verb answers which route. */
import type { Routes } from "@cardkeep/contract/routes";
import { getBalances } from "@cardkeep/domain/balances/balances";
import { getDailyLimit } from "@cardkeep/domain/accounts/dailyLimit";
import { getDailyLimitData } from "@cardkeep/domain/accounts/dailyLimitData";
import {
  onchainDailyLimit,
  onchainDailyLimitData,
  setOnchainDailyLimit,
} from "@cardkeep/domain/accounts/onchainDailyLimit";
import { setDailyLimit } from "@cardkeep/domain/accounts/setDailyLimit";
import { withdraw } from "@cardkeep/domain/accounts/withdraw";
import { getWithdrawalData } from "@cardkeep/domain/accounts/withdrawalData";
import { verifyChallenge } from "@cardkeep/domain/auth/challenge";
import { createNonce } from "@cardkeep/domain/auth/nonce";
import { sendOtp } from "@cardkeep/domain/auth/sendOtp";
import { signUp } from "@cardkeep/domain/auth/signUp";
import { activateOwnCard } from "@cardkeep/domain/cards/activate";
import { createVirtualCard } from "@cardkeep/domain/cards/createVirtual";
import { markLost, markStolen, voidCard } from "@cardkeep/domain/cards/end";
import { freezeCard, unfreezeCard } from "@cardkeep/domain/cards/freeze";
import { listOwnCards as listCards } from "@cardkeep/domain/cards/list";
import { getCardKey } from "@cardkeep/domain/cards/publicKey";
import { getCardStatus as cardStatus } from "@cardkeep/domain/cards/status";
import { verifyCard } from "@cardkeep/domain/cards/verify";
import { listOwnDelays as listDelays } from "@cardkeep/domain/delays/list";
import { getIbanAvailability } from "@cardkeep/domain/ibans/available";
import { createProfile } from "@cardkeep/domain/ibans/createProfile";
import { getIbanDetails } from "@cardkeep/domain/ibans/details";
import { integrateIban } from "@cardkeep/domain/ibans/integrate";
import { listOwnIbanOrders as listIbanOrders } from "@cardkeep/domain/ibans/listOrders";
import { redirectUrl } from "@cardkeep/domain/ibans/redirectUrl";
import { resetIban as resetIban } from "@cardkeep/domain/ibans/reset";
import { signingMessage } from "@cardkeep/domain/ibans/signingMessage";
import { importPartnerApplicant } from "@cardkeep/domain/kyc/importPartnerApplicant";
import { sdkToken, webLink } from "@cardkeep/domain/kyc/integration";
import { addOwner as addOwner } from "@cardkeep/domain/owners/add";
import { getOwnerAdditionData } from "@cardkeep/domain/owners/addData";
import { listOwners as listOwners } from "@cardkeep/domain/owners/list";
import { removeOwner as removeOwner } from "@cardkeep/domain/owners/remove";
import { getOwnerRemovalData } from "@cardkeep/domain/owners/removeData";
import { checkPhone as checkPhone } from "@cardkeep/domain/phone/check";
import { startPhoneCheck as startPhone } from "@cardkeep/domain/phone/start";
import { referrals, referrerCode } from "@cardkeep/domain/users/referrals";
import { getCashback } from "@cardkeep/domain/rewards/cashback";
import { getRewardsSummary } from "@cardkeep/domain/rewards/summary";
import { getSafeConfig } from "@cardkeep/domain/safes/config";
import { createSafe } from "@cardkeep/domain/safes/create";
import { requestDeployment } from "@cardkeep/domain/safes/deploy";
import { deployModules } from "@cardkeep/domain/safes/deployModules";
import { getDeployment } from "@cardkeep/domain/safes/deployment";
import { addWallet as addSignInWallet } from "@cardkeep/domain/signInWallets/add";
import { getMigration } from "@cardkeep/domain/safes/migration";
import { resetSafe } from "@cardkeep/domain/safes/reset";
import { setCurrency } from "@cardkeep/domain/safes/setCurrency";
import { signaturePayload } from "@cardkeep/domain/safes/signaturePayload";
import { listWallets as listSignInWallets } from "@cardkeep/domain/signInWallets/list";
import { removeWallet as removeSignInWallet } from "@cardkeep/domain/signInWallets/remove";
import { answerQuestions } from "@cardkeep/domain/sourceOfFunds/answer";
import { listQuestions } from "@cardkeep/domain/sourceOfFunds/questions";
import { attachCoupon } from "@cardkeep/domain/orders/attachCoupon";
import { attachTransaction } from "@cardkeep/domain/orders/attachTransaction";
import { cancelOrder as cancelOrder } from "@cardkeep/domain/orders/cancel";
import { confirmPayment } from "@cardkeep/domain/orders/confirmPayment";
import { createOrder as createOrder } from "@cardkeep/domain/orders/create";
import { createCard, createCardOlder } from "@cardkeep/domain/orders/createCard";
import { getOwnOrder as getOrder } from "@cardkeep/domain/orders/get";
import { listOwnOrders as listOrders } from "@cardkeep/domain/orders/list";
import { disputePayment } from "@cardkeep/domain/spending/dispute";
import { listTransactions as listTransactions } from "@cardkeep/domain/spending/list";
import { listAllTransactions } from "@cardkeep/domain/spending/listAll";
import { listDisputeReasons } from "@cardkeep/domain/spending/listDisputeReasons";
import { acceptTerms } from "@cardkeep/domain/users/acceptTerms";
import { getMe } from "@cardkeep/domain/users/me";
import { listTerms, terms } from "@cardkeep/domain/users/terms";
import { createSubscriptionMessage } from "@cardkeep/domain/webhooks/message";
import { listWebhookKeys, getWebhookKey as webhookPublicKey } from "@cardkeep/domain/webhooks/publicKeys";
import { pullEvents } from "@cardkeep/domain/webhooks/pull";
import { subscribe } from "@cardkeep/domain/webhooks/subscribe";
import { getSubscription, unsubscribe } from "@cardkeep/domain/webhooks/subscription";
import type { Verbs } from "./operation.ts";

export const verbs: Verbs<Routes> = {
  auth: { nonce: createNonce, sendOtp, challenge: verifyChallenge, signUp },
  users: { me: getMe, terms, acceptTerms, referrerCode, referrals },
  terms: { list: listTerms },
  kyc: { webLink, sdkToken, importPartnerApplicant, questions: listQuestions, answer: answerQuestions },
  phone: { start: startPhone, check: checkPhone },
  safes: { deploy: requestDeployment, deployment: getDeployment, config: getSafeConfig, setCurrency, reset: resetSafe, migration: getMigration },
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
  owners: { list: listOwners, addData: getOwnerAdditionData, add: addOwner, removeData: getOwnerRemovalData, remove: removeOwner },
  delays: { list: listDelays },
  orders: {
    create: createOrder,
    list: listOrders,
    get: getOrder,
    attachCoupon,
    attachTransaction,
    confirmPayment,
    cancel: cancelOrder,
    createCard,
    createCardOlder,
  },
  cards: {
    list: listCards,
    status: cardStatus,
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
    orders: listIbanOrders,
    redirectUrl,
    reset: resetIban,
  },
  transactions: { list: listTransactions, listAll: listAllTransactions, listDisputeReasons, dispute: disputePayment },
  rewards: { summary: getRewardsSummary, cashback: getCashback },
  webhooks: { message: createSubscriptionMessage, subscribe, subscription: getSubscription, unsubscribe, publicKey: webhookPublicKey, keys: listWebhookKeys },
  partners: { events: pullEvents },
  signInWallets: { list: listSignInWallets, add: addSignInWallet, remove: removeSignInWallet },
};
