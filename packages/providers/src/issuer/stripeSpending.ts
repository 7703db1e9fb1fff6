/** Reads Stripe's objects about card money, which may hold any data. Source: Stripe's API reference, Issuing. */
import { z } from "zod";
import { abs, readParts, toIsoMinor } from "./stripeAmounts.ts";
import { readClearings } from "./stripeClearings.ts";
import { readChannel, readMerchant, readType } from "./stripeMerchant.ts";
import { authorization, issuerId, reference, toCode, transaction } from "./stripeAuthorization.ts";
import { readVerification } from "./stripeVerification.ts";
import type { AuthorizationRequest, ClearingKind, Decider, ThreadReport } from "./spending.ts";

/** The object of an `issuing_authorization.request`; null for an invalid one. */
export function parseAuthorizationRequest(object: unknown): AuthorizationRequest | null {
  const parsed = authorization.safeParse(object);
  if (!parsed.success || !parsed.data.pending_request) return null;
  const {
    id,
    card,
    pending_request: pending,
    merchant_data,
    metadata,
    request_history,
    verification_data,
  } = parsed.data;
  const merchant = readMerchant(merchant_data);
  const transactionType = readType(metadata, merchant);
  return {
    threadId: id,
    issuerCardId: card,
    amountCents: BigInt(pending.amount),
    currency: toCode(pending.currency),
    merchantMinor: toIsoMinor(BigInt(pending.merchant_amount), pending.merchant_currency),
    merchantCurrency: toCode(pending.merchant_currency),
    merchant,
    transactionType,
    channel: readChannel(parsed.data, merchant, transactionType),
    ordinal: request_history.length,
    isAmountControllable: pending.is_amount_controllable === true,
    ...readParts(pending.amount_details),
    verification: readVerification(parsed.data.token, verification_data),
    hasWrongSecurityCode: verification_data?.cvc_check === "mismatch",
  };
}

/** Names of an object alone, so that faults of its other fields do not hide it. */
const named = z.discriminatedUnion("object", [
  z.object({ object: z.literal("issuing.transaction"), id: issuerId, authorization: reference.nullish() }),
  z.object({ object: z.literal("issuing.authorization"), id: issuerId }),
]);

/** The thread of a callback's object; null for other objects. */
export function findThreadId(object: unknown): string | null {
  const parsed = named.safeParse(object);
  if (!parsed.success) return null;
  return parsed.data.object === "issuing.transaction" ? (parsed.data.authorization ?? parsed.data.id) : parsed.data.id;
}

/** The card of a use whose other fields cannot be read; null where that cannot be read either. */
export const findCardId = (object: unknown): string | null =>
  z.object({ card: reference }).safeParse(object).data?.card ?? null;

/** The issuer's reasons of a decline where it had no valid answer of ours. Any approval that we did not give is of this kind. */
const standInDeclines: readonly string[] = [
  "webhook_timeout",
  "webhook_error",
  "network_fallback",
  "stripe_internal_error",
];

/** Who decided a request, by the issuer's reason. Source: docs.stripe.com, `request_history.reason`. */
function readDecider(isApproved: boolean, reason: string | null | undefined): Decider {
  if (isApproved) return reason === "webhook_approved" ? "service" : "stand_in";
  if (reason === "webhook_declined") return "service";
  return standInDeclines.includes(reason ?? "") ? "stand_in" : "issuer";
}

/**
 * An authorization with its transactions, from the API. Null while the issuer still waits for the first answer: then
 * there is no decision yet.
 * @throws z.ZodError
 */
export function readAuthorization(object: unknown): ThreadReport | null {
  const parsed = authorization.parse(object);
  if (parsed.pending_request && parsed.request_history.length === 0) return null;
  const merchant = readMerchant(parsed.merchant_data);
  const transactionType = readType(parsed.metadata, merchant);
  return {
    threadId: parsed.id,
    issuerCardId: parsed.card,
    authorization: {
      isApproved: parsed.approved,
      status: parsed.status,
      amountCents: abs(parsed.amount),
      requests: parsed.request_history.map(
        ({ amount, amount_details, approved, created, merchant_amount, reason }) => ({
          isApproved: approved,
          amountCents: BigInt(Math.max(0, amount)),
          merchantMinor: toIsoMinor(abs(merchant_amount ?? amount), parsed.merchant_currency),
          ...readParts(amount_details),
          decidedBy: readDecider(approved, reason),
          decidedAt: new Date(created * 1000),
          reason: reason ?? null,
        }),
      ),
      reason: parsed.request_history.at(-1)?.reason ?? null,
    },
    currency: toCode(parsed.currency),
    merchantMinor: toIsoMinor(abs(parsed.merchant_amount), parsed.merchant_currency),
    merchantCurrency: toCode(parsed.merchant_currency),
    merchant,
    transactionType,
    channel: readChannel(parsed, merchant, transactionType),
    verification: readVerification(parsed.token, parsed.verification_data),
    ...readClearings(parsed.transactions, parsed),
  };
}

/** A thread of one clearing holds nothing that it could take back: money that leaves is captured, money that comes is refunded. */
const aloneKinds = {
  capture: "capture",
  refund: "refund",
  capture_reversal: "refund",
  refund_reversal: "capture",
} as const satisfies Readonly<Record<ClearingKind, ClearingKind>>;

/**
 * A transaction without an authorization, from the API.
 * @throws z.ZodError
 */
export function readTransaction(object: unknown): ThreadReport {
  const parsed = transaction.parse(object);
  const merchant = readMerchant(parsed.merchant_data);
  const transactionType = readType(parsed.metadata, merchant);
  const { clearings, faults } = readClearings([parsed], parsed);
  return {
    threadId: parsed.id,
    issuerCardId: parsed.card,
    authorization: null,
    currency: toCode(parsed.currency),
    merchantMinor: toIsoMinor(abs(parsed.merchant_amount), parsed.merchant_currency),
    merchantCurrency: toCode(parsed.merchant_currency),
    merchant,
    transactionType,
    channel: readChannel({}, merchant, transactionType),
    verification: readVerification(parsed.token, null),
    clearings: clearings.map((clearing) => ({ ...clearing, kind: aloneKinds[clearing.kind] })),
    faults,
  };
}
