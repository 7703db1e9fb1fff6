/** Of the guides about the programme's money, its books, support and the start of a programme. */
export const moneyGuideWords: Readonly<Record<string, string>> = {
  "/docs/guides/money":
    "flow of funds overview diagram, who pays the merchant, where is the cash, crypto to fiat conversion who converts, when is money moved",
  "/docs/guides/money#the-way-of-a-card-payment":
    "what happens with money when a card is used, when does the merchant get paid, authorization to settlement steps, where is the money between approval and capture",
  "/docs/guides/money#the-programme-s-money-moves-on":
    "convert stablecoins tokens into euros off-ramp, replenish issuer balance, float liquidity, weekly routine of finance, bank transfer of company money",
  "/docs/guides/money#walk-it": "try treasury in the demo, exercise training of finance, balance sheet tutorial",
  "/docs/guides/money#other-money":
    "interchange revenue income how do we make money profit, journal entries debit credit, posting of a refund write-off chargeback loss goodwill VAT, fees earned",
  "/docs/guides/money#who-checks-it":
    "reconciliation controls independent evidence, balance sheet reports audit, internal control",
  "/docs/guides/books":
    "general ledger chart of accounts, balance sheet financial audit, close month end, bookkeeping of the company double entry",
  "/docs/guides/books#what-is-booked":
    "chart of accounts list, debit credit sign, suspense account meaning, opening balance, liabilities to customers",
  "/docs/guides/books#close-a-day":
    "daily close end of day month, period does not close, open items difference break, reconcile with the issuer witness, lock accounting period",
  "/docs/guides/books#files": "export format of postings json lines, close.json fields, python example",
  "/docs/guides/books#check-it":
    "auditor verify independently recompute, merkle tree root hash, prove that nothing was changed backdated",
  "/docs/guides/books#a-person-s-proof": "prove a balance to customer, merkle proof of liabilities inclusion",
  "/docs/guides/support":
    "customer service help desk call center, help desk agent first line manual faq, find a customer search a person or payment by merchant amount digits, how do I look up",
  "/docs/guides/support#who-does-what":
    "what may the role support do, who is allowed to refund, who may see the name of a customer, permissions viewer finance compliance admin rights matrix, segregation of duties, block a person sanctions deactivate",
  "/docs/guides/support#why-was-my-card-declined":
    "payment refused at the till card does not work, caller asks why declined explain, declined payments of one customer",
  "/docs/guides/support#where-is-my-withdrawal":
    "withdrawal stuck pending, money did not arrive sent crypto, caller missing transfer out not received, how long does a withdrawal take, meaning of the status",
  "/docs/guides/support#i-was-charged-twice":
    "double charge duplicate payment same shop, billed two times appears twice",
  "/docs/guides/support#refund-me":
    "give money back goodwill, merchant refund not arrived does not show up, shop says it refunded, compensation reimburse gesture credit a customer, partial refund",
  "/docs/guides/support#i-lost-my-phone-or-my-card":
    "customer lost phone stolen wallet, freeze block a card immediately as support, broken damaged card replacement send another, swallowed by the cash machine ATM kept the card, cracked worn chip does not read, robbed mugged, found my card again",
  "/docs/guides/support#erase-my-data":
    "close customer account leave, how long must we answer a deletion request month deadline, right to be forgotten GDPR article 17, delete profile terminate offboard cancel membership",
  "/docs/guides/support#the-balance-is-lower-than-expected":
    "missing money balance wrong less than before, difference between balance available spendable pending, hotel petrol still blocks money, money disappeared from the account",
  "/docs/guides/support#a-person-died":
    "deceased customer death, heirs inheritance estate widow, probate death certificate executor next of kin",
  "/docs/guides/support#my-mail-address-or-phone-number-changed":
    "customer changed phone number new SIM provider, customer lost access to his e-mail, update contact details, typo in e-mail correct wrong phone",
  "/docs/guides/support#the-same-by-programs":
    "zendesk intercom freshdesk crm integration, help desk software api of the operator, automate support bot",
  "/docs/guides/programme":
    "what does it cost price budget to run a card programme, business case feasibility effort, start launch a crypto card business, requirements prerequisites, countries supported, contracts vendors bin sponsor",
  "/docs/guides/programme#partners-and-contracts":
    "which companies vendors stripe sumsub monerium twilio, what do we have to sign with visa mastercard bank, BIN sponsor, choose KYC provider alternatives swap other provider, subprocessors data processing agreement third parties",
  "/docs/guides/programme#licences-and-duties":
    "do we need a banking licence e-money license, regulation MiCA EMI PSD2, who reports suspicious transactions SAR AML compliance officer, open source AGPL commercial use modify source code, PCI DSS duty, GDPR controller agreements register, travel rule money transmitter, which countries legal lawyer, safeguarding",
  "/docs/guides/programme#accounts-that-hold-money":
    "how much money do we need upfront, prefunding collateral, working capital float liquidity cash buffer deposit, safeguarding accounts",
  "/docs/guides/programme#gas":
    "blockchain network fee who pays gas, cost per transaction, monthly cost of chain xdai gwei",
  "/docs/guides/programme#machines":
    "servers hardware CPU memory sizing, cost of hosting cloud instance size AWS, throughput transactions per second TPS benchmark, capacity planning how many cards scale",
  "/docs/guides/programme#weeks-to-launch":
    "project plan timeline time to market, how long until launch months schedule milestones, pilot beta test",
  "/docs/guides/programme#what-the-team-needs":
    "how many people staff hire skills, headcount engineers on-call small company",
};
