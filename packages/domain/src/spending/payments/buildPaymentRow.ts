import type { CardPayment } from "@cardkeep/db/queries/spending/payments";
import type { AuthorizationRequest } from "@cardkeep/providers/issuer/spending";
import type { Work } from "../../core/context.ts";

/** What a request for an authorization and a report of the thread have in common. */
type Use = Pick<
  AuthorizationRequest,
  "threadId" | "currency" | "merchantCurrency" | "merchant" | "transactionType" | "channel" | "verification"
>;

/** A use of the card of an erased person, without the payee: that is what an erasure takes from a payment. */
export const withoutPayee = <T extends Pick<Use, "merchant">>(use: T): T => ({
  ...use,
  merchant: { ...use.merchant, networkId: null, name: null, city: null },
});

/** The first row of a payment, in REQUESTED; `id` is its new id, and `target` what shall leave the Safe, in base units. */
export function buildPaymentRow(
  { now, requestId }: Pick<Work, "now" | "requestId">,
  { id, userId, safeId, cardId }: { id: string; userId: string; safeId: string; cardId: string },
  { threadId, currency, merchantCurrency, merchant, transactionType, channel, verification }: Use,
  { authorizedCents, merchantMinor, target }: { authorizedCents: bigint; merchantMinor: bigint; target: bigint },
): CardPayment {
  return {
    id,
    threadId,
    userId,
    safeId,
    cardId,
    status: "REQUESTED",
    declineResult: null,
    declineReason: null,
    authorizedCents,
    reversedCents: 0n,
    capturedCents: 0n,
    refundedCents: 0n,
    billingCurrency: currency,
    merchantMinor,
    capturedMinor: 0n,
    merchantCurrency,
    merchantName: merchant.name,
    merchantCity: merchant.city,
    merchantCountry: merchant.country,
    mcc: merchant.mcc,
    merchantNetworkId: merchant.networkId,
    channel,
    transactionType,
    ...verification,
    target,
    owed: 0n,
    setOff: 0n,
    writtenOff: 0n,
    credit: 0n,
    excessCents: 0n,
    expiredAt: null,
    holdEndedAt: null,
    matchedThreadId: null,
    version: 0,
    requestId,
    createdAt: now,
    clearedAt: null,
    updatedAt: now,
  };
}
