/**
 * Identity verification: the statuses, the two ways into the provider's flow, and the sharing of a verified file with
 * a partner.
 */
import { z } from "zod";
import { defineMachine, listStates, type StateOf } from "../core/machine.ts";
import { id } from "../core/primitives.ts";
import { defineRoute } from "../core/route.ts";

export const kycMachine = defineMachine({
  name: "User.kycStatus",
  initial: "notStarted",
  states: {
    notStarted: { means: "No application yet, or the provider reset it" },
    documentsRequested: { means: "The applicant exists; documents are missing" },
    pending: { means: "Documents are uploaded" },
    processing: { means: "The provider is checking" },
    approved: { means: "Verified; the person's data is filled in" },
    resubmissionRequested: { means: "The person may correct the data and try again" },
    rejected: { means: "Turned down" },
    requiresAction: { means: "A person at the provider must review it" },
  },
  transitions: [
    { from: "notStarted", to: "documentsRequested", when: "the provider creates the applicant" },
    { from: "documentsRequested", to: "pending", when: "the person uploads documents" },
    { from: "pending", to: "processing", when: "the provider starts its check" },
    { from: "processing", to: "approved", when: "the provider says GREEN" },
    { from: "processing", to: "resubmissionRequested", when: "the provider says RED, try again" },
    { from: "processing", to: "rejected", when: "the provider says RED, final" },
    { from: "processing", to: "requiresAction", when: "the provider puts the applicant on hold" },
    { from: "resubmissionRequested", to: "pending", when: "the person uploads documents again" },
    { from: "requiresAction", to: "approved", when: "the hold ends with an approval" },
    { from: "requiresAction", to: "rejected", when: "the hold ends with a rejection" },
    { from: "any", to: "any", when: "a newer callback of the provider says so; steps may be skipped" },
  ],
});
export const kycStatuses = listStates(kycMachine);
export const kycStatus = z
  .enum(kycStatuses)
  .meta({ description: "Status of identity verification", examples: ["approved"] });
export type KycStatus = StateOf<typeof kycMachine>;

const language = z
  .string()
  .regex(/^[a-z]{2}$/, "language must be a two-letter ISO 639-1 code")
  .optional()
  .meta({ description: "ISO 639-1 code that forces the language of the flow", examples: ["de"] });

const integration = {
  method: "GET",
  access: "user",
  input: z.object({ language, lang: language }),
  errors: ["request.malformed", "kyc.already_approved", "kyc.provider_unavailable"],
  errorStyle: "message",
  failure: { style: "message", text: "Internal server error" },
} as const;

export const webLink = defineRoute({
  ...integration,
  path: "/kyc/integration",
  summary: "A link to the provider's hosted verification",
  output: z.object({
    type: z.literal("PROVIDER_WEB").meta({ description: "The kind of answer: a link" }),
    url: z.string().meta({ description: "The address to open", examples: ["https://kyc.example/flow/1"] }),
  }),
});

export const sdkToken = defineRoute({
  ...integration,
  path: "/kyc/integration/sdk",
  summary: "A token for the provider's SDK",
  output: z.object({
    type: z.literal("PROVIDER_SDK").meta({ description: "The kind of answer: a token" }),
    token: z
      .string()
      .meta({ description: "Access token for the provider's SDK, valid for 600 seconds", examples: ["_act-1"] }),
    userId: id.meta({ description: "The user's id at the provider" }),
  }),
});

const clientIdLengthMax = 128;
const daySeconds = 86_400;

export const importPartnerApplicant = defineRoute({
  method: "POST",
  path: "/kyc/import-partner-applicant",
  summary: "A one-time token with which a partner copies the user's verified file at the identity provider",
  access: "user",
  input: z.object({
    forClientId: z
      .string()
      .min(1)
      .max(clientIdLengthMax)
      .optional()
      .meta({
        description: "The partner's client id at the identity provider; the operator may have set one",
        examples: ["example-partner"],
      }),
    ttlInSecs: z
      .int()
      .min(1)
      .max(daySeconds)
      .optional()
      .meta({ description: "Token lifetime in seconds, 1 to 86400, default 600", examples: [600] }),
  }),
  output: z.object({
    token: z.string().meta({ description: "Share token, valid once", examples: ["_act-share-1"] }),
    forClientId: z.string().meta({ description: "The client that may use it", examples: ["example-partner"] }),
  }),
  holdsToken: true,
  errors: ["request.invalid", "kyc.not_approved", "kyc.share_refused", "kyc.provider_unavailable"],
  errorStyle: "message",
  failure: { style: "message", text: "Internal server error" },
});
