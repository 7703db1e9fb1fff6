/** Of the settings of cards, money and books. */
export const moneySettingWords: Readonly<Record<string, string>> = {
  "/docs/settings#setting-TREASURY_ADDRESS": "wallet that gets card order fees company wallet income",
  "/docs/settings#setting-SETTLEMENT_ADDRESS": "wallet that receives what customers spend collection account",
  "/docs/settings#setting-UNPAID_CENTS_MAX":
    "debt limit how much may a customer owe negative balance credit risk maximum loss per person",
  "/docs/settings#setting-ISSUER_CALLS_PER_SECOND":
    "stripe api rate limit calls per second block all cardholders quickly",
  "/docs/settings#setting-ISSUER_BALANCE_CENTS_MIN":
    "warn when our balance at the issuer is low prefund alert threshold stripe",
  "/docs/settings#setting-PARTIAL_APPROVAL_CENTS_MIN": "approve only a part of a purchase minimum split payment",
  "/docs/settings#setting-DECISION_MS": "time limit of an authorization decision timeout latency slow machine",
  "/docs/settings#setting-STAND_IN":
    "what if we are down issuer approves declines offline outage fallback default timeout",
  "/docs/settings#setting-STAND_IN_CENTS_MAX": "maximum single payment approved while offline",
  "/docs/settings#setting-STAND_IN_DAY_CENTS_MAX": "maximum per day approved while offline",
  "/docs/settings#setting-DISPUTE_CREDIT":
    "provisional credit give the customer money back during a chargeback temporary refund",
  "/docs/settings#setting-DISPUTE_ADVANCE_CENTS_MAX": "maximum advance temporary refund during a dispute",
  "/docs/settings#setting-DISPUTE_SUBMISSION":
    "review chargebacks before they are sent to visa manual approval automatically submit",
  "/docs/settings#setting-UNAUTHORIZED_CREDIT_CENTS_MAX": "maximum automatic fraud refund limit abuse friendly fraud",
  "/docs/settings#setting-OVER_CAPTURE_PERCENT": "tolerance merchant takes more than approved percentage",
  "/docs/settings#setting-OVER_CAPTURE_TIP_PERCENT": "tip restaurant more than approved gratuity tolerance taxi",
  "/docs/settings#setting-OVER_CAPTURE_TRAVEL_PERCENT": "hotel minibar car rental takes more tolerance",
  "/docs/settings#setting-OVER_CAPTURE_CURRENCY_PERCENT":
    "foreign exchange difference between approval and capture tolerance",
  "/docs/settings#setting-OVER_CAPTURE_FUEL_CENTS_MAX": "petrol gas station pump charging electric car amount",
  "/docs/settings#setting-CAPTURE_ALONE_CENTS_MAX": "capture without authorization offline sale toll parking in-flight",
  "/docs/settings#setting-CREDIT_ALONE_CENTS_MAX":
    "merchant refund without a purchase larger than the purchase casino winnings original credit",
  "/docs/settings#setting-HOLD_DAYS":
    "how long is money blocked reserved pending hotel release authorization expiry days",
  "/docs/settings#setting-HOLD_TRAVEL_DAYS": "hotel car rental cruise reservation how long is money blocked",
  "/docs/settings#setting-SETTLEMENT_PRIVATE_KEY": "key of the settlement wallet sweep automatically",
  "/docs/settings#setting-SETTLEMENT_SIGNER": "settlement wallet in kms hsm",
  "/docs/settings#setting-TREASURY_PRIVATE_KEY": "key of the company wallet redeem payout",
  "/docs/settings#setting-TREASURY_SIGNER": "company wallet in kms hsm",
  "/docs/settings#setting-TREASURY_FLOAT_DAYS":
    "how much money stays at the settlement account reserve for refunds buffer",
  "/docs/settings#setting-SPENDER_APPROVAL_CENTS": "largest refund allowance of the spender token approve cap",
  "/docs/settings#setting-SPENDER_APPROVALS_PER_DAY": "daily refund allowance how much can a stolen key take",
  "/docs/settings#setting-CARD_PRICES":
    "how much does a card cost fee for ordering a card price issuance charge pricing list",
  "/docs/settings#setting-CARD_PRICE_VAT_PERCENT": "sales tax VAT rate on card fee",
  "/docs/settings#setting-FREE_COUPON_CODE": "free card promotion campaign waive fee",
  "/docs/settings#setting-CASHBACK_TOKEN_ADDRESS": "GNO token that gives cashback turn cashback on off",
  "/docs/settings#setting-CASHBACK_TIERS": "cashback percentage rate rewards levels percent",
  "/docs/settings#setting-CASHBACK_BADGE_ADDRESS": "NFT badge og extra percent bonus",
  "/docs/settings#setting-CASHBACK_WEEKLY_CAP_USD": "maximum cashback per week cap limit",
  "/docs/settings#setting-STATEMENT_TIME_ZONE": "time zone local midnight month boundary",
  "/docs/settings#setting-BOOKS_CLOSE_HOUR": "at what time is the daily close end of day accounting",
  "/docs/settings#setting-BOOKS_PUBLIC": "publish or hide the books page transparency",
  "/docs/settings#setting-EMONEY_PROVIDER": "monerium choose IBAN provider bank partner",
  "/docs/settings#setting-EMONEY_URL": "monerium api address production sandbox",
  "/docs/settings#setting-EMONEY_CLIENT_ID": "monerium credentials app id",
  "/docs/settings#setting-EMONEY_CLIENT_SECRET": "monerium credentials api secret password",
  "/docs/settings#setting-EMONEY_CALLBACK_SECRET": "monerium webhook secret verify incoming",
  "/docs/settings#setting-EMONEY_SHARE_CLIENT_ID": "reuse KYC at monerium sumsub sharing",
  "/docs/settings#setting-EMONEY_RETURN_URL": "redirect after monerium consent oauth callback landing page",
  "/docs/settings#setting-CARD_ISSUER": "stripe choose issuer marqeta lithic other processor",
  "/docs/settings#setting-CARD_ISSUER_URL": "stripe api address",
  "/docs/settings#setting-CARD_ISSUER_API_KEY": "stripe secret key sk_live restricted",
  "/docs/settings#setting-CARD_ISSUER_CALLBACK_SECRETS": "stripe webhook signing secret whsec",
  "/docs/settings#setting-CARD_ISSUER_PIN_KEY": "encrypt pin for the issuer public key let people choose their pin",
  "/docs/settings#setting-CARD_ENCRYPTION_KEY": "decrypt card numbers pin from clients private key pci",
};
