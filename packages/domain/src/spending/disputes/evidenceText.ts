import { z } from "zod";

/** A text of evidence as it is sealed. Instants are ISO 8601. */
const evidenceText = z
  .object({
    explanation: z.string(),
    productDescription: z.string(),
    productType: z.string(),
    canceledAt: z.string(),
    cancellationPolicyProvided: z.boolean(),
    cancellationReason: z.string(),
    expectedAt: z.string(),
    receivedAt: z.string(),
    returnedAt: z.string(),
    returnStatus: z.string(),
    returnDescription: z.string(),
    originalThreadId: z.string(),
  })
  .exactPartial();
export type StoredText = z.output<typeof evidenceText>;

/** The text that was sealed. @throws Error for another one */
export const readEvidenceText = (json: string): StoredText => evidenceText.parse(JSON.parse(json));
