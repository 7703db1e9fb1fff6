import { z } from "zod";

/** A text of evidence as it is sealed. Instants are ISO 8601. */
const evidenceText = z.object({
  explanation: z.string().optional(),
  productDescription: z.string().optional(),
  productType: z.string().optional(),
  canceledAt: z.string().optional(),
  cancellationPolicyProvided: z.boolean().optional(),
  cancellationReason: z.string().optional(),
  expectedAt: z.string().optional(),
  receivedAt: z.string().optional(),
  returnedAt: z.string().optional(),
  returnStatus: z.string().optional(),
  returnDescription: z.string().optional(),
  originalThreadId: z.string().optional(),
});
export type StoredText = z.output<typeof evidenceText>;

/** The text that was sealed. @throws Error for another one */
export const readEvidenceText = (json: string): StoredText => evidenceText.parse(JSON.parse(json));
