/** Stripe's disputes. Source: docs.stripe.com/api/issuing/disputes and docs.stripe.com/issuing/purchases/disputes. */
import type { EvidenceFile } from "@cardkeep/contract/spending/disputeEvidence";
import type Stripe from "stripe";
import { z } from "zod";
import { createOnce } from "./createOnce.ts";
import { type DisputeIssuer, type DisputeReport, type EvidenceText, issuerDisputeReasons } from "./disputes.ts";
import { orNull } from "./stripeAbsence.ts";
import { issuerId } from "./stripeAuthorization.ts";
import { findThreadId } from "./stripeSpending.ts";

/** The key of our own id among a dispute's metadata. */
const referenceKey = "dispute_id";
const lossReasonLengthMax = 120;

const reference = z.union([issuerId, z.object({ id: issuerId }).transform(({ id }) => id)]);

const dispute = z.object({
  id: issuerId,
  object: z.literal("issuing.dispute"),
  amount: z.int(),
  currency: z.string().regex(/^[A-Za-z]{3}$/),
  balance_transactions: z.array(z.object({ amount: z.int() })).nullish(),
  evidence: z.object({ reason: z.enum(issuerDisputeReasons).catch("other") }),
  loss_reason: z.string().nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
  status: z.enum(["unsubmitted", "submitted", "won", "lost", "expired"]).nullable().catch(null),
  transaction: reference,
});

const identity = dispute.pick({ id: true, object: true, metadata: true });

/** The dispute of a callback's object; null for other objects. */
export function findDisputeId(object: unknown): { issuerDisputeId: string; reference: string | null } | null {
  const { data } = identity.safeParse(object);
  return data ? { issuerDisputeId: data.id, reference: data.metadata?.[referenceKey] || null } : null;
}

/** A dispute from the API. @throws z.ZodError */
function readDispute(object: unknown): DisputeReport {
  const parsed = dispute.parse(object);
  const amounts = (parsed.balance_transactions ?? []).map(({ amount }) => BigInt(amount));
  const sum = amounts.reduce((total, amount) => total + amount, 0n);
  return {
    issuerDisputeId: parsed.id,
    reference: parsed.metadata?.[referenceKey] || null,
    transactionId: parsed.transaction,
    reason: parsed.evidence.reason,
    status: parsed.status,
    amountCents: BigInt(Math.abs(parsed.amount)),
    currency: parsed.currency.toUpperCase(),
    reinstatedCents: sum > 0n ? sum : 0n,
    isRescinded: amounts.some((amount) => amount < 0n),
    // The cut may halve a character.
    lossReason: parsed.loss_reason?.slice(0, lossReasonLengthMax).toWellFormed() ?? null,
  };
}

const fileNames: Readonly<Record<EvidenceFile, string>> = {
  additionalDocumentation: "additional_documentation",
  cardStatement: "card_statement",
  cashReceipt: "cash_receipt",
  checkImage: "check_image",
};

const textNames: Readonly<Record<keyof EvidenceText, string>> = {
  explanation: "explanation",
  productDescription: "product_description",
  productType: "product_type",
  canceledAt: "canceled_at",
  cancellationPolicyProvided: "cancellation_policy_provided",
  cancellationReason: "cancellation_reason",
  expectedAt: "expected_at",
  receivedAt: "received_at",
  returnedAt: "returned_at",
  returnStatus: "return_status",
  returnDescription: "return_description",
  originalTransactionId: "original_transaction",
};

/** The issuer refuses fields that a reason does not have. */
const piecesOf: Readonly<Record<DisputeReport["reason"], readonly string[]>> = {
  canceled: [
    "canceled_at",
    "cancellation_policy_provided",
    "cancellation_reason",
    "expected_at",
    "product_description",
    "product_type",
    "return_status",
    "returned_at",
  ],
  duplicate: ["card_statement", "cash_receipt", "check_image", "original_transaction"],
  fraudulent: [],
  merchandise_not_as_described: ["received_at", "return_description", "return_status", "returned_at"],
  no_valid_authorization: [],
  not_received: ["expected_at", "product_description", "product_type"],
  other: ["product_description", "product_type"],
  service_not_as_described: ["canceled_at", "cancellation_reason", "received_at"],
};

/** Evidence as the issuer names it, without what this reason does not have. */
function buildEvidence(
  reason: DisputeReport["reason"],
  { text, files }: Parameters<DisputeIssuer["updateEvidence"]>[2],
): Record<string, string | number | boolean> {
  const known = ["explanation", "additional_documentation", ...piecesOf[reason]];
  const given = [
    ...Object.entries(textNames).map(([field, name]) => [name, text[field as keyof EvidenceText]] as const),
    ...Object.entries(fileNames).map(([slot, name]) => [name, files[slot as EvidenceFile]] as const),
  ];
  return Object.fromEntries(
    given.flatMap(([name, value]) => {
      if (value === undefined || !known.includes(name)) return [];
      return [[name, name.endsWith("_at") ? Math.floor(Date.parse(String(value)) / 1000) : value]];
    }),
  );
}

/** The dispute part of the adapter. */
export function createDisputeIssuer(
  stripe: Stripe,
  ask: <T>(what: string, call: () => Promise<T>) => Promise<T>,
): DisputeIssuer {
  const { disputes, transactions } = stripe.issuing;
  return {
    findTransactionDispute: (transaction) =>
      ask("find the dispute of a transaction", async () => {
        const { data } = await disputes.list({ transaction, limit: 1 });
        return data[0] ? readDispute(data[0]) : null;
      }),
    findTransactionThread: (id) =>
      ask("read a transaction", () => orNull(async () => findThreadId(await transactions.retrieve(id)))),
    findDispute: (id) => ask("read a dispute", () => orNull(async () => readDispute(await disputes.retrieve(id)))),
    createDispute: async ({ transactionId: transaction, reason, explanation, amountCents, reference: ours }) =>
      ask("create the dispute", async () => {
        const params = {
          transaction,
          evidence: { reason, [reason]: { explanation } },
          metadata: { [referenceKey]: ours },
          ...(amountCents !== null && { amount: Number(amountCents) }),
        };
        const create = (idempotencyKey: string) => disputes.create(params, { idempotencyKey });
        const find = async () => (await disputes.list({ transaction, limit: 1 })).data[0] ?? null;
        return readDispute(await createOnce(`dispute:${ours}`, { create, find }));
      }),
    uploadEvidence: ({ bytes, mediaType, name }) =>
      ask("upload evidence", async () => {
        const file = { data: Buffer.from(bytes), name, type: mediaType };
        return (await stripe.files.create({ purpose: "dispute_evidence", file })).id;
      }),
    updateEvidence: async (id, reason, evidence) => {
      await ask("update the evidence", () =>
        disputes.update(id, { evidence: { reason, [reason]: buildEvidence(reason, evidence) } }),
      );
    },
    submitDispute: (id) =>
      ask("submit the dispute", async () => {
        const present = await disputes.retrieve(id);
        return readDispute(present.status === "unsubmitted" ? await disputes.submit(id) : present);
      }),
    listDisputeIds: (since) =>
      ask("list disputes", async () => {
        const ids: string[] = [];
        for await (const { id } of disputes.list({ created: { gte: Math.floor(since.getTime() / 1000) }, limit: 100 }))
          ids.push(id);
        return ids;
      }),
  };
}
