/** Owners: the wallets that may move the Safe's funds, each enabled as a module of its Delay module. */
import { z } from "zod";
import { acceptedDelay, authorizationOf, signedData } from "./delays.ts";
import { address, addressWith, result } from "../core/primitives.ts";
import { defineRoute } from "../core/route.ts";

const owners = {
  access: "user",
  errorStyle: "error",
  unauthorizedStyle: "error",
  failure: { style: "message", text: "An unexpected error occurred." },
} as const;

const addition = {
  newOwner: addressWith("Invalid newOwner address format").meta({
    description: "The wallet that becomes an owner, in any letter case",
    examples: ["0x00000000000000000000000000000000000A11cE"],
  }),
};
const removal = {
  ownerToRemove: addressWith("Invalid ownerToRemove address format", { isForMissing: true }).meta({
    description: "The owner to remove, one from `GET /owners`, in any letter case",
    examples: ["0x00000000000000000000000000000000000A11cE"],
  }),
};

const additionErrors = ["owners.already_owner", "owners.unsuitable"] as const;
const removalErrors = ["owners.not_owner", "owners.last"] as const;
const submissionErrors = [
  "delays.message_mismatch",
  "delays.invalid_signature",
  "delays.signer_leaving",
  "delays.already_submitted",
  "delays.refused",
  "owners.change_open",
  "delays.quota_exceeded",
] as const;

export const list = defineRoute({
  ...owners,
  method: "GET",
  path: "/owners",
  summary: "The wallets that may move the Safe's funds, read from the chain",
  output: z.object({
    data: z
      .object({
        owners: z.array(address).meta({ description: "The wallets enabled on the Delay module" }),
      })
      .meta(result),
  }),
  errors: ["safes.not_found"],
});

export const addData = defineRoute({
  ...owners,
  method: "GET",
  path: "/owners/add/transaction-data",
  summary: "The typed data to sign for a new owner",
  input: z.object(addition),
  output: z.object({ data: signedData }),
  errors: ["request.invalid", "safes.not_found", ...additionErrors],
});

export const add = defineRoute({
  ...owners,
  method: "POST",
  path: "/owners",
  summary: "Adds an owner through the delay relay",
  input: z.object({ ...addition, ...authorizationOf(addData.path) }),
  output: z.object({ data: acceptedDelay }),
  errors: ["request.invalid", "safes.not_found", ...additionErrors, ...submissionErrors],
});

export const removeData = defineRoute({
  ...owners,
  method: "GET",
  path: "/owners/remove/transaction-data",
  summary: "The typed data to sign for the removal of an owner",
  input: z.object(removal),
  output: z.object({ data: signedData }),
  errors: ["request.invalid", "safes.not_found", ...removalErrors],
});

export const remove = defineRoute({
  ...owners,
  method: "DELETE",
  path: "/owners",
  summary: "Removes an owner through the delay relay; the last owner cannot be removed",
  input: z.object({ ...removal, ...authorizationOf(removeData.path) }),
  output: z.object({ data: acceptedDelay }),
  errors: ["request.invalid", "safes.not_found", ...removalErrors, ...submissionErrors],
});
