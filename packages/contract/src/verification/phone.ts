/** Phone verification: the user sends a number, gets a code there and sends the code. */
import { z } from "zod";
import { errors } from "../core/errorCatalogue.ts";
import { defineRoute } from "../core/route.ts";

const invalid = errors["phone.invalid"].text;
const phoneNumber = z
  .string(invalid)
  .regex(/^\+[1-9]\d{6,14}$/, invalid)
  .meta({ description: "Phone number in E.164 form", examples: ["+4915112345678"] });

/** Far above any code; a longer text cannot be a code. */
const codeLengthMax = 64;

const answer = z.object({ ok: z.boolean().meta({ description: "True on success", examples: [true] }) });

export const start = defineRoute({
  method: "POST",
  path: "/verification",
  summary: "Sends a code to a phone number. The number replaces any earlier one, validated or not",
  access: "user",
  input: z.object({ phoneNumber }),
  fieldErrors: { phoneNumber: "phone.invalid" },
  output: answer,
  errors: [
    "request.invalid",
    "phone.invalid",
    "phone.kyc_required",
    "phone.taken",
    "phone.provider_unavailable",
    "request.rate_limited",
  ],
  errorStyle: "error",
});

export const check = defineRoute({
  method: "POST",
  path: "/verification/check",
  summary: "Validates the phone number with the code that was sent to it",
  access: "user",
  input: z.object({
    code: z
      .string()
      .max(codeLengthMax)
      .meta({
        description: "The six digits of the message that `POST /verification` sends",
        pattern: "^[0-9]{6}$",
        examples: ["482917"],
      }),
  }),
  output: answer,
  errors: ["request.invalid", "phone.missing", "phone.wrong_code"],
  errorStyle: "error",
});
