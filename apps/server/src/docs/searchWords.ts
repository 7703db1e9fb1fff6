/** Words that newcomers search with and that a page does not say, by its address. */
export const searchWords: Readonly<Record<string, string>> = {
  "/docs/guides/handbook#operators":
    "reset operator password sign in single sign-on SSO login colleague team employee staff access console role two-factor 2fa mfa who sees personal data customer names",
  "/docs/guides/handbook#commands": "customer support changed e-mail address phone number CLI",
  "/docs/guides/webhooks#register-a-partner": "get an API key for the sandbox where do I find it",
  "/docs/guides/support#i-was-charged-twice": "double charge duplicate payment same shop",
  "/docs/guides/support#i-lost-my-phone-or-my-card": "customer lost phone freeze a card as support",
  "/docs/guides/support#who-does-what": "what may the role support do permissions customer service",
  "/docs/guides/support#where-is-my-withdrawal": "withdrawal stuck how long does it take",
  "/docs/guides/handbook#start-and-stop": "does not start port in use already running",
  "/docs/guides/handbook#kubernetes-and-compose": "load balancer several servers scale out replicas containers",
  "/docs/guides/handbook#metrics-logs-and-traces": "log lines request id debug",
  "/docs/guides/handbook#records-that-the-law-keeps": "personal data retention how long kept delete my account",
  "/docs/guides/handbook#currencies": "exchange rate of a payment in dollars conversion foreign money",
  "/docs/guides/handbook#exports-and-reference-rates": "VAT value added tax report card orders month",
  "/docs/guides/statements#what-it-says": "exchange rate markup foreign purchases abroad fee",
  "/docs/guides/runbook#chain-s-node-away": "ethereum gnosis RPC endpoint down unreachable behind stale",
  "/docs/events": "list of all webhook events types subscribe",
  "/docs/guides/handbook#figures": "how many people signed up statistics last month growth",
  "/docs/cards#cards.markStolen": "report a card as stolen",
  "/docs/cards#cards.markLost": "report a card as lost",
  "/docs/guides/quick-start":
    "hello world getting started tutorial TypeScript JavaScript example local development without Docker",
  "/docs/guides/quick-start#next": "OpenAPI Swagger Postman schema file SDK client library",
  "/docs/guides/withdrawals": "send money to another person pay out cash out",
  "/docs/guides/accounts-and-keys#lost-keys": "phone was stolen device gone who can take my money seed phrase recovery",
  "/docs/guides/accounts-and-keys#who-can-do-what":
    "can the company freeze or take someone's money is it safe bankrupt control",
  "/docs/guides/accounts-and-keys":
    "where is the money self-custody custody who holds it which blockchain network chain",
  "/docs/guides/cards#get-a-card":
    "several cards how many more than one second card physical plastic shipping cancel order",
  "/docs/guides/cards#a-payment": "refund arrives merchant returns money hotel tip hold pending reserved",
  "/docs/guides/cards#declines":
    "spending more than the balance insufficient not enough money does not work abroad do not honor card reader terminal says no",
  "/docs/guides/cards#disputes":
    "chargeback deadline days customer says a payment is not theirs did not buy it unknown purchase fraud",
  "/docs/guides/idempotency": "server crashes in the middle of a payment connection lost timeout",
  "/docs/guides/webhooks": "notify the user about a payment push notification",
  "/docs/guides/handbook#proof-of-funds": "app shows wrong balance is the money there company goes bankrupt",
  "/docs/guides/sandbox#cards-and-shops": "test 3-D Secure challenge foreign currency abroad fake payment terminal",
  "/docs/guides/sign-in#more-wallets": "second device new phone another wallet add",
  "/docs/guides/sign-in#sign-up": "code did not arrive wrong e-mail register",
  "/docs/guides/card-elements": "PIN forgotten change PIN see number",
  "/docs/guides/pagination": "filter between dates last week month",
  "/docs/guides/webhooks#repetitions-order-retries": "webhook failed missed resend again endpoint was down",
};
