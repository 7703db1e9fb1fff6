/** Of the guides about cards, IBANs, statements and tokens of people. */
export const cardGuideWords: Readonly<Record<string, string>> = {
  "/docs/guides/cards":
    "debit credit visa mastercard prepaid, spend crypto with a card, how do cards work lifecycle, contactless tap",
  "/docs/guides/cards#get-a-card":
    "several cards how many more than one second card, physical plastic shipping delivery time, card not arrived yet lost in the mail tracking, activate turn on a new card, order issue virtual card instantly, cancel order, why is a user not allowed to order a card eligible conditions requirements, name on the card, card arrived in the post, disposable single-use, how many cards per customer maximum, difference between virtual and physical card, instant virtual card after signup, order plastic card steps, replace, second card for another purpose, pay for the card with a coupon, where is the card sent, order a card for a user step by step, is the virtual card free, pay for a card with crypto on chain, limit of cards per person, card delivered but cannot be used",
  "/docs/guides/cards#a-payment":
    "hotel tip hold pending reserved, petrol station gas pump car rental deposit blocks money, payment is pending for days, authorization capture pre-authorization, amount differs settles later, refund arrives merchant returns money, partial reversal, real-time decision two seconds who decides, subscription recurring netflix, payment history, authorised but not captured, when is a payment final, verification of one euro zero amount, car rental block, tip added later, incremental authorization, reversal arrives, what statuses has a payment, recurring charge, how does a refund reach the safe",
  "/docs/guides/cards#declines":
    "spending more than the balance insufficient not enough money, card does not work abroad, do honor card reader terminal says no, payment failed accepted refused shop would not take it, message to show in the app after a decline, reason of a decline, supermarket checkout online shop, item costs more than my balance, purchase above the balance, online payment fails, card declined with enough money, reasons to show to users, localized message, soft decline",
  "/docs/guides/cards#the-holder-s-own-rules":
    "block online payments cash machine ATM, block countries abroad travel, forbid merchant category gambling self-exclusion, spending limit of one card per month, parental control budget teenager kid, turn off contactless magnetic stripe, temporarily lock freeze my card, one-time card single merchant lock, cancel close delete a card, what countries can the card be used in, set a budget, card only for one shop, block subscriptions, disable magstripe, safe travel settings, limit per payment, gambling block, restrict card to groceries supermarkets only, do not allow cash",
  "/docs/guides/cards#disputes":
    "chargeback deadline days, customer says a payment is not theirs did not buy it, unknown purchase not recognised unrecognised transaction, goods never arrived did not deliver, faulty wrong item, cancelled subscription still charged, evidence receipts upload files, win lose claim, complain about a merchant money back, scam fraud, reason codes, ATM did not give cash but account was debited, hotel charged no-show, trial subscription cancelled, duplicate charge merchant refuses, charge from an unknown shop not me, which dispute reason to choose, how long does a chargeback take, can a dispute be withdrawn, item defective counterfeit, merchant bankrupt, chargeback, how are disputes decided outcome, customer wants his money back from a shop",
  "/docs/guides/card-elements":
    "PIN forgotten change see, show card number details reveal PAN CVV CVC expiry, PCI DSS compliance scope, set choose PIN, sensitive data 16 digits copy, react native flutter card details, display card in my app, show cvc, copy card number, PCI scope, apple wallet image, see the full card number, where is the CVV",
  "/docs/guides/card-elements#how-it-works":
    "ephemeral token client certificate mTLS, how is the card number protected iframe security, who sees the card number",
  "/docs/guides/card-elements#embed-an-element":
    "gnosispay pse-sdk, style css look design of the frame, pin form set new view pin, reveal button, native mobile webview iOS Android",
  "/docs/guides/card-elements#what-can-fail":
    "iframe blank white empty does not load, content security policy csp frame-src, invalid token expired after a minute",
  "/docs/guides/ibans":
    "bank account number, deposit euro salary SEPA transfer, wages paycheck receive from employer, monerium, on-ramp fiat to crypto, virtual account BIC sort code, account number for my employer, SEPA direct debit, German Estonian Icelandic IBAN country code, get an account number, pay in euros from a bank",
  "/docs/guides/ibans#who-gets-one":
    "eligible countries nationality for an IBAN, why can I not get an IBAN, IBAN unavailable refused conditions",
  "/docs/guides/ibans#request-it":
    "open create activate order IBAN, how long does it take pending, consent monerium login redirect oauth, existing account at monerium",
  "/docs/guides/ibans#receive-money":
    "incoming bank transfer not arrived missing, deposit by bank how long SEPA instant, name of sender reference, send euros to a bank outgoing SEPA pay a bill, wire on its way, salary not there, how long does a transfer take, transfer returned rejected by the bank, third party payments allowed sender name, deposit limits, send money from Revolut N26 Wise to the IBAN",
  "/docs/guides/ibans#forget-it": "unlink disconnect remove delete IBAN, close bank number",
  "/docs/guides/statements":
    "account statement tax report year end, proof of income landlord mortgage visa application, download bank statement, history of movements, statement for the tax office, annual summary, proof of address, list of all movements for a loan, customer asks for proof of payment",
  "/docs/guides/statements#months-and-ranges": "custom period quarter one year between two dates, list of months",
  "/docs/guides/statements#forms":
    "statement as PDF CSV Excel spreadsheet, camt.053 ISO 20022 JSON MT940 format, language of the PDF",
  "/docs/guides/statements#what-it-says":
    "exchange rate markup foreign purchases abroad fee, opening closing balance lines columns, small transfers dust spam, ECB reference EU cross-border regulation, merchant name refund on the statement, why is there a difference between shop price and debit",
  "/docs/guides/statements#a-month-that-is-over":
    "when is the monthly statement ready, final immutable hash digest, correction late booking prior month changed afterwards",
  "/docs/guides/statements#a-month-in-volumes":
    "too many lines large heavy user split parts, 10,000 transactions in a month",
  "/docs/guides/tokens":
    "personal access token, long-lived read only token for a script, backend program logs in without a wallet, server to server machine user, api key of a user third-party app integration zapier budget app, let my tax software read my transactions, give an app access without a password, read access for an accountant, give an external accountant access",
  "/docs/guides/tokens#make-one": "create api key scopes permissions expiry date, how many tokens",
  "/docs/guides/tokens#use-it": "curl header token of a program, etag 304 polling, quota of a token",
  "/docs/guides/tokens#end-it":
    "revoke token leaked committed to github, token exposed published by accident, delete invalidate disable key",
  "/docs/guides/tokens#its-form-for-scanners":
    "regex pattern secret scanning gitleaks trufflehog, checksum prefix of a token",
  "/docs/guides/bookkeeping":
    "quickbooks xero datev lexware sage zoho, connect accounting software bank feed, export payments for my accountant, import transactions",
  "/docs/guides/bookkeeping#the-bank-s-format":
    "camt.053 ISO 20022 MT940 import file, duplicate entries recognised reference, SAP ERP bank statement",
  "/docs/guides/bookkeeping#a-poller":
    "fetch new transactions every hour automatically cron, live feed etag incremental",
  "/docs/guides/bookkeeping#check-the-books":
    "balances do not match in my accounting, closing balance verify import completeness",
  "/docs/guides/cards#the-look-of-a-card":
    "custom card design artwork logo, card colour picture look plastic, personalisation printed name second line, carrier letter branded card material, change the card image",
};
