/** Reads the clearings of a use of a card from Stripe's transactions. */
import { z } from "zod";
import { abs, readParts, toIsoMinor } from "./stripeAmounts.ts";
import { toCode, type transaction } from "./stripeAuthorization.ts";
import type { Clearing, ClearingKind, FaultyClearing } from "./spending.ts";

/** The issuer signs amounts as they change the balance: a capture is below zero, and above it where it is taken back. */
const kindsByType: Readonly<Record<string, { out: ClearingKind; back: ClearingKind }>> = {
  capture: { out: "capture", back: "capture_reversal" },
  refund: { out: "refund_reversal", back: "refund" },
};

function readClearing(parsed: z.output<typeof transaction>): Clearing | FaultyClearing {
  const { id, type, amount, merchant_amount: merchant, network_data: network } = parsed;
  const kinds = kindsByType[type];
  if (!kinds) return { id, fault: "type", signedCents: BigInt(amount) };
  if (amount * merchant < 0) return { id, fault: "sign", signedCents: BigInt(amount) };
  // Nothing is a plain capture or refund.
  const isOut = amount + merchant === 0 ? type === "capture" : amount + merchant < 0;
  return {
    id,
    kind: isOut ? kinds.out : kinds.back,
    amountCents: abs(amount),
    merchantMinor: toIsoMinor(abs(merchant), parsed.merchant_currency),
    postedAt: new Date(parsed.created * 1000),
    processedOn: z.iso.date().safeParse(network?.processing_date).data ?? null,
    networkReference: network?.transaction_id || null,
    feeCents: readParts(parsed.amount_details).feeCents,
  };
}

const isFaulty = (read: Clearing | FaultyClearing): read is FaultyClearing => "fault" in read;

type Use = Pick<z.output<typeof transaction>, "currency" | "card">;

/** The account's currency and the person are those of the whole use. */
function findStranger(
  { id, amount, currency, card }: Use & { id: string; amount: number },
  use: Use,
): FaultyClearing | null {
  const signedCents = BigInt(amount);
  if (toCode(currency) !== toCode(use.currency)) return { id, fault: "currency", signedCents };
  return card === use.card ? null : { id, fault: "card", signedCents };
}

/** The clearings that can be booked, and those that cannot with what is wrong. */
export function readClearings(transactions: readonly z.output<typeof transaction>[], use: Use) {
  const read = transactions.map((one) => findStranger(one, use) ?? readClearing(one));
  return { clearings: read.filter((one): one is Clearing => !isFaulty(one)), faults: read.filter(isFaulty) };
}
