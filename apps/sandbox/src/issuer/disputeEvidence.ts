/**
 * Evidence of disputes as the issuer checks it.
 *
 * Source: docs.stripe.com/issuing/purchases/disputes, "Dispute reasons and evidence", and the API reference.
 */
import type { Tx } from "@cardkeep/db/client";
import { findIssuerObject } from "@cardkeep/db/sandbox/issuerObjects";
import { z } from "zod";
import { evidencePurpose, fileObject } from "./files.ts";
import { IssuerError, missing } from "./route.ts";

const reasons = [
  "canceled",
  "duplicate",
  "fraudulent",
  "merchandise_not_as_described",
  "no_valid_authorization",
  "not_received",
  "other",
  "service_not_as_described",
] as const;
type Reason = (typeof reasons)[number];

const files = ["additional_documentation", "card_statement", "cash_receipt", "check_image"];

/** The fields of each reason besides the explanation and the documentation; of each group one is required. */
const fieldsOf: Readonly<Record<Reason, { known: readonly string[]; required: readonly (readonly string[])[] }>> = {
  canceled: {
    known: ["cancellation_reason", "product_description", "return_status", "returned_at"],
    required: [["canceled_at"], ["cancellation_policy_provided"], ["expected_at"], ["product_type"]],
  },
  duplicate: { known: [], required: [["original_transaction", "card_statement", "cash_receipt", "check_image"]] },
  fraudulent: { known: [], required: [] },
  merchandise_not_as_described: {
    known: ["returned_at"],
    required: [["received_at"], ["return_status"], ["return_description"]],
  },
  no_valid_authorization: { known: [], required: [] },
  not_received: { known: [], required: [["expected_at"], ["product_description"], ["product_type"]] },
  other: { known: ["product_description", "product_type"], required: [] },
  service_not_as_described: { known: [], required: [["received_at"], ["canceled_at"], ["cancellation_reason"]] },
};

/** Values arrive as text in a form; an empty one removes a field. */
const pieces = z.record(z.string(), z.string());

/** A dispute's evidence as a request gives it. */
export const evidenceInput = z
  .object({ reason: z.enum(reasons).optional() })
  .catchall(z.union([z.literal(""), pieces]));

/** A dispute's evidence as it is stored, and as answers show it. */
type Evidence = Record<string, unknown>;

const storedReason = z.object({ reason: z.enum(reasons) });
const storedPieces = z.record(z.string(), z.unknown()).catch({});

/**
 * Evidence after a request.
 * @throws IssuerError for a field that the reason does not have, or an unknown file
 */
export async function mergeEvidence(
  tx: Tx,
  known: unknown,
  { reason: given, ...parts }: z.output<typeof evidenceInput>,
): Promise<Evidence> {
  const before = storedPieces.parse(known);
  const reason = given ?? storedReason.safeParse(known).data?.reason;
  if (!reason) throw new IssuerError(400, "Missing required param: evidence[reason]", { param: "evidence[reason]" });
  const merged: Evidence = { ...before, reason };
  for (const [name, part] of Object.entries(parts)) {
    if (!reasons.some((each) => each === name))
      throw new IssuerError(400, `Received unknown parameter: evidence[${name}]`, { param: `evidence[${name}]` });
    const fresh = part === "" ? {} : await readPieces(tx, name as Reason, part);
    merged[name] = { ...storedPieces.parse(merged[name]), ...fresh };
  }
  return merged;
}

async function readPieces(tx: Tx, reason: Reason, given: Record<string, string>): Promise<Record<string, unknown>> {
  const { known, required } = fieldsOf[reason];
  const fields = ["explanation", "additional_documentation", ...known, ...required.flat()];
  const read: Record<string, unknown> = {};
  for (const [field, text] of Object.entries(given)) {
    const param = `evidence[${reason}][${field}]`;
    if (!fields.includes(field)) throw new IssuerError(400, `Received unknown parameter: ${param}`, { param });
    if (text !== "" && files.includes(field)) {
      const file = await findIssuerObject(tx, fileObject, text);
      if (file?.data["purpose"] !== evidencePurpose) throw missing("file upload", text, param, 400);
    }
    read[field] = text === "" ? null : readPiece(field, text, param);
  }
  return read;
}

function readPiece(field: string, text: string, param: string): unknown {
  if (field === "cancellation_policy_provided") return text === "true";
  if (!field.endsWith("_at")) return text;
  if (!/^\d{1,12}$/.test(text)) throw new IssuerError(400, `Invalid timestamp: ${text}`, { param });
  return Number(text);
}

/** @throws IssuerError for the first piece that is missing for a submission */
export function requireComplete(evidence: unknown): void {
  const { reason } = storedReason.parse(evidence);
  const given = storedPieces.parse(storedPieces.parse(evidence)[reason]);
  for (const group of [["explanation"], ...fieldsOf[reason].required]) {
    if (group.some((field) => (given[field] ?? null) !== null)) continue;
    const param = `evidence[${reason}][${group[0]}]`;
    throw new IssuerError(400, `Missing required evidence: ${group.join(" or ")}`, {
      code: "parameter_missing",
      param,
    });
  }
}
