import type { insertPayment } from "@cardkeep/db/queries/spending/payments";
import type { AuthorizationRequest } from "@cardkeep/providers/issuer/spending";
import type { Work } from "../context.ts";
import { generateId } from "../generateId.ts";

/** What a request for an authorization and a report of the thread have in common. */
type Use = Pick<AuthorizationRequest, "threadId" | "currency" | "merchantCurrency" | "merchant" | "transactionType">;

/** The first row of a payment, in REQUESTED; `target` is what shall leave the Safe, in base units. */
export function buildPaymentRow(
  { now, requestId }: Pick<Work, "now" | "requestId">,
  { userId, safeId, cardId }: { userId: string; safeId: string; cardId: string },
  { threadId, currency, merchantCurrency, merchant, transactionType }: Use,
  { authorizedCents, merchantMinor, target }: { authorizedCents: bigint; merchantMinor: bigint; target: bigint },
): Parameters<typeof insertPayment>[1] {
  return {
    id: generateId(),
    threadId,
    userId,
    safeId,
    cardId,
    status: "REQUESTED",
    authorizedCents,
    reversedCents: 0n,
    capturedCents: 0n,
    refundedCents: 0n,
    billingCurrency: currency,
    merchantMinor,
    merchantCurrency,
    merchantName: merchant.name,
    merchantCity: merchant.city,
    merchantCountry: merchant.country,
    mcc: merchant.mcc,
    transactionType,
    target,
    owed: 0n,
    setOff: 0n,
    excessCents: 0n,
    version: 0,
    requestId,
    createdAt: now,
    updatedAt: now,
  };
}
