/** Words that newcomers search with and that a page does not say, by its address. */
import { catalogueWords } from "./catalogueWords.ts";

export const searchWords: Readonly<Record<string, string>> = {
  ...catalogueWords,
  "/docs/guides/accounts-and-keys":
    "where is the money self-custody custody who holds it which blockchain network chain wallet architecture trust model what a Safe multisig",
  "/docs/guides/accounts-and-keys#is-the-account-whole": "tampered account integrity modified module hacked",
  "/docs/guides/accounts-and-keys#lost-keys":
    "phone was stolen device gone who can take my money seed phrase recovery lost forgot password social new",
  "/docs/guides/accounts-and-keys#owners": "add second owner remove change key hardware wallet ledger trezor",
  "/docs/guides/accounts-and-keys#the-daily-limit":
    "raise increase lower change spending limit per day how much can I spend",
  "/docs/guides/accounts-and-keys#what-is-deployed":
    "contracts modules Delay Roles addresses factory deployed for each person",
  "/docs/guides/accounts-and-keys#who-can-do-what":
    "can the company freeze or take someone's money is it safe bankrupt control you steal seize my permissions of operator if firm disappears what happens to people's money if we shut down insolvency",
  "/docs/guides/assistants": "copilot claude cursor chatgpt ai agent tools llms.txt",
  "/docs/guides/assistants#text-of-strangers": "prompt injection",
  "/docs/guides/bookkeeping": "quickbooks xero datev lexware sage import bank feed",
  "/docs/guides/books": "general ledger chart of accounts balance sheet financial audit close month end",
  "/docs/guides/books#a-person-s-proof": "prove a balance to customer merkle proof of liabilities",
  "/docs/guides/books#check-it": "auditor verify independently",
  "/docs/guides/books#close-a-day": "daily close end of day month",
  "/docs/guides/card-elements":
    "PIN forgotten change see number PCI DSS compliance scope show card details reveal PAN CVV set choose",
  "/docs/guides/card-elements#what-can-fail": "iframe blank does not load",
  "/docs/guides/cards": "debit credit visa mastercard",
  "/docs/guides/cards#a-payment":
    "refund arrives merchant returns money hotel tip hold pending reserved authorization capture pre-authorization petrol station deposit for days amount differs partial reversal",
  "/docs/guides/cards#declines":
    "spending more than the balance insufficient not enough money does work abroad do honor card reader terminal says no payment failed accepted reason",
  "/docs/guides/cards#disputes":
    "chargeback deadline days customer says a payment is not theirs did buy it unknown purchase fraud claim evidence receipts upload files win lose provisional credit merchant deliver",
  "/docs/guides/cards#get-a-card":
    "several cards how many more than one second card physical plastic shipping cancel order issue virtual instantly delivery time tracking activate why is a user not allowed to order a card eligible conditions",
  "/docs/guides/cards#the-holder-s-own-rules":
    "parental control block online payments cash machine ATM countries merchant category spending limit for one card per day month spending limit of a card",
  "/docs/guides/errors": "exception handling status codes problem details",
  "/docs/guides/errors#quotas": "rate limits throttling requests per minute",
  "/docs/guides/errors#report-a-fault": "bug support request id contact developers",
  "/docs/guides/errors#statuses": "400 401 403 404 409 422 500 503 meaning",
  "/docs/guides/errors#what-to-repeat": "retry backoff 500 503 timeout safe to",
  "/docs/guides/handbook#after-a-restore-or-a-failover":
    "lost transactions after restore reconcile double spending guard",
  "/docs/guides/handbook#backup-and-restore": "how often backup RPO RTO disaster recovery",
  "/docs/guides/handbook#brand-and-languages":
    "white label name colours theme own domain sender address support link mail templates custom texts",
  "/docs/guides/handbook#captures-beyond-their-authorization":
    "merchant took more than approved overcapture tip restaurant",
  "/docs/guides/handbook#card-rules":
    "fraud rules velocity forbid merchants countries gambling block category for everybody backtest shadow",
  "/docs/guides/handbook#cases": "tickets queue manual review what must finance do",
  "/docs/guides/handbook#changed-accounts": "someone changed the Safe module removed violation",
  "/docs/guides/handbook#commands": "customer support changed e-mail address phone number CLI",
  "/docs/guides/handbook#currencies":
    "exchange rate of a payment in dollars conversion foreign money EUR GBP USD supported currencies tokens FX",
  "/docs/guides/handbook#database": "postgres version size connections tuning managed RDS cloud sql",
  "/docs/guides/handbook#debts": "customer owes negative balance collect overdraft",
  "/docs/guides/handbook#declines": "approval rate why declined statistics",
  "/docs/guides/handbook#disputes": "chargeback workflow evidence deadline network",
  "/docs/guides/handbook#doctor": "health check self test diagnose misconfiguration",
  "/docs/guides/handbook#exports-and-reference-rates":
    "VAT value added tax report card orders month csv excel ecb rates parquet data warehouse BI",
  "/docs/guides/handbook#figures":
    "how many people signed up statistics last month growth dashboard KPI active users revenue approval rate conversion what percentage of payments is approved approval rate success rate retention cohort monthly active cardholders MAU daily active",
  "/docs/guides/handbook#growth": "scale many users database size per user partition archive old months table",
  "/docs/guides/handbook#keys": "compromised leaked key rotation",
  "/docs/guides/handbook#kubernetes-and-compose": "load balancer several servers scale out replicas containers",
  "/docs/guides/handbook#metrics-logs-and-traces":
    "log lines request id debug observability opentelemetry level where are logs sentry datadog",
  "/docs/guides/handbook#operators":
    "reset operator password sign in single sign-on SSO login colleague team employee staff access console role two-factor 2fa mfa who sees personal data customer names four eyes second person approval dual control audit trail action log changed what roles add remove leaver session",
  "/docs/guides/handbook#pgbouncer": "connection pooler pooling too many connections",
  "/docs/guides/handbook#proof-of-funds":
    "app shows wrong balance is the money there company goes bankrupt solvency reserves reconcile tokens with chain ledger and chain do not agree differ prove to the regulator auditor that client money is there",
  "/docs/guides/handbook#read-replica": "read only copy offload reporting",
  "/docs/guides/handbook#receive-webhooks-while-you-develop": "localhost tunnel ngrok",
  "/docs/guides/handbook#records-that-the-law-keeps":
    "personal data retention how long kept delete my account period years GDPR erasure documents identity stored sealed legal hold court police prosecutor authority wants data of a person legal hold",
  "/docs/guides/handbook#reports-of-fraud": "unauthorized transaction refund by law PSD2 next business day",
  "/docs/guides/handbook#run-in-production": "requirements checklist server environment",
  "/docs/guides/handbook#secrets":
    "where to store secrets vault files environment permissions of secret where do I put private keys safely database password changed credentials",
  "/docs/guides/handbook#signers":
    "hsm kms hardware security module web3signer remote signing keys outside of the server",
  "/docs/guides/handbook#stand-in": "issuer approved while we were down offline authorization",
  "/docs/guides/handbook#standbys": "high availability failover replica patroni synchronous",
  "/docs/guides/handbook#start-and-stop":
    "does not start port in use already running restart graceful shutdown order of processes crash killed what happens to jobs flight several workers servers at the same time parallel processes",
  "/docs/guides/handbook#stop-switches":
    "emergency halt everything kill switch maintenance mode incident hacked attack pause new sign-ups",
  "/docs/guides/handbook#top-ups": "automatic refill gas relayer balance low",
  "/docs/guides/handbook#treasury": "company's own money sweep redeem move settled tokens bank account of the firm",
  "/docs/guides/handbook#upgrade": "zero downtime rolling deploy new release downgrade roll back version",
  "/docs/guides/handbook#your-balance-at-the-issuer":
    "prefund issuer collateral program balance low top up stripe issuing",
  "/docs/guides/ibans": "bank account number deposit euro salary SEPA transfer monerium",
  "/docs/guides/ibans#forget-it": "unlink disconnect remove IBAN",
  "/docs/guides/ibans#receive-money": "incoming transfer not arrived",
  "/docs/guides/idempotency":
    "server crashes in the middle of a payment connection lost timeout same request two times network error double order resume after connection loss",
  "/docs/guides/money": "flow of funds who pays the merchant when is money moved settlement",
  "/docs/guides/money#the-way-of-a-card-payment":
    "what happens with money when a card is used authorization to settlement",
  "/docs/guides/money#who-checks-it": "reconciliation controls",
  "/docs/guides/pagination": "filter between dates last week month limit offset cursor list all",
  "/docs/guides/pagination#a-partner-s-events": "poll events without webhooks catch up",
  "/docs/guides/pagination#what-changed": "sync incremental since last time delta",
  "/docs/guides/production": "go live checklist deploy hosting cloud aws",
  "/docs/guides/production#2-make-keys-and-settings": "generate secrets env file",
  "/docs/guides/production#4-connect-the-partners": "connect stripe sumsub monerium credentials live keys",
  "/docs/guides/production#9-register-the-first-partner": "api key for a frontend",
  "/docs/guides/programme":
    "what does it cost price budget run a card programme requirements business case effort contracts vendors bin sponsor countries supported",
  "/docs/guides/programme#accounts-that-hold-money": "safeguarding prefunding how much money do we need collateral",
  "/docs/guides/programme#gas": "cost per transaction blockchain fees xdai",
  "/docs/guides/programme#licences-and-duties":
    "regulation MiCA EMI PSD2 AML suspicious transaction report sanctions legal compliance officer supervision which countries",
  "/docs/guides/programme#machines": "servers hardware CPU memory cost of hosting sizing",
  "/docs/guides/programme#partners-and-contracts":
    "issuer bank BIN sponsor visa mastercard providers vendors KYC provider choose",
  "/docs/guides/programme#weeks-to-launch": "project plan timeline how long time to market",
  "/docs/guides/programme#what-the-team-needs": "how many people staff hire skills",
  "/docs/guides/quick-start":
    "hello world getting started tutorial TypeScript JavaScript example local development without Docker first steps demo try it out tRPC client example which version of Bun or Node.js is needed requirements",
  "/docs/guides/quick-start#get-a-safe-money-and-a-card": "deposit top up the account where to send tokens address",
  "/docs/guides/quick-start#next": "OpenAPI Swagger Postman schema file SDK client library",
  "/docs/guides/runbook#backup": "pgbackrest pg_dump how to back up",
  "/docs/guides/runbook#both-standbys-lost": "replicas gone writes hang",
  "/docs/guides/runbook#cardkeepdecisionsslow": "authorizations slow latency timeouts declines too late",
  "/docs/guides/runbook#cardkeepgasstarves": "out of gas relayer empty",
  "/docs/guides/runbook#cardkeepjobsgivenup": "failed jobs retry dead letter",
  "/docs/guides/runbook#cardkeepjobslate":
    "queue behind backlog workers keep up with the load add workers queue length depth backlog of jobs",
  "/docs/guides/runbook#cardkeepmoneymissing": "money does not match reconciliation difference shortfall",
  "/docs/guides/runbook#cardkeepworkeraway": "worker died not running jobs stand still",
  "/docs/guides/runbook#chain-s-node-away":
    "ethereum gnosis RPC endpoint down unreachable behind stale provider outage blockchain",
  "/docs/guides/runbook#clock-wrong": "ntp drift time",
  "/docs/guides/runbook#disk-full": "no space left on device",
  "/docs/guides/runbook#network-split": "split brain partition data centre",
  "/docs/guides/runbook#nonce-gap": "stuck transactions pending relayer blocked",
  "/docs/guides/runbook#openid-provider-away": "operators cannot log in sso down",
  "/docs/guides/runbook#primary-lost": "database server died master down promote standby",
  "/docs/guides/runbook#restore-to-yesterday": "restore database accident deleted data point in time recovery",
  "/docs/guides/runbook#rotate-a-key": "rotate leaked private key change secret",
  "/docs/guides/sandbox": "test environment mock partners fake data staging",
  "/docs/guides/sandbox#cards-and-shops": "test 3-D Secure challenge foreign currency abroad fake payment terminal",
  "/docs/guides/sandbox#faults": "simulate error chaos provider down",
  "/docs/guides/sandbox#people": "create test user already verified with card",
  "/docs/guides/sandbox#time": "skip three minutes time travel",
  "/docs/guides/sign-in": "connect wallet metamask walletconnect login passkey",
  "/docs/guides/sign-in#from-a-browser-cors": "allowed origins frontend blocked by CORS policy",
  "/docs/guides/sign-in#more-wallets": "second device new phone another wallet add",
  "/docs/guides/sign-in#sign-up":
    "code did not arrive wrong e-mail register verification mail not received resend code again",
  "/docs/guides/sign-in#the-message": "SIWE message format nonce domain sign-in with ethereum",
  "/docs/guides/sign-in#the-token":
    "authorization header bearer JWT lifetime expires log out session duration refresh token keep the user signed in stay logged in remember",
  "/docs/guides/statements": "account statement tax report year end proof of income download",
  "/docs/guides/statements#what-it-says": "exchange rate markup foreign purchases abroad fee",
  "/docs/guides/strictness": "difference between sandbox and real provider",
  "/docs/guides/support":
    "customer service help desk agent call center find search a person or payment by merchant amount digits how do I look up",
  "/docs/guides/support#erase-my-data": "close customer account leave delete profile terminate",
  "/docs/guides/support#i-lost-my-phone-or-my-card":
    "customer lost phone freeze a card as support broken damaged replacement new stolen wallet swallowed by the cash machine ATM kept the card",
  "/docs/guides/support#i-was-charged-twice": "double charge duplicate payment same shop",
  "/docs/guides/support#my-mail-address-or-phone-number-changed":
    "customer moved new number mail update contact details customer lost access to his e-mail",
  "/docs/guides/support#refund-me": "give money back goodwill merchant refund not arrived",
  "/docs/guides/support#where-is-my-withdrawal":
    "withdrawal stuck how long does it take money did not arrive sent crypto pending",
  "/docs/guides/support#who-does-what":
    "what may the role support do permissions customer service see names block a person sanctions deactivate",
  "/docs/guides/support#why-was-my-card-declined":
    "payment refused at the till card does not work declined payments of one customer",
  "/docs/guides/testing": "integration test unit mock github actions gitlab pipeline",
  "/docs/guides/testing#in-ci": "github actions gitlab pipeline continuous integration docker",
  "/docs/guides/testing#rules-that-keep-tests-stable": "flaky tests",
  "/docs/guides/tokens":
    "personal access token machine user script long-lived read only backend program logs in without a wallet server to server",
  "/docs/guides/tokens#end-it": "revoke token leaked",
  "/docs/guides/typed-data": "EIP-712 signTypedData wallet shows what am I signing",
  "/docs/guides/upgrading": "breaking changes release notes migrate version client",
  "/docs/guides/upgrading#deprecated-routes": "removed endpoint sunset",
  "/docs/guides/webhooks": "notify the user about a payment push notification callbacks my server realtime",
  "/docs/guides/webhooks#register-a-partner": "get an API key for the sandbox where do I find it",
  "/docs/guides/webhooks#repetitions-order-retries":
    "webhook failed missed resend again endpoint was down duplicates order of events lost redeliver",
  "/docs/guides/webhooks#subscribe": "which users events choose",
  "/docs/guides/webhooks#while-you-develop": "localhost",
  "/docs/guides/withdrawals":
    "send money to another person pay out cash move my own wallet crypto send tokens out what do I have to sign",
  "/docs/guides/withdrawals#follow-it": "status of a withdrawal stuck pending",
  "/docs/guides/withdrawals#the-queue": "cancel skip a withdrawal order of withdrawals",
  "/docs/guides/withdrawals#what-can-fail": "withdrawal failed why",
};
