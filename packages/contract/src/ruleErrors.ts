/** The errors of card rules, for operators and partners. */
export const ruleErrors = {
  "rules.not_found": { status: 404, text: "There is no such card rule" },
  "rules.foreign": { status: 409, text: "Another owner has made this card rule: it can only be made inactive" },
  "rules.subject_not_found": { status: 404, text: "There is no such partner, user or card" },
} as const;
