/** Of the handbook's chapters about people, money, cards and cases. */
export const handbookWords: Readonly<Record<string, string>> = {
  "/docs/guides/handbook#records-that-the-law-keeps":
    "how long do you store identity documents retention years, personal data kept GDPR erasure, court police prosecutor authority wants data of a person subpoena law enforcement, legal hold preserve evidence, what remains after deletion, anonymise crypto-shredding sealed, delete my account, delete inactive users automatically, how long do you keep payments, data protection officer questions, right to erasure versus AML, subpoena answer, retention schedule",
  "/docs/guides/handbook#proof-of-funds":
    "prove to the regulator auditor that client money is there, solvency reserves proof of reserves, ledger and chain do not agree differ, shortfall missing money unexplained theft, company goes bankrupt, app shows wrong balance, is all customer money there, missing tokens alarm, why does the settlement account differ, regulator asks for reserves",
  "/docs/guides/handbook#treasury":
    "company's own money bank account of the firm, move settled money sweep, convert EURe into euros payout to bank, allow-list IBAN who may move company funds, refund too large limit of the spender, stolen spender key, move money to our bank, approve a payout, pay the issuer, monthly profit payout, cold wallet, refund account empty",
  "/docs/guides/handbook#books": "daily close accounting period, open items finance routine month end, tax",
  "/docs/guides/handbook#brand-and-languages":
    "white label name colours theme, logo in the mails design, translate custom texts wording e-mail templates, french italian polish language localisation, sender own domain, imprint privacy policy support link footer, how customizable are emails, change the wording of a mail, our own sender name, dark logo, language of the app, remove your brand",
  "/docs/guides/handbook#figures":
    "how many people signed up statistics last month, dashboard KPI growth analytics, monthly active users cardholders MAU daily active, approval rate success what percentage of payments is approved, total spend volume GMV revenue, report for management investors board, retention cohort conversion funnel, time from sign-up to first payment activation, chargeback win rate, churn inactive users, average spend per card, growth of sign-ups chart, number of withdrawals, which decline reasons are most frequent, weekly report",
  "/docs/guides/handbook#exports-and-reference-rates":
    "VAT value added tax report, download all payments spreadsheet csv excel, data warehouse BI snowflake parquet, trial balance profit and loss quarter, interchange fees report, monthly report for finance reconciliation file, ecb rates, aging report, exchange rate of a payment in dollars, daily settlement report from stripe, fees paid to the issuer, revenue from interchange per month, data for the accountant, list of all payments in a period, tax authority file, import into SAP, export journal ERP, reconcile",
  "/docs/guides/handbook#debts":
    "customer owes negative balance below zero minus, overdraft arrears unpaid, collect recover money dunning, write off forgive bad debt, how can a customer owe us, collect from next deposit, offline transaction took more than balance, provision for losses",
  "/docs/guides/handbook#currencies":
    "supported currencies tokens stablecoin USDC EURe GBPe pound, exchange rate conversion FX foreign money, which token for which country, change the currency of an account, switch between EUR and GBP USD, price list, support for USDC dollars pounds, exchange rate source, brazil argentina, customers pay in another currency fee, change from euro to pound, stablecoin list",
  "/docs/guides/handbook#captures-beyond-their-authorization":
    "merchant took more than approved overcapture, tip restaurant higher final amount, petrol hotel minibar tolerance, partial approval, release a hold manually blocked amount stays reserved, hotel charged more than booked, duplicate capture, late presentment after weeks, merchant captured after reversal, petrol 1 euro authorization",
  "/docs/guides/handbook#your-balance-at-the-issuer":
    "all cards decline because the stripe balance is empty, prefund collateral top up stripe issuing, forecast weekend holiday hours of cover, run out of money, float needed for the weekend, warning low balance at stripe, why did all cards fail on sunday, how much to send",
  "/docs/guides/handbook#stand-in":
    "do cards still work when our system is down, issuer approved offline while server outage, stripe default timeout fallback, both servers are down and someone pays, does the card work during an outage, stripe did not reach us, approve when offline, risk of offline approvals, network decided alone",
  "/docs/guides/handbook#disputes":
    "chargeback workflow deadline 110 days timeline, evidence submit to visa network representment arbitration, who pays provisional credit loss, take back a dispute, chargeback win rate follow up, automatic submission, deadline missed, representment documents, issuer asks for more evidence",
  "/docs/guides/handbook#reports-of-fraud":
    "unauthorized transaction refund by law PSD2, next business day 13 months, stolen details cloned card phishing victim liability, refuse reimbursement gross negligence, customer did not recognise a transaction, unauthorised payment refund deadline, customer wants to speak about fraud on his card, liability for stolen card payments, who pays fraud, refund within one day",
  "/docs/guides/handbook#cases":
    "what must finance do tickets queue, manual review exceptions to-do list, meaning of a case kind, recall of a SEPA transfer sender bank recalls, who approved this, what is waiting for finance, unresolved items older than a week, what to do with an unbooked payment, assign a case",
  "/docs/guides/handbook#stop-switches":
    "emergency stop all card payments kill switch, halt everything panic button, pause new sign-ups registrations turn off, maintenance mode planned outage, incident hacked attack security, stop everything now, planned maintenance notice, disable withdrawals temporarily, freeze all cards, incident response first step",
  "/docs/guides/handbook#declines": "approval rate why declined statistics, many declines spike count by reason",
  "/docs/guides/handbook#card-rules":
    "fraud rules velocity risk engine transaction monitoring, block category merchants countries for everybody, forbid gambling adult crypto exchange weapons high-risk country russia, limit number of payments per hour, test a rule before it is live shadow backtest, deny list MCC, ATM limit for all, block crypto exchanges, maximum amount per payment for all, stop fraud wave, new rule dry run, rule per partner, ban a merchant",
  "/docs/guides/handbook#changed-accounts":
    "someone changed the Safe module removed, violation tampered account cards blocked, allow a contract call",
  "/docs/guides/handbook#sanctions-and-suspicion":
    "PEP and sanctions screening watchlist OFAC, freeze the assets of a sanctioned person, report a suspicious transaction SAR STR MLRO, customer refuses to answer source of wealth funds, money laundering terrorist financing red flags, ongoing transaction monitoring customer due diligence EDD, high risk customer exit offboard, mule account, adverse media, block a terrorist OFAC hit, unusual activity pattern structuring, freeze an account on police request, enhanced due diligence, report to FIU, offboard a risky customer",
};
