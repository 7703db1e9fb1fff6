/** Settings of the shared contracts, of every account's Delay module and of the calls that its queue may hold. */
import { parseAcceptedCode } from "@cardkeep/chain/contractCode";
import { parseAllowedCall } from "@cardkeep/chain/entryPolicy";
import type { AccountPolicy } from "@cardkeep/domain/core/policy";
import { z } from "zod";
import { list, readBy, type Values, wholeNumber } from "./types.ts";

const allowedCallFault = "must be address:selector or address:selector:DELEGATECALL";
const allowedCall = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}:0x[0-9a-fA-F]{8}(:DELEGATECALL)?$/, allowedCallFault)
  .transform((text) => parseAllowedCall(text));

export const accountEnvironment = {
  COOLDOWN_SECONDS: wholeNumber(180, 1, "Delay before an operation may execute"),
  EXPIRATION_SECONDS: wholeNumber(1800, 60, "Time after the delay in which the operation must execute"),
  CONTRACT_CODE: readBy(parseAcceptedCode, "must be name=0x… with a keccak256 of 32 bytes, comma separated")
    .optional()
    .describe(
      "Code of shared contracts that you deployed yourself, accepted in addition to the canonical code: " +
        "name=keccak256, comma separated. You are responsible for this code",
    ),
  ALLOWED_CALLS: list
    .pipe(z.array(allowedCall))
    .default([])
    .describe(
      "Calls that an owner may queue without a block of the card, in addition to transfers, owner and limit changes: " +
        "`address:selector` or `address:selector:DELEGATECALL`, comma separated. " +
        "Each is a risk: an owner can change the account with it",
    ),
};

/** The setup of accounts, and the queue entries that do not change it. */
export const readAccounts = (e: Values<typeof accountEnvironment>): AccountPolicy => ({
  cooldownSeconds: e.COOLDOWN_SECONDS,
  expirationSeconds: e.EXPIRATION_SECONDS,
  acceptedCode: e.CONTRACT_CODE ?? {},
  allowedCalls: e.ALLOWED_CALLS,
});
