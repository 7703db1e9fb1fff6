/** Of the operators' acts about people, cards and payments. */
export const actWords: Readonly<Record<string, string>> = {
  "/docs/acts#act-overview.show": "dashboard home status at a glance",
  "/docs/acts#act-search.run":
    "find a person a payment a card by name mail merchant digits look up customer wallet hash iban phone, caller forgot which email, find by iban hash last four digits",
  "/docs/acts#act-lists.export": "download a table spreadsheet excel csv of users cards payments",
  "/docs/acts#act-users.list":
    "list of all customers people who owe filter by country status, users who have not finished KYC verification, find inactive people, all rejected applicants, customers of a country",
  "/docs/acts#act-users.show":
    "customer profile details of one person account overview history 360, everything about one customer on one screen",
  "/docs/acts#act-users.deactivate":
    "block a customer sanctions ban close suspend a user lock out fraudster terminate relationship",
  "/docs/acts#act-users.activate": "reactivate unblock a customer restore",
  "/docs/acts#act-users.end-access":
    "log a user out everywhere end all sessions kick force sign out stolen phone compromised",
  "/docs/acts#act-users.add-wallet":
    "customer lost the sign-in wallet account taken over give access back restore removed wallet recover account",
  "/docs/acts#act-users.remove-wallet": "take a thief's wallet away hijacked account foreign wallet stranger signs in",
  "/docs/acts#act-users.change-contact":
    "customer changed phone number lost access to e-mail new address correct typo mail",
  "/docs/acts#act-users.withdraw-contact": "cancel a change of mail or phone",
  "/docs/acts#act-users.export":
    "data access request GDPR article 15 subject access portability DSAR, customer wants a copy of all data we have, download everything about a person for authorities, hand data over to the police, give a customer his data, export personal data as json",
  "/docs/acts#act-users.request-erasure": "customer wants to be deleted close account support hands on",
  "/docs/acts#act-users.erase": "delete a person permanently right to be forgotten close customer remove personal data",
  "/docs/acts#act-users.erase-again": "deleted people came back after a restored backup delete again",
  "/docs/acts#act-users.hold":
    "court order police investigation keep data legal hold preserve freeze deletion, customer under investigation do not delete anything",
  "/docs/acts#act-users.release": "end a legal hold",
  "/docs/acts#act-users.risk":
    "approve a high risk customer manually review income override rating enhanced due diligence EDD red source of wealth, customer is rated red how to clear, change the rating",
  "/docs/acts#act-questions.list": "source of funds questionnaire current questions",
  "/docs/acts#act-questions.set": "change the questionnaire add a question income occupation risk score of an answer",
  "/docs/acts#act-terms.list": "which terms version is in force",
  "/docs/acts#act-terms.publish":
    "new terms of service update legal text ask everybody to accept again, terms changed users must agree again",
  "/docs/acts#act-cards.list": "all cards of a customer frozen cards list",
  "/docs/acts#act-cards.show": "details of one card status history",
  "/docs/acts#act-cards.freeze": "block a customer's card temporarily lock suspend",
  "/docs/acts#act-cards.unfreeze": "unblock a card again customer found it",
  "/docs/acts#act-cards.lost": "report lost on behalf of the customer permanently",
  "/docs/acts#act-cards.stolen": "report stolen on behalf of the customer permanently theft",
  "/docs/acts#act-cards.reissue":
    "replace broken damaged card order a new one expired worn replacement, send a new card to a customer",
  "/docs/acts#act-cards.restore": "reopen a card closed after fraud by mistake bring back undo",
  "/docs/acts#act-wallet-tokens.list": "which phones have the card apple pay google pay devices",
  "/docs/acts#act-wallet-tokens.set": "remove card from apple pay suspend a lost phone device token google pay disable",
  "/docs/acts#act-callbacks.list": "what did stripe send incoming webhooks of the issuer unmatched ignored",
  "/docs/acts#act-payments.list": "find a payment by merchant amount search transactions declined today list by reason",
  "/docs/acts#act-payments.show":
    "details of one payment why declined trace timeline on-chain hash, why was this payment refused, follow one payment from start to end",
  "/docs/acts#act-payments.refund": "give money back goodwill who approved this refund compensate return manually",
  "/docs/acts#act-payments.request-refund": "support asks finance for a refund",
  "/docs/acts#act-payments.dispute": "open a chargeback on behalf of the customer",
  "/docs/acts#act-debts.write-off": "customer cannot pay forgive debt uncollectible cancel loss waive",
  "/docs/acts#act-holds.release": "pending payment blocked amount hotel release unblock reserved money early",
  "/docs/acts#act-disputes.list":
    "open chargebacks deadlines due soon, win rate of chargebacks, how long are chargebacks open, status of all disputes",
  "/docs/acts#act-disputes.show": "chargeback details evidence uploaded",
  "/docs/acts#act-disputes.submit": "send a chargeback to visa now",
  "/docs/acts#act-disputes.withdraw": "cancel a chargeback customer changed his mind",
  "/docs/acts#act-disputes.credit": "refund reported fraud unauthorised approve",
  "/docs/acts#act-disputes.revoke": "take back a fraud refund false claim abuse",
  "/docs/acts#act-cases.list":
    "open tickets work list what needs attention today queue, what must I do today, my tasks",
  "/docs/acts#act-cases.show": "one ticket details",
  "/docs/acts#act-cases.accept": "book an unbooked capture or credit anyway allow large refund",
  "/docs/acts#act-cases.close": "resolve a ticket done mark as solved reject request",
  "/docs/acts#act-rules.list": "which fraud rules are active",
  "/docs/acts#act-rules.show": "what did a rule block hits false positives",
  "/docs/acts#act-rules.create": "block merchants countries categories for everybody fraud rule velocity",
  "/docs/acts#act-rules.draft": "edit change an existing fraud rule new version",
  "/docs/acts#act-rules.shadow": "test a fraud rule silently monitor only",
  "/docs/acts#act-rules.activate": "switch a fraud rule on",
  "/docs/acts#act-rules.deactivate": "switch a fraud rule off too many false declines",
  "/docs/acts#act-rules.delete": "remove a fraud rule",
  "/docs/acts#act-rules.backtest": "how many past payments would a rule have blocked simulate",
  "/docs/acts#act-orders.list": "card orders waiting to be shipped who ordered",
  "/docs/acts#act-orders.show": "where is the card order of a customer delivery paid",
  "/docs/acts#act-orders.cancel": "cancel a card order for a customer wrong address",
  "/docs/acts#act-orders.return":
    "customer paid too much for the card overpaid give back order money, customer double paid for his plastic card, send back what was paid too much",
  "/docs/acts#act-coupons.list": "discount codes usage redemptions",
  "/docs/acts#act-coupons.create":
    "promotion discount code free card campaign voucher percent off, promo codes for launch influencer campaign",
  "/docs/acts#act-coupons.disable": "stop a promotion end a discount code",
};
