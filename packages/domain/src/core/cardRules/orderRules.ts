import { ruleScopes } from "@cardkeep/contract/cards/cardRules";
import type { CompiledRule } from "./compileRule.ts";

/** The order in which rules decline: the programme's, the partner's, the user's, the card's, of each the oldest first. */
export const orderRules = (rules: readonly CompiledRule[]): CompiledRule[] =>
  rules.toSorted(
    (a, b) => ruleScopes.indexOf(a.scope) - ruleScopes.indexOf(b.scope) || compareTexts(a.ruleId, b.ruleId),
  );

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
