/** The routes of disputes and their evidence. */
import { z } from "zod";
import { evidenceFields, evidenceFiles, evidenceSlots } from "./disputeEvidence.ts";
import { disputeFields } from "./disputeFields.ts";
import { cardToken } from "../cards/cards.ts";
import { givenId, instant } from "../core/primitives.ts";
import { defineRoute } from "../core/route.ts";

const shared = {
  access: "user",
  errorStyle: "error",
  failure: { style: "error", text: "Internal server error" },
} as const;

const threadId = givenId.meta({
  description: "The transaction's thread, `threadId` from `GET /transactions`",
  examples: ["iauth_1a2b3c4d5e6f708192a3b4c5"],
});

/** Largest file in bytes, as the issuer has it. */
export const fileBytesMax = 5 * 1024 * 1024;
/** Base64 and the other fields. */
const fileBodyBytesMax = Math.ceil(fileBytesMax / 3) * 4 + 4_096;

const textLengthMax = 2_500;
const text = (description: string, example: string) =>
  z
    .string()
    .min(1)
    .max(textLengthMax)
    .optional()
    .meta({ description, examples: [example] });
const when = (description: string) =>
  z.iso
    .datetime({ offset: true })
    .optional()
    .meta({ description: `${description}: ISO 8601`, examples: ["2026-01-01T10:00:00.000Z"] });

const evidenceState = {
  evidence: z
    .array(
      z.object({
        slot: z.enum(evidenceSlots).meta({ description: "`text`, or the meaning of a file", examples: ["text"] }),
        fields: z
          .array(z.enum(evidenceFields))
          .meta({ description: "The fields of a text that were given", examples: [["explanation"]] }),
        mediaType: z
          .string()
          .nullable()
          .meta({ description: "Of a file; null for the text", examples: ["application/pdf"] }),
        size: z
          .int()
          .nullable()
          .meta({ description: "Bytes of a file; null for the text", examples: [48_213] }),
        createdAt: instant.meta({ description: "When it was given" }),
        handedAt: instant.nullable().meta({ description: "When the issuer got it; its content was deleted here then" }),
      }),
    )
    .meta({ description: "The evidence that was given, without its content" }),
  missing: z
    .array(z.enum([...evidenceFields, ...evidenceFiles]))
    .meta({ description: "What the reason still needs before the dispute is submitted", examples: [["receivedAt"]] }),
};

export const showDispute = defineRoute({
  ...shared,
  method: "GET",
  path: "/transactions/{threadId}/dispute",
  scope: "transactions",
  summary: "A transaction's dispute: its status, amounts, last day and evidence",
  input: z.object({ threadId }),
  output: z.object({ cardToken, ...disputeFields, ...evidenceState }),
  errors: ["transactions.not_found", "transactions.not_disputed"],
});

export const addEvidence = defineRoute({
  ...shared,
  method: "POST",
  path: "/transactions/{threadId}/dispute/evidence",
  summary: "Adds text to a transaction's dispute, also before it is disputed; given fields replace earlier ones",
  input: z.object({
    threadId,
    explanation: text("What happened, in the user's words", "I cancelled the order the same day"),
    productDescription: text("What was bought", "A pair of headphones"),
    productType: z
      .enum(["merchandise", "service"])
      .optional()
      .meta({ description: "What was bought", examples: ["merchandise"] }),
    canceledAt: when("When the user cancelled"),
    cancellationPolicyProvided: z
      .boolean()
      .optional()
      .meta({ description: "Whether the merchant showed a cancellation policy", examples: [false] }),
    cancellationReason: text("Why the user cancelled", "It was delivered too late"),
    expectedAt: when("When the user expected what was bought"),
    receivedAt: when("When the user received it"),
    returnedAt: when("When the user returned it, or tried to"),
    returnStatus: z
      .enum(["merchant_rejected", "successful"])
      .optional()
      .meta({ description: "What became of the return", examples: ["merchant_rejected"] }),
    returnDescription: text("How the user tried to return it", "By parcel; the merchant refused it"),
    originalThreadId: givenId.optional().meta({
      description: "The transaction that paid it before, `threadId` from `GET /transactions`",
      examples: ["iauth_2b3c4d5e6f708192a3b4c5d6"],
    }),
  }),
  output: z.object(evidenceState),
  errors: [
    "request.invalid",
    "transactions.not_found",
    "transactions.declined",
    "transactions.no_money",
    "transactions.evidence_closed",
  ],
});

export const addEvidenceFile = defineRoute({
  ...shared,
  method: "POST",
  path: "/transactions/{threadId}/dispute/evidence/files",
  summary: "Adds a file to a transaction's dispute: a PDF, JPEG or PNG of at most 5 MB",
  bodyBytesMax: fileBodyBytesMax,
  input: z.object({
    threadId,
    slot: z.enum(evidenceFiles).meta({
      description: "The meaning of the file; a later file of the same meaning replaces it",
      examples: ["additionalDocumentation"],
    }),
    file: z
      .string()
      .min(1)
      .max(fileBodyBytesMax)
      .meta({ description: "The file in base64", examples: ["JVBERi0xLjQKJSVFT0YK"] }),
  }),
  fieldErrors: { file: "transactions.invalid_file" },
  output: z.object(evidenceState),
  errors: [
    "request.invalid",
    "transactions.not_found",
    "transactions.declined",
    "transactions.no_money",
    "transactions.invalid_file",
    "transactions.evidence_closed",
    "transactions.evidence_full",
    "request.too_slow",
  ],
});
