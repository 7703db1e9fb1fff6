/** The routes of a person's IBAN: request it, link a profile, read it, forget it. */
import { z } from "zod";
import { iban, ibanOrder } from "./ibanOrders.ts";
import { addressDeclaration, bic, ibanStatus } from "./ibans.ts";
import { updatedSince } from "../core/instantOrDate.ts";
import { address, givenId, omitNull, result, signatureWith } from "../core/primitives.ts";
import { defineRoute } from "../core/route.ts";

const success = z.boolean().meta({ description: "True on success", examples: [true] });

const urlLengthMax = 2_048;
const callbackUrl = z
  .string()
  .min(1)
  .max(urlLengthMax)
  .optional()
  .meta({
    description: "The address to open after the consent: an address of a registered app",
    examples: ["https://app.example.org/iban"],
  });
const signature = signatureWith().meta({
  description:
    "An owner's signature (EIP-191) of `data.message` from `GET /ibans/signing-message`; a contract wallet's too (ERC-1271)",
});

const ibans = {
  access: "user",
  errorStyle: "error",
  failure: { style: "error", text: "Internal server error" },
} as const;

export const available = defineRoute({
  ...ibans,
  method: "GET",
  path: "/ibans/available",
  summary:
    "Whether the user may request an IBAN: verified, complete, of a supported country, with a Safe in EURe, and without an IBAN",
  output: z.object({
    data: z
      .object({
        available: z.boolean().meta({ description: "Whether the user may request an IBAN now", examples: [true] }),
      })
      .meta(result),
  }),
  errors: [],
});

export const signingMessage = defineRoute({
  ...ibans,
  method: "GET",
  path: "/ibans/signing-message",
  summary: "The message that an owner of the Safe signs for an IBAN",
  output: z.object({
    data: z
      .object({
        message: z.string().meta({ description: "The exact text to sign (EIP-191)", examples: [addressDeclaration] }),
      })
      .meta(result),
  }),
  errors: [],
});

export const createProfile = defineRoute({
  ...ibans,
  method: "POST",
  path: "/ibans/emoney-profile",
  summary:
    "Requests an IBAN, which arrives within minutes. A person known to the institution is sent to its consent page",
  input: z.object({ signature, callbackUrl }),
  output: z.object({ data: z.object({ success }).meta(result) }),
  errors: [
    "request.invalid",
    "safes.not_found",
    "ibans.unavailable",
    "ibans.invalid_signature",
    "ibans.invalid_callback_url",
    "ibans.profile_exists",
    "ibans.provider_unavailable",
  ],
});

export const integrate = defineRoute({
  ...ibans,
  method: "POST",
  path: "/integrations/emoney",
  summary: "The same as emoney-profile, with a more detailed answer; a signature sent before need not be sent again",
  input: z.object({ signature: signature.optional() }),
  output: z.object({
    data: z
      .object({
        success,
        status: z.number().meta({ description: "HTTP status, in the terms of the integration", examples: [200] }),
        description: z.string().meta({ description: "Status of the IBAN, in words", examples: ["IBAN assigned"] }),
        emoneyProfileId: z
          .string()
          .optional()
          .meta({
            description: "The person's profile at the institution; absent before there is one",
            examples: ["b1f2c3d4"],
          }),
        iban: iban.optional().meta({ description: "IBAN, without blanks; absent until it is assigned" }),
        bic: bic.optional().meta({ description: "BIC of the institution; absent until the IBAN is assigned" }),
      })
      .meta(result),
  }),
  errors: [
    "request.invalid",
    "safes.not_found",
    "ibans.unavailable",
    "ibans.invalid_signature",
    "ibans.signature_required",
    "ibans.integration_exists",
    "ibans.provider_unavailable",
  ],
});

export const details = defineRoute({
  ...ibans,
  method: "GET",
  path: "/ibans/details",
  summary: "The user's IBAN and its status",
  deprecated: { successor: "/user" },
  output: z.object({
    data: z
      .object({
        iban: omitNull(iban).meta({ description: "IBAN, without blanks; absent until it is assigned" }),
        bic: omitNull(bic).meta({ description: "BIC of the institution; absent until the IBAN is assigned" }),
        ibanStatus,
        address: omitNull(address).meta({ description: "The Safe's address; absent until an IBAN is requested" }),
      })
      .meta({ id: "IbanDetails", description: "The user's IBAN and its status" }),
  }),
  errors: [],
});

/** Orders that one answer holds at most. */
export const ibanOrdersMax = 1_000;

export const listOrders = defineRoute({
  ...ibans,
  method: "GET",
  path: "/ibans/orders",
  scope: "transactions",
  summary: "Incoming payments by the IBAN, newest first",
  deprecated: { successor: "/statements" },
  input: z.object({
    updatedSince: updatedSince("such as a report of the institution"),
    cursor: givenId
      .optional()
      .meta({ description: "`next` of the page before", examples: ["5c1f0e2a-9d3b-4f6e-8a7c-1b2d3e4f5a6b"] }),
  }),
  output: z.object({
    data: z.array(ibanOrder).meta({ description: `The orders, newest first, ${ibanOrdersMax} at most` }),
    next: z
      .string()
      .optional()
      .meta({
        description: "`cursor` of the page with older orders; absent on the last page",
        examples: ["5c1f0e2a-9d3b-4f6e-8a7c-1b2d3e4f5a6b"],
      }),
  }),
  errors: ["request.invalid"],
});

export const redirectUrl = defineRoute({
  ...ibans,
  method: "GET",
  path: "/ibans/oauth/redirect_url",
  summary:
    "The page where a person with a profile at the institution agrees to its use; works once, for fifteen minutes",
  deprecated: { successor: "/ibans/emoney-profile" },
  input: z.object({ callbackUrl }),
  output: z.object({
    data: z
      .object({
        redirectUrl: z
          .string()
          .meta({ description: "The address to open", examples: ["https://emoney.example/oauth"] }),
      })
      .meta(result),
  }),
  errors: ["request.invalid", "ibans.invalid_callback_url"],
});

export const reset = defineRoute({
  ...ibans,
  method: "DELETE",
  path: "/ibans/reset",
  summary: "Forgets the user's IBAN; its payments stay in the list, and the institution keeps both",
  output: z.object({ data: z.object({ success }).meta(result) }),
  errors: [],
});
