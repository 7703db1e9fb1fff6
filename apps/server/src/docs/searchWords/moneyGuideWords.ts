/** Of the guides about the programme's money, its books, support and the start of a programme. */
export const moneyGuideWords: Readonly<Record<string, string>> = {
  "/docs/guides/money":
    "flow of funds overview diagram, who pays the merchant, where is the cash, crypto to fiat conversion who converts, when is money moved, explain settlement to my CFO in simple terms, how does the money get from the customer to the shop",
  "/docs/guides/money#the-way-of-a-card-payment":
    "what happens with money when a card is used, when does the merchant get paid, authorization to settlement steps, where is the money between approval and capture, how much do we owe merchants liability, unsettled authorizations outstanding, who bears the risk between, clearing time",
  "/docs/guides/money#the-programme-s-money-moves-on":
    "convert stablecoins tokens into euros off-ramp, replenish issuer balance, float liquidity, weekly routine of finance, bank transfer of company money",
  "/docs/guides/money#walk-it": "try treasury in the demo, exercise training of finance, balance sheet tutorial",
  "/docs/guides/money#other-money":
    "interchange revenue income how do we make money profit, journal entries debit credit, posting of a refund write-off chargeback loss goodwill VAT, fees earned, fx gains losses, where do fees go, income statement of the programme, cost of fraud, goodwill payment booking, how do we earn money, who pays for lost disputes, does the company earn on each purchase",
  "/docs/guides/money#who-checks-it":
    "reconciliation controls independent evidence, balance sheet reports audit, internal control, reconcile bank statement issuer report, evidence for an audit, four independent sources, safeguarding audit",
  "/docs/guides/books":
    "general ledger chart of accounts, balance sheet financial audit, close month end, bookkeeping of the company double entry",
  "/docs/guides/books#what-is-booked":
    "chart of accounts list, debit credit sign, suspense account meaning, opening balance, liabilities to customers, customer balances total liability, foreign exchange fx account, dormant unclaimed money, meaning of suspense transit prefund, accounting for cashback",
  "/docs/guides/books#close-a-day":
    "daily close end of day month, period does not close, open items difference break, reconcile with the issuer witness, lock accounting period, reconciliation with issuer statement, differences aged items, day cannot be closed why, reopen a closed day correction",
  "/docs/guides/books#files": "export format of postings json lines, close.json fields, python example",
  "/docs/guides/books#check-it":
    "auditor verify independently recompute, merkle tree root hash, prove that nothing was changed backdated",
  "/docs/guides/books#a-person-s-proof": "prove a balance to customer, merkle proof of liabilities inclusion",
  "/docs/guides/support":
    "customer service help desk call center, help desk agent first line manual faq, find a customer search a person or payment by merchant amount digits, how do I look up, caller forgot which email he used, identify a caller, find an account by phone number, what can support do, training for new agents",
  "/docs/guides/support#who-does-what":
    "what may the role support do, who is allowed to refund, who may see the name of a customer, permissions viewer finance compliance admin rights matrix, segregation of duties, block a person sanctions deactivate, which permissions does an agent have, can support see card numbers, who can unblock, what is finance allowed to do, first level second level escalation, who may approve a refund of a large amount",
  "/docs/guides/support#why-was-my-card-declined":
    "payment refused at the till card does not work, caller asks why declined explain, declined payments of one customer, card blocked by the security system suspicious, swiping my card did not work, contactless chip does not work in the shop, online payment fails, item costs more than my balance, card not accepted at a petrol station parking machine vending, what do I say to a customer whose card was refused, card payment failed but money there, terminal error, payment abroad refused, holiday trip card trouble",
  "/docs/guides/support#where-is-my-withdrawal":
    "withdrawal stuck pending, money did not arrive sent crypto, caller missing transfer out not received, how long does a withdrawal take, meaning of the status",
  "/docs/guides/support#i-was-charged-twice":
    "double charge duplicate payment same shop, billed two times appears twice",
  "/docs/guides/support#refund-me":
    "give money back goodwill, merchant refund not arrived does not show up, shop says it refunded, compensation reimburse gesture credit a customer, partial refund, compensate a customer for our mistake, return a fee, credit back, merchant refuses to pay back, merchant sends the refund to an old closed card, approve a refund of 500 euros",
  "/docs/guides/support#i-lost-my-phone-or-my-card":
    "customer lost phone stolen wallet, freeze block a card immediately as support, broken damaged card replacement send another, swallowed by the cash machine ATM kept the card, cracked worn chip does not read, robbed mugged, found my card again, emergency lost wallet on holiday, card stolen last night, replace plastic, order a replacement card, disable a card of a customer, new phone how do I log in",
  "/docs/guides/support#erase-my-data":
    "close customer account leave, how long must we answer a deletion request month deadline, right to be forgotten GDPR article 17, delete profile terminate offboard cancel membership, a person wants all data deleted, customer wants to leave us, stop being a customer, how do I close my account, withdraw everything and delete, GDPR request deadline, user wants to be forgotten, remove me from your system",
  "/docs/guides/support#the-balance-is-lower-than-expected":
    "missing money balance wrong less than before, difference between balance available spendable pending, hotel petrol still blocks money, money disappeared from the account, why is available less than total, money reserved, unexplained deduction, missing euros, balance in the app is delayed not updated wrong",
  "/docs/guides/support#a-person-died":
    "deceased customer death, heirs inheritance estate widow, probate death certificate executor next of kin, close an account of a dead customer",
  "/docs/guides/support#my-mail-address-or-phone-number-changed":
    "customer changed phone number new SIM provider, customer lost access to his e-mail, update contact details, typo in e-mail correct wrong phone, wrong number on the account, new email, change of contact fraud protection, phone number was recycled belongs to someone else",
  "/docs/guides/support#the-same-by-programs":
    "zendesk intercom freshdesk crm integration, help desk software api of the operator, automate support bot",
  "/docs/guides/programme":
    "what does it cost price budget to run a card programme, business case feasibility effort, start launch a crypto card business, requirements prerequisites, countries supported, contracts vendors bin sponsor, offer crypto cards in the UK, enter a new market, what do we need before we start, business plan, total cost of ownership",
  "/docs/guides/programme#partners-and-contracts":
    "which companies vendors stripe sumsub monerium twilio, what do we have to sign with visa mastercard bank, BIN sponsor, choose KYC provider alternatives swap other provider, subprocessors data processing agreement third parties, what happens if stripe terminates us lock-in second issuer, which vendors can be replaced, bank partner negotiation",
  "/docs/guides/programme#licences-and-duties":
    "do we need a banking licence e-money license, regulation MiCA EMI PSD2, who reports suspicious transactions SAR AML compliance officer, open source AGPL commercial use modify source code, PCI DSS duty, GDPR controller agreements register, travel rule money transmitter, which countries legal lawyer, safeguarding, may we sell it resell fork, do we need to publish our changes, must users be informed, who is responsible to the regulator, consumer protection complaints handling outsourcing DORA",
  "/docs/guides/programme#accounts-that-hold-money":
    "how much money do we need upfront, prefunding collateral, working capital float liquidity cash buffer deposit, safeguarding accounts, how much cash is tied up, liquidity plan, deposit at the issuer, reserve for a thousand cards",
  "/docs/guides/programme#gas":
    "blockchain network fee who pays gas, cost per transaction, monthly cost of chain xdai gwei",
  "/docs/guides/programme#machines":
    "servers hardware CPU memory sizing, cost of hosting cloud instance size AWS, throughput transactions per second TPS benchmark, capacity planning how many cards scale, cost of 10k users servers, how big a server, infrastructure for 1000 cards, run everything on one small VM",
  "/docs/guides/programme#weeks-to-launch":
    "project plan timeline time to market, how long until launch months schedule milestones, pilot beta test, when can we start, what takes longest",
  "/docs/guides/programme#what-the-team-needs":
    "how many people staff hire skills, headcount engineers on-call small company, who do we have to employ, day and night support",
  "/docs/guides/support#a-stranger-uses-my-account":
    "account takeover hacked account, someone took over my account, another person logged in as me unknown login stranger, compromised account phishing victim, log out everywhere",
  "/docs/guides/support#a-payment-is-pending":
    "cancel a pending transaction payment, payment pending for days still reserved, authorisation not settled when does a hold end, hotel deposit not given back blocked money, stop a payment take it back reverse, payment approved but never taken by the shop",
  "/docs/guides/support#how-long-a-refund-takes":
    "how long does a refund take to receive, refund not arrived yet days weeks, when do I get my money back from the shop, return of goods credited",
  "/docs/guides/support#the-shop-asks-for-a-code":
    "asked to enter a code when shopping online, 3DS OTP code not received, 3-D Secure verification step-up challenge, strong customer authentication confirm an online purchase, verified by visa secure code sms",
  "/docs/guides/support#the-pin-is-blocked":
    "locked my PIN unblock, wrong PIN three times too often, forgot my PIN remind",
  "/docs/guides/support#the-card-has-expired":
    "card replaced when it expires automatically, expiry date renewal new card, old card valid thru renew, virtual card expired",
  "/docs/guides/support#my-card-has-not-arrived":
    "card not delivered lost in the post mail, returned as undeliverable, delivery tracking shipping status where is my card, wrong delivery address, how long does delivery take courier, weeks and still no card in the mail, send a replacement to a new address",
  "/docs/guides/support#my-name-or-address-changed":
    "customer got married changed her name surname divorce, moved house new home address relocation, name misspelt wrong on the card, correct personal details date of birth, wrong country of residence correct it, verify a customer again new identity check",
  "/docs/guides/support#my-identity-check-does-not-end":
    "KYC stuck pending processing for days, verification rejected failed why, customer cannot pass verification selfie passport expired document, manual review how long does verification take, retry resubmit documents, which KYC documents are needed accepted, identity documents list",
  "/docs/guides/support#my-cashback":
    "no cashback received missing reward, why did I not get cashback, when is cashback paid out, cashback rate tier cap",
  "/docs/guides/programme#what-it-does-not-do":
    "interest savings on balance earn yield, credit line loan buy now pay later overdraft, business account for companies employees corporate cards, ready mobile app iOS Android, joint account, send money by phone number peer to peer contact, bring his own existing Safe import, exchange swap tokens currencies, limitations not supported features missing roadmap, outgoing bank transfer pay bills direct debit standing order, invest stocks, charge a monthly fee subscription price plan, hosted version SaaS cloud staging server, several brands tenants multi-tenant white-label resellers, loyalty points, cheque, payroll cards, recurring transfers, budgeting pots goals, import old customers migrate existing users from another provider, spending categories analytics budget for users, insurance, crypto trading, invoice for the card fee",
  "/docs/guides/support#a-deposit-has-not-arrived":
    "I deposited but it does not show in my wallet, deposit missing not credited, sent tokens on the wrong network chain, wrong token USDT sent, top up not visible, transferred money to my account and nothing happened, balance is still zero",
  "/docs/guides/support#the-person-is-blocked":
    "why is my account restricted limited suspended locked, person cannot pay with any card, customer blocked why, unblock a person lift a restriction, account disabled closed",
  "/docs/guides/support#money-went-to-a-wrong-address":
    "sent money to the wrong address can I get it back, recover a transfer sent by mistake, typo in the recipient irreversible, reverse a withdrawal that was executed, scammed sent crypto to a scammer",
  "/docs/guides/support#a-refund-is-smaller-than-the-purchase":
    "refund less than what I paid different amount, exchange rate loss on a refund, partial refund why not the whole amount, refunded more than the purchase",
  "/docs/guides/programme#what-banks-and-auditors-ask":
    "security questionnaire due diligence of a bank, who has access to production data, password policy of administrators, business continuity plan disaster recovery, penetration test vulnerability reporting bug bounty, change management and releases, data location hosting country, segregation of client funds, complaints handling, ISO 27001 SOC 2 information security, can an employee transfer money alone, outsourcing DORA ICT risk, wind-down plan, prepare for a regulator visit inspection, questions of the auditor",
};
