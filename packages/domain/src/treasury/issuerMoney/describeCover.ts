import { centDecimals } from "@cardkeep/contract/core/currencies";
import type { IssuerCover } from "@cardkeep/db/queries/treasury/issuerMoney";
import { formatUnits } from "../../core/wording.ts";

/** How long the balance at the issuer lasts, as text for the operator; null for none. */
export function describeCover(covers: readonly IssuerCover[]): string | null {
  if (covers.length === 0) return null;
  const texts = covers.map(({ currency, balanceCents, inTransitCents, hours, transferHours }) => {
    const transit = inTransitCents === 0n ? "" : ` and ${formatUnits(inTransitCents, centDecimals)} on their way`;
    const lasts = hours === null ? "more than two weeks" : `${hours} h`;
    return `${formatUnits(balanceCents, centDecimals)} ${currency}${transit} at the issuer last for ${lasts}, and a transfer takes ${transferHours} h`;
  });
  return texts.join("; ");
}
