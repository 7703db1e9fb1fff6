/**
 * A bank account number for the user's Safe, given by an e-money institution.
 *
 * - profile: the person as the institution knows them; one who had it before us links it by consent (OAuth).
 * - order: money that came in (`issue`) or went out (`redeem`), told by the institution.
 */
import { z } from "zod";
import { defineMachine, listStates, type StateOf } from "./machine.ts";
import { address, hex, id, instant } from "./primitives.ts";
import { defineRoute } from "./route.ts";

export const ibanMachine = defineMachine({
  name: "BankingDetails.emoneyIbanStatus",
  initial: "NOTSTARTED",
  states: {
    NOTSTARTED: { means: "Nothing was asked for, or what there was is forgotten" },
    PENDING: { means: "The institution has the person's file; the IBAN comes by itself" },
    PENDING_OAUTH: { means: "The person has a profile at the institution already and has to agree to its use" },
    ASSIGNED: { means: "The IBAN is there; money sent to it arrives in the Safe" },
  },
  transitions: [
    { from: "NOTSTARTED", to: "PENDING", when: "the institution takes the person on" },
    { from: "NOTSTARTED", to: "PENDING_OAUTH", when: "the institution says that the person has a profile" },
    { from: "PENDING", to: "PENDING_OAUTH", when: "the consent ran out before everything was set up" },
    { from: "PENDING", to: "ASSIGNED", when: "the institution assigns the IBAN" },
    { from: "PENDING", to: "NOTSTARTED", when: "the institution turns the person down, or reset" },
    { from: "PENDING_OAUTH", to: "PENDING", when: "the person agrees" },
    { from: "PENDING_OAUTH", to: "NOTSTARTED", when: "reset" },
    { from: "ASSIGNED", to: "NOTSTARTED", when: "reset" },
  ],
});
export type IbanStatus = StateOf<typeof ibanMachine>;
const ibanStatus = z.enum(listStates(ibanMachine));

/** What an owner of the Safe signs (EIP-191), word for word. Source: Monerium API v2, `POST /addresses`. */
export const addressDeclaration = "I hereby declare that I am the address owner.";

export const ibanOrderKinds = ["redeem", "issue"] as const;
export const ibanCurrencies = ["eur", "usd", "gbp", "isk"] as const;
export const ibanOrderStates = ["placed", "pending", "processed", "rejected"] as const;

export const bankingDetails = z.object({
  id,
  address,
  emoneyIban: z.string().nullable(),
  emoneyBic: z.string().nullable(),
  emoneyIbanStatus: ibanStatus,
  userId: id,
  createdAt: instant,
  updatedAt: instant,
});

/** Data of `iban.created`. */
export const ibanCreated = z.object({ userId: id, iban: z.string(), bic: z.string().nullable() });
/** Data of `iban.status.changed`. */
export const ibanStatusChanged = z.object({ userId: id, previousStatus: ibanStatus, currentStatus: ibanStatus });

const counterpart = z.object({
  details: z.object({ name: z.string().optional() }),
  identifier: z.union([
    z.object({ standard: z.literal("iban"), iban: z.string() }),
    z.object({ standard: z.literal("chain"), address: z.string(), chain: z.string() }),
  ]),
});
export type IbanCounterpart = z.output<typeof counterpart>;

const ibanOrder = z.object({
  id,
  kind: z.enum(ibanOrderKinds),
  currency: z.enum(ibanCurrencies),
  amount: z.string().meta({ description: "Decimal amount in the currency", examples: ["25.50"] }),
  address,
  counterpart,
  state: z.enum(ibanOrderStates),
  memo: z.string().nullable(),
  meta: z.object({ placedAt: instant }),
});

const urlLengthMax = 2_048;
const callbackUrl = z
  .string()
  .min(1)
  .max(urlLengthMax)
  .optional()
  .meta({
    description: "Where the person is sent after the consent: an address of an app that may sign people in",
    examples: ["https://app.example.org/iban"],
  });
const signature = hex
  .refine((value) => value.length > 2 && value.length <= 16_384)
  .meta({
    type: "string",
    pattern: "^0x([0-9a-fA-F]{2})+$",
    description: "An owner's signature of the message of `/ibans/signing-message`; of a contract wallet too (ERC-1271)",
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
  summary: "Whether the user may have an IBAN: verified, complete, of a supported country, with a Safe in EURe",
  output: z.object({ data: z.object({ available: z.boolean() }) }),
  errors: ["auth.unauthorized"],
});

export const signingMessage = defineRoute({
  ...ibans,
  method: "GET",
  path: "/ibans/signing-message",
  summary: "What an owner of the Safe signs for an IBAN",
  output: z.object({ data: z.object({ message: z.string() }) }),
  errors: ["auth.unauthorized"],
});

export const createProfile = defineRoute({
  ...ibans,
  method: "POST",
  path: "/ibans/emoney-profile",
  summary: "Asks for an IBAN; it comes within minutes. A person known to the institution is sent to its consent page",
  input: z.object({ signature, callbackUrl }),
  output: z.object({ data: z.object({ success: z.boolean() }) }),
  errors: [
    "request.invalid",
    "auth.unauthorized",
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
  summary: "The same as emoney-profile, told in more words; a signature that was sent before need not be sent again",
  input: z.object({ signature: signature.optional() }),
  output: z.object({
    data: z.object({
      success: z.boolean(),
      status: z.number(),
      description: z.string(),
      emoneyProfileId: z.string().optional(),
      iban: z.string().optional(),
      bic: z.string().optional(),
    }),
  }),
  errors: [
    "request.invalid",
    "auth.unauthorized",
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
  summary: "The user's IBAN, and how far it is",
  deprecated: { successor: "/user" },
  output: z.object({
    data: z.object({
      iban: z.string().nullable(),
      bic: z.string().nullable(),
      ibanStatus,
      address: address.nullable(),
    }),
  }),
  errors: ["auth.unauthorized"],
});

export const listOrders = defineRoute({
  ...ibans,
  method: "GET",
  path: "/ibans/orders",
  summary: "Money that came in by the IBAN, newest first",
  deprecated: { successor: null },
  output: z.object({ data: z.array(ibanOrder) }),
  errors: ["auth.unauthorized"],
});

export const redirectUrl = defineRoute({
  ...ibans,
  method: "GET",
  path: "/ibans/oauth/redirect_url",
  summary: "Where a person who has a profile at the institution agrees to its use; works once, for fifteen minutes",
  deprecated: { successor: "/ibans/emoney-profile" },
  input: z.object({ callbackUrl }),
  output: z.object({ data: z.object({ redirectUrl: z.string() }) }),
  errors: ["request.invalid", "auth.unauthorized", "ibans.invalid_callback_url"],
});

export const reset = defineRoute({
  ...ibans,
  method: "DELETE",
  path: "/ibans/reset",
  summary: "Forgets the user's IBAN and what came in by it; the institution keeps both",
  output: z.object({ data: z.object({ success: z.boolean() }) }),
  errors: ["auth.unauthorized"],
});
