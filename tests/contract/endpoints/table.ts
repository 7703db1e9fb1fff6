/**
 * The published endpoints, one a line: method, path, status of a success, statuses of documented faults, who may call,
 * name on tRPC, fields of the success that are always there (`[]` a list, `text` bare text), and whether it is deprecated.
 *
 * Left out of the published faults: 401 of open routes, 404 of an empty list or a missing account, 422 of routes without input.
 */
const table = `
GET /account-balances 200 401,500 user accounts.balances total,spendable,pending
GET /accounts/daily-limit 200 401,404,500 user accounts.dailyLimit data
PUT /accounts/daily-limit 200 400,401,404,422,500 user accounts.setDailyLimit data
GET /accounts/daily-limit/transaction-data 200 401,404,422,500 user accounts.dailyLimitData data
GET /accounts/onchain-daily-limit 200 401,404,500 user accounts.onchainDailyLimit data deprecated
PUT /accounts/onchain-daily-limit 200 400,401,404,422,500 user accounts.setOnchainDailyLimit data deprecated
GET /accounts/onchain-daily-limit/transaction-data 200 401,404,422,500 user accounts.onchainDailyLimitData data deprecated
POST /accounts/withdraw 200 401,404,422,500 user accounts.withdraw data
GET /accounts/withdraw/transaction-data 200 401,404,422,500 user accounts.withdrawalData data
POST /auth/challenge 200 401,422,500 public auth.challenge token
GET /auth/nonce 200 500 public auth.nonce text
POST /auth/signup 201 400,401,409,422,500 wallet auth.signUp id,token,hasSignedUp
POST /auth/signup/otp 200 422,500 public auth.sendOtp ok
GET /cards 200 401,500 user cards.list []
GET /cards/transactions 200 401,500 user transactions.list count,next,previous,results
POST /cards/verify 200 400,401,404,422,500 user cards.verify cardId deprecated
POST /cards/virtual 201 401,409,422,500 user cards.createVirtual cardId
POST /cards/{cardId}/activate 200 400,401,404,422,500 user cards.activate status
POST /cards/{cardId}/freeze 200 400,401,404,500 user cards.freeze status
POST /cards/{cardId}/unfreeze 200 400,401,404,422,500 user cards.unfreeze status
POST /cards/{cardId}/lost 200 401,404,409,500 user cards.markLost status
POST /cards/{cardId}/stolen 200 401,404,409,500 user cards.markStolen status
GET /cards/{cardId}/status 200 401,404,500 user cards.status statusCode,isFrozen,isStolen,isLost,isBlocked,isVoid
POST /cards/{cardId}/void 200 401,404,422,500 user cards.void status
GET /cashback 200 401,500 user rewards.cashback isOg,gnoBalance,cashbackRate,weeklyCapUsd
GET /delay-relay 200 401,500 user delays.list []
GET /eoa-accounts 200 401,500 user signInWallets.list data
POST /eoa-accounts 201 400,401,500 user signInWallets.add id,address,userId,createdAt
DELETE /eoa-accounts/{id} 200 400,401,403,404,500 user signInWallets.remove data
GET /ibans/available 200 401,500 user ibans.available data
GET /ibans/details 200 401,500 user ibans.details data deprecated
GET /ibans/orders 200 401,500 user ibans.orders data deprecated
GET /ibans/signing-message 200 401,500 user ibans.signingMessage data
POST /integrations/emoney 200 400,401,404,422,500 user ibans.integrate data
POST /kyc/import-partner-applicant 200 401,500 user kyc.importPartnerApplicant token,forClientId
GET /kyc/integration 200 401,409,500 user kyc.webLink type,url
GET /kyc/integration/sdk 200 401,409,500 user kyc.sdkToken type,token,userId
GET /order/ 200 401,500 user orders.list []
POST /order/create 200 400,401,500 user orders.create id,createdAt,status,personalizationSource,totalAmountEUR,totalDiscountEUR
GET /order/{orderId} 200 401,404,500 user orders.get id,createdAt,status,personalizationSource,totalAmountEUR,totalDiscountEUR,totalDiscountEur
POST /order/{orderId}/attach-coupon 200 401,404,422,500 user orders.attachCoupon couponCode
PUT /order/{orderId}/attach-transaction 200 400,401,404,500 user orders.attachTransaction ok
POST /order/{orderId}/cancel 200 400,401,404,500 user orders.cancel ok
PUT /order/{orderId}/confirm-payment 200 400,401,404,500 user orders.confirmPayment ok
POST /order/{orderId}/create-card 200 400,401,404,409,422,500 user orders.createCard success,cardToken
GET /owners 200 401,404,500 user owners.list data
POST /owners 200 401,404,422,500 user owners.add data
DELETE /owners 200 401,404,422,500 user owners.remove data
GET /owners/add/transaction-data 200 401,404,422,500 user owners.addData data
GET /owners/remove/transaction-data 200 401,404,422,500 user owners.removeData data
GET /rewards 200 401,500 user rewards.summary isOg,gnoBalance,cashbackRate
GET /safe/config 200 401,500 user safes.config hasNoApprovals,isDeployed,address,tokenSymbol,fiatSymbol,accountStatus,accountAllowance
GET /safe/deploy 200 401,500 user safes.deployment status
POST /safe/deploy 202 400,401,403,422,500 user safes.deploy status
GET /safe/migration 200 400,401,500 user safes.migration migrationId,hasOldSafe
DELETE /safe/reset 200 401,404,422,500 user safes.reset message
POST /safe/set-currency 200 400,401,422,500 user safes.setCurrency tokenSymbol deprecated
GET /source-of-funds 200 401,500 user kyc.questions []
POST /source-of-funds 200 401,422,500 user kyc.answer message
GET /terms 200 500 public terms.list terms
GET /transactions 200 401,500 user transactions.listAll [] deprecated
GET /transactions/dispute 200 401,500 user transactions.listDisputeReasons result
POST /transactions/{threadId}/dispute 202 400,401,404,409,500 user transactions.dispute message
GET /transactions/{threadId}/dispute 200 401,404,500 user transactions.showDispute cardToken,threadId,reason,status,amount,currency,creditedAmount,lossReason,submitBy,submittedAt,closedAt,createdAt,updatedAt,evidence,missing
POST /transactions/{threadId}/dispute/evidence 200 401,404,409,422,500 user transactions.addEvidence evidence,missing
POST /transactions/{threadId}/dispute/evidence/files 200 401,404,409,422,500 user transactions.addEvidenceFile evidence,missing
POST /user/referrer-code 200 401,500 user users.referrerCode userId,referrerCode
GET /user/referrals 200 401,500 user users.referrals isOgTokenHolder,pendingReferrals,completedReferrals
GET /statements 200 401,403,404,422,500 user statements.list []
GET /statements/{month} 200 401,403,404,422,500 user statements.get month,from,to,openingBalance,closingBalance,entries
GET /tokens 200 401,403,500 user tokens.list []
POST /tokens 201 401,403,409,422,500 user tokens.create id,name,scopes,createdAt,expiresAt,token
DELETE /tokens/{id} 200 401,403,404,500 user tokens.remove id
POST /tokens/report 200 422,500 public tokens.report revoked
GET /user 200 401,500 user users.me id,email,phone,firstName,lastName,address1,address2,city,postalCode,state,country,nationalityCountry,kycStatus,availableFeatures,isSourceOfFundsAnswered,isPhoneValidated,signInWallets,safeWallets,cards,bankingDetails,partnerId,status
GET /user/card-public-key 200 400,401,500 user cards.publicKey publicKey deprecated
GET /user/terms 200 401,500 user users.terms terms
POST /user/terms 200 401,422,500 user users.acceptTerms ok
POST /verification 200 401,422,429,500 user phone.start ok
POST /verification/check 200 401,422,500 user phone.check ok
GET /webhooks/message/{partnerId} 200 400,401,404,422,500 user webhooks.message message,nonce
POST /webhooks/subscribe/{partnerId} 200 400,401,409,500 public webhooks.subscribe success,subscriptionId
GET /webhooks/subscription/{partnerId} 200 401,404,500 user webhooks.subscription subscribed
PATCH /account/deploy-safe-modules 200 400,401,500 user accounts.deployModules deployed deprecated
GET /account/signature-payload 200 400,401,500 user accounts.signaturePayload domain,primaryType,types,message deprecated
POST /account 200 400,401,500 user accounts.create id,address,userId,chainId,salt,createdAt,deployed deprecated
POST /ibans/emoney-profile 200 401,422,500 user ibans.createProfile data
GET /ibans/oauth/redirect_url 200 401,500 user ibans.redirectUrl data deprecated
DELETE /ibans/reset 200 401,500 user ibans.reset data
GET /safe-config 200 401,500 user safes.config hasNoApprovals,isDeployed,address,tokenSymbol,fiatSymbol,accountStatus,accountAllowance
POST /order/{orderId}/card 200 401,404,422,500 user orders.createCardOlder success deprecated
`;

export interface Endpoint {
  method: string;
  path: string;
  status: number;
  faults: readonly string[];
  access: string;
  procedure: string;
  shape: string;
  isDeprecated: boolean;
}

export const endpoints: readonly Endpoint[] = table
  .trim()
  .split("\n")
  .map((line) => {
    const [method = "", path = "", status, faults = "", access = "", procedure = "", shape = "", mark] =
      line.split(" ");
    return {
      method,
      path,
      status: Number(status),
      faults: faults.split(","),
      access,
      procedure,
      shape,
      isDeprecated: mark === "deprecated",
    };
  });
