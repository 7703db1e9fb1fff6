/** Settings of the contracts that accounts share, of every account's Delay module and of what its queue may hold. */
import { parseAcceptedCode } from "@cardkeep/chain/contractCode";
import { parseAllowedCall } from "@cardkeep/chain/entryPolicy";
import { z } from "zod";
import { list, readBy, wholeNumber } from "./settingTypes.ts";

const allowedCallFault = "must be address:selector or address:selector:DELEGATECALL";
const allowedCall = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}:0x[0-9a-fA-F]{8}(:DELEGATECALL)?$/, allowedCallFault)
  .transform((text) => parseAllowedCall(text));

export const accountEnvironment = {
  COOLDOWN_SECONDS: wholeNumber(180, 1, "Delay before an operation may execute"),
  EXPIRATION_SECONDS: wholeNumber(1800, 60, "Time in which it must execute after that"),
  CONTRACT_CODE: readBy(parseAcceptedCode, "must be name=0x… with a keccak256 of 32 bytes, comma separated")
    .optional()
    .describe(
      "Code of shared contracts that you deployed yourself, accepted besides the canonical one: name=keccak256, comma separated; you vouch for it",
    ),
  ALLOWED_CALLS: list
    .pipe(z.array(allowedCall))
    .default([])
    .describe(
      "Calls that an owner may queue and keep the card, besides transfers, owner and limit changes: `address:selector` or `address:selector:DELEGATECALL`, comma separated. Each is a risk: an owner can change the account by it",
    ),
};

/** What accounts are set up with, and which queue entries leave them whole. */
export const readAccounts = (e: z.output<z.ZodObject<typeof accountEnvironment>>) => ({
  cooldownSeconds: e.COOLDOWN_SECONDS,
  expirationSeconds: e.EXPIRATION_SECONDS,
  acceptedCode: e.CONTRACT_CODE ?? {},
  allowedCalls: e.ALLOWED_CALLS,
});
