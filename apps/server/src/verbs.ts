/** Which verb answers which route. */
import type { Routes } from "@cardkeep/contract/routes";
import { balances } from "@cardkeep/domain/balances/balances";
import { dailyLimit } from "@cardkeep/domain/accounts/dailyLimit";
import { dailyLimitData } from "@cardkeep/domain/accounts/dailyLimitData";
import {
  onchainDailyLimit,
  onchainDailyLimitData,
  setOnchainDailyLimit,
} from "@cardkeep/domain/accounts/onchainDailyLimit";
import { setDailyLimit } from "@cardkeep/domain/accounts/setDailyLimit";
import { withdraw } from "@cardkeep/domain/accounts/withdraw";
import { withdrawalData } from "@cardkeep/domain/accounts/withdrawalData";
import { challenge } from "@cardkeep/domain/auth/challenge";
import { nonce } from "@cardkeep/domain/auth/nonce";
import { sendOtp } from "@cardkeep/domain/auth/sendOtp";
import { signUp } from "@cardkeep/domain/auth/signUp";
import { activate } from "@cardkeep/domain/cards/activate";
import { createVirtual } from "@cardkeep/domain/cards/createVirtual";
import { markLost, markStolen, voidCard } from "@cardkeep/domain/cards/end";
import { freeze, unfreeze } from "@cardkeep/domain/cards/freeze";
import { list as listCards } from "@cardkeep/domain/cards/list";
import { publicKey } from "@cardkeep/domain/cards/publicKey";
import { status as cardStatus } from "@cardkeep/domain/cards/status";
import { verify } from "@cardkeep/domain/cards/verify";
import { list as listDelays } from "@cardkeep/domain/delays/list";
import { available } from "@cardkeep/domain/ibans/available";
import { createProfile } from "@cardkeep/domain/ibans/createProfile";
import { details } from "@cardkeep/domain/ibans/details";
import { integrate } from "@cardkeep/domain/ibans/integrate";
import { listOrders as listIbanOrders } from "@cardkeep/domain/ibans/listOrders";
import { redirectUrl } from "@cardkeep/domain/ibans/redirectUrl";
import { reset as resetIban } from "@cardkeep/domain/ibans/reset";
import { signingMessage } from "@cardkeep/domain/ibans/signingMessage";
import { importPartnerApplicant } from "@cardkeep/domain/kyc/importPartnerApplicant";
import { sdkToken, webLink } from "@cardkeep/domain/kyc/integration";
import { add as addOwner } from "@cardkeep/domain/owners/add";
import { addData } from "@cardkeep/domain/owners/addData";
import { list as listOwners } from "@cardkeep/domain/owners/list";
import { remove as removeOwner } from "@cardkeep/domain/owners/remove";
import { removeData } from "@cardkeep/domain/owners/removeData";
import { check as checkPhone } from "@cardkeep/domain/phone/check";
import { start as startPhone } from "@cardkeep/domain/phone/start";
import { referrals, referrerCode } from "@cardkeep/domain/users/referrals";
import { cashback } from "@cardkeep/domain/rewards/cashback";
import { summary } from "@cardkeep/domain/rewards/summary";
import { config } from "@cardkeep/domain/safes/config";
import { create } from "@cardkeep/domain/safes/create";
import { deploy } from "@cardkeep/domain/safes/deploy";
import { deployModules } from "@cardkeep/domain/safes/deployModules";
import { deployment } from "@cardkeep/domain/safes/deployment";
import { add as addSignInWallet } from "@cardkeep/domain/signInWallets/add";
import { migration } from "@cardkeep/domain/safes/migration";
import { reset } from "@cardkeep/domain/safes/reset";
import { setCurrency } from "@cardkeep/domain/safes/setCurrency";
import { signaturePayload } from "@cardkeep/domain/safes/signaturePayload";
import { list as listSignInWallets } from "@cardkeep/domain/signInWallets/list";
import { remove as removeSignInWallet } from "@cardkeep/domain/signInWallets/remove";
import { answer } from "@cardkeep/domain/sourceOfFunds/answer";
import { questions } from "@cardkeep/domain/sourceOfFunds/questions";
import { attachCoupon } from "@cardkeep/domain/orders/attachCoupon";
import { attachTransaction } from "@cardkeep/domain/orders/attachTransaction";
import { cancel as cancelOrder } from "@cardkeep/domain/orders/cancel";
import { confirmPayment } from "@cardkeep/domain/orders/confirmPayment";
import { create as createOrder } from "@cardkeep/domain/orders/create";
import { createCard, createCardOlder } from "@cardkeep/domain/orders/createCard";
import { get as getOrder } from "@cardkeep/domain/orders/get";
import { list as listOrders } from "@cardkeep/domain/orders/list";
import { dispute } from "@cardkeep/domain/spending/dispute";
import { list as listTransactions } from "@cardkeep/domain/spending/list";
import { listAll } from "@cardkeep/domain/spending/listAll";
import { listDisputeReasons } from "@cardkeep/domain/spending/listDisputeReasons";
import { acceptTerms } from "@cardkeep/domain/users/acceptTerms";
import { me } from "@cardkeep/domain/users/me";
import { listTerms, terms } from "@cardkeep/domain/users/terms";
import { message } from "@cardkeep/domain/webhooks/message";
import { listKeys, publicKey as webhookPublicKey } from "@cardkeep/domain/webhooks/publicKeys";
import { pull } from "@cardkeep/domain/webhooks/pull";
import { subscribe } from "@cardkeep/domain/webhooks/subscribe";
import { subscription, unsubscribe } from "@cardkeep/domain/webhooks/subscription";
import type { Verbs } from "./operation.ts";

export const verbs: Verbs<Routes> = {
  auth: { nonce, sendOtp, challenge, signUp },
  users: { me, terms, acceptTerms, referrerCode, referrals },
  terms: { list: listTerms },
  kyc: { webLink, sdkToken, importPartnerApplicant, questions, answer },
  phone: { start: startPhone, check: checkPhone },
  safes: { deploy, deployment, config, setCurrency, reset, migration },
  accounts: {
    create,
    signaturePayload,
    deployModules,
    balances,
    withdrawalData,
    withdraw,
    dailyLimit,
    dailyLimitData,
    setDailyLimit,
    onchainDailyLimit,
    onchainDailyLimitData,
    setOnchainDailyLimit,
  },
  owners: { list: listOwners, addData, add: addOwner, removeData, remove: removeOwner },
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
    createVirtual,
    verify,
    activate,
    freeze,
    unfreeze,
    markLost,
    markStolen,
    void: voidCard,
    publicKey,
  },
  ibans: {
    available,
    signingMessage,
    createProfile,
    integrate,
    details,
    orders: listIbanOrders,
    redirectUrl,
    reset: resetIban,
  },
  transactions: { list: listTransactions, listAll, listDisputeReasons, dispute },
  rewards: { summary, cashback },
  webhooks: { message, subscribe, subscription, unsubscribe, publicKey: webhookPublicKey, keys: listKeys },
  partners: { events: pull },
  signInWallets: { list: listSignInWallets, add: addSignInWallet, remove: removeSignInWallet },
};
