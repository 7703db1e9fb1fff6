/** What the issuer forbids a card by itself, also while the service does not answer. In our own terms. */

/** The periods of a limit: one payment, or a calendar window of UTC. */
export type ControlWindow = "payment" | "day" | "week" | "month" | "always";

/**
 * Coarse controls of a card. The issuer may forbid less than they say, because its categories and weeks are other ones,
 * and never more.
 */
export interface IssuerControls {
  /** Declines every use. */
  readonly isClosed: boolean;
  /** Codes of ISO 18245, or ranges such as `7800-7999`, ascending. */
  readonly blockedMccs: readonly string[];
  /** ISO 3166-1 alpha-2, ascending; null where every country is allowed. */
  readonly countries: { readonly list: "allowed" | "blocked"; readonly codes: readonly string[] } | null;
  /** Whether uses are declined where the card is shown, and where it is not. */
  readonly blockedPresences: readonly ("present" | "not_present")[];
  /** Minor units of the card's currency; at most one limit for each window. */
  readonly limits: readonly { readonly window: ControlWindow; readonly cents: bigint }[];
}

/** Controls that forbid nothing. */
export const noControls: IssuerControls = {
  isClosed: false,
  blockedMccs: [],
  countries: null,
  blockedPresences: [],
  limits: [],
};
