/** Of the reference's pages and of its state machines. */
export const pageWords: Readonly<Record<string, string>> = {
  "/docs/accounts":
    "how much money does the user have get balance, available funds, remaining daily limit today, withdraw endpoint, check my balance how much is left, show the balance on the home screen, show pending money separately spendable total, balance not updated delayed spendable",
  "/docs/acts": "list of operator commands, permissions of each role matrix what can admin do",
  "/docs/auth": "login endpoint register otp nonce challenge",
  "/docs/cards":
    "freeze lock block my card endpoint, report lost stolen, activate card api, cancel card, card status list of my cards, rename a card, list only active cards, virtual card api",
  "/docs/cards#cards.markStolen": "report a card as stolen",
  "/docs/declines": "list of decline reasons codes, why refused response code 05 51, do not honour",
  "/docs/delays": "list of pending withdrawals operations queue",
  "/docs/errors": "list of all error codes",
  "/docs/events":
    "list of all webhook events types, event payload example catalogue, notifications, which events should my app listen to",
  "/docs/ibans": "bank account api, incoming payments list",
  "/docs/kyc":
    "upload passport identity check documents selfie liveness, sumsub link sdk token iframe, status rejected failed verification why, resubmit verify again, age, KYC inside a webview open the verification in the app",
  "/docs/machines": "lifecycle states diagram transitions, meaning of a status enum values",
  "/docs/operator-machines": "status of a treasury move relayer approval",
  "/docs/orders":
    "order a physical card api, cancel order, shipping address, payment of an order coupon, promo code, wrong name on the order, change delivery address before shipping",
  "/docs/owners": "who controls the safe list owners, add remove signer endpoint",
  "/docs/partners": "api keys of a partner endpoints, rules of a partner",
  "/docs/phone":
    "verify phone number sms code not received, resend wrong code, change number, did not get the text message, change of the mobile number",
  "/docs/rewards": "cashback points loyalty bonus, percent back earn GNO, loyalty program integration",
  "/docs/safes": "deploy account api, reset account, set up smart wallet currency, is the safe deployed ready status",
  "/docs/settings": "environment variables list of all configuration options, defaults env reference parameters",
  "/docs/signInWallets": "add remove wallet eoa-accounts, login addresses list",
  "/docs/statements": "download monthly statement endpoint",
  "/docs/terms": "terms of service version accepted consent tos, privacy policy legal documents",
  "/docs/tokens": "api tokens list create delete",
  "/docs/transactions":
    "payment history list of card payments, how can a customer see their transactions, dispute evidence endpoint, merchant details receipt, which card does a transaction belong to, merchant name category of a payment, spending by merchant category, list of merchants a user paid",
  "/docs/users":
    "change name address profile of a person, my data, language notification preferences, turn off mails unsubscribe, referral program invite friends code, notifications when a card is used mail sms choose, language, do not send mails for every payment too many mails, choose sms or mail",
  "/docs/walletTokens":
    "apple pay google pay add card to phone watch samsung, remove from phone lost phone, tokenized device push provisioning, pay with the phone, apple pay does not work",
  "/docs/webhooks": "subscribe unsubscribe consent endpoint, public keys jwks",
  "/docs/machines#machine-delayedtransaction-status":
    "withdrawal status QUEUING WAITING meaning, limit change owner change status",
  "/docs/machines#machine-safe": "account creation status processing stuck, set up failed, safe deployment stuck",
  "/docs/machines#machine-accountviolation-status": "tampered account violation cleared",
  "/docs/machines#machine-user-kycstatus":
    "KYC status meaning, why is my KYC still pending, rejected resubmission requires action retry",
  "/docs/machines#machine-cardorder-status":
    "order status READY meaning paid confirmed shipped, where is my card order",
  "/docs/machines#machine-card-statuscode": "card status code 1000 1041 1043 meaning active lost stolen frozen void",
  "/docs/machines#machine-bankingdetails-emoneyibanstatus": "iban status pending assigned",
  "/docs/machines#machine-cardpayment-status": "payment status cleared reversed expired authorized meaning settled",
  "/docs/machines#machine-cardtransfer-status": "on-chain transfer of a payment planned signed failed",
  "/docs/machines#machine-carddispute-status":
    "chargeback status submitted won lost expired meaning, progress of a claim",
  "/docs/machines#machine-delivery-status": "webhook delivery status pending failed cancelled kept",
  "/docs/operator-machines#machine-treasurymove-status": "treasury move failed stuck planned sent",
  "/docs/operator-machines#machine-lane-state": "relayer draining retired active",
  "/docs/operator-machines#machine-approval-status": "approval request waiting rejected expired four eyes",
};
