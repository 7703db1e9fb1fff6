/** Identity verification: the statuses and the two ways into the provider's flow. */
import { z } from "zod";
import { defineRoute } from "./route.ts";

/** Every KYC status, in the order of a smooth application. */
export const kycStatuses = [
  "notStarted",
  "documentsRequested",
  "pending",
  "processing",
  "approved",
  "resubmissionRequested",
  "rejected",
  "requiresAction",
] as const;
export const kycStatus = z.enum(kycStatuses);
export type KycStatus = z.infer<typeof kycStatus>;

const language = z
  .string()
  .regex(/^[a-z]{2}$/, "language must be a two-letter ISO 639-1 code")
  .optional()
  .meta({ description: "ISO 639-1 code that forces the language of the flow", examples: ["de"] });

const integration = {
  method: "GET",
  access: "user",
  input: z.object({ language, lang: language }),
  errors: ["request.invalid", "auth.unauthorized", "kyc.already_approved", "kyc.provider_unavailable"],
  errorStyle: "message",
  failure: { style: "message", text: "Internal server error" },
} as const;

export const webLink = defineRoute({
  ...integration,
  path: "/kyc/integration",
  summary: "A link to the provider's hosted verification",
  output: z.object({ type: z.literal("PROVIDER_WEB"), url: z.string() }),
});

export const sdkToken = defineRoute({
  ...integration,
  path: "/kyc/integration/sdk",
  summary: "A token for the provider's SDK",
  output: z.object({ type: z.literal("PROVIDER_SDK"), token: z.string(), userId: z.string() }),
});
