/** Rules that one owner may have about the programme, a partner, a user or a card: each decision about it runs them. */
export const rulesPerSubjectMax = 50;
/** Versions of one rule. */
export const versionsPerRuleMax = 50;

/** The errors of card rules, for operators and partners. */
export const ruleErrors = {
  "rules.not_found": { status: 404, text: "There is no such card rule" },
  "rules.foreign": { status: 409, text: "Another owner has made this card rule: it can only be made inactive" },
  "rules.subject_not_found": { status: 404, text: "There is no such partner, user or card" },
  "rules.not_subscribed": { status: 403, text: "The user does not let this partner receive events" },
  "rules.too_many": {
    status: 409,
    text: `There are ${rulesPerSubjectMax} card rules about it already: delete one first`,
  },
  "rules.too_many_versions": {
    status: 409,
    text: `The card rule has ${versionsPerRuleMax} versions already: make another rule and delete this one`,
  },
} as const;
