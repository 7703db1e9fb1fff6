/**
 * Scopes: what a key for programs may read or do.
 *
 * - token: of a user. It reads what its scopes name, and changes nothing.
 * - partner's key: opens the partner's routes of its scopes; a key without a list opens all of them.
 */
import { keysOf } from "./keysOf.ts";

/** What each scope of a user's token reads. */
export const tokenScopeTexts = {
  transactions: "Card transactions, disputes, withdrawals and incoming payments by the IBAN",
  balances: "Balances of the account",
  statements: "Statements of account",
} as const satisfies Record<string, string>;
export type TokenScope = keyof typeof tokenScopeTexts;

// The keys of a literal are exactly those of its type.
export const tokenScopes = keysOf(tokenScopeTexts);

/** What each scope of a partner's API key opens. */
export const partnerScopeTexts = {
  events: "The feed of events",
  rules: "Card rules of the partner's users",
  users: "Facts about the partner's users",
} as const satisfies Record<string, string>;
export type PartnerScope = keyof typeof partnerScopeTexts;

// The keys of a literal are exactly those of its type.
export const partnerScopes = keysOf(partnerScopeTexts);
