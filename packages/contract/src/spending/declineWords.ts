/**
 * Why a use of a card is declined, in words.
 *
 * - code: stable name of a reason. Payments keep it, logs have it, and the issuer gets ours as `metadata.reason`.
 * - issuer's reason: the issuer declined without us. Its code is the issuer's own word after `issuer_`.
 */
import { declineReasons, type DeclineWords } from "./declineReasons.ts";
import { issuerReasons } from "./issuerReasons.ts";

const issuerPrefix = "issuer_";

/** The code of a reason that the issuer names. */
export const nameIssuerReason = (reason: string): string => `${issuerPrefix}${reason}`;

/** Every code with its words. */
export const declineCatalogue: ReadonlyMap<string, DeclineWords> = new Map<string, DeclineWords>([
  ...Object.entries(declineReasons),
  ...Object.entries(issuerReasons).map(([reason, words]) => [nameIssuerReason(reason), words] as const),
]);

/** Every code of the catalogue. */
export type DeclineCode = keyof typeof declineReasons | `${typeof issuerPrefix}${keyof typeof issuerReasons}`;

const withoutWords: DeclineWords = {
  happened: "The payment was declined without a reason that is known here.",
  remedy: "Look for the thread in the log, and ask the issuer.",
  user: "This payment was declined. Please contact support.",
};

/** A code in words. A reason that the issuer has added since gets words that say so. */
export const describeDecline = (code: string | null): DeclineWords =>
  (code === null ? undefined : declineCatalogue.get(code)) ?? withoutWords;
