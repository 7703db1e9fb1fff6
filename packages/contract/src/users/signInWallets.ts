/** Wallets that may sign in for a user; the wire calls them eoa-accounts. */
import { z } from "zod";
import { address, addressWith, givenId, id, instant, result } from "../core/primitives.ts";
import { defineRoute } from "../core/route.ts";

export const signInWallet = z
  .object({
    id: id.meta({ description: "The wallet's id, for its removal" }),
    address: address.meta({ description: "The wallet's address" }),
    userId: id.meta({ description: "The user" }),
    createdAt: instant.meta({ description: "When it was added" }),
  })
  .meta({ id: "EoaAccount", description: "A wallet that may sign in for the user" });

const signInWallets = { access: "user", errorStyle: "error", unauthorizedStyle: "error" } as const;

export const list = defineRoute({
  ...signInWallets,
  method: "GET",
  path: "/eoa-accounts",
  summary: "The wallets that may sign in for the user, newest first",
  output: z.object({
    data: z
      .object({
        eoaAccounts: z.array(signInWallet).meta({ description: "The wallets, newest first" }),
      })
      .meta(result),
  }),
  errors: [],
});

export const add = defineRoute({
  ...signInWallets,
  method: "POST",
  path: "/eoa-accounts",
  summary:
    "Allows one more wallet to sign in for the user. It is unproven until its first sign-in, and may sign up for a user of its own instead",
  input: z.object({
    address: addressWith("Invalid address format").meta({
      description: "The wallet's address, in any letter case",
      examples: ["0x00000000000000000000000000000000000A11cE"],
    }),
  }),
  output: signInWallet,
  status: 201,
  errors: ["request.malformed", "signInWallets.unsuitable", "signInWallets.too_many", "signInWallets.taken"],
});

export const remove = defineRoute({
  ...signInWallets,
  method: "DELETE",
  path: "/eoa-accounts/{id}",
  summary: "Ends a wallet's sign-in; its access tokens end within a second",
  // In any form, an unknown id is not found.
  input: z.object({ id: givenId.meta({ description: "The wallet's id, from `GET /eoa-accounts`" }) }),
  output: z.object({ data: z.object({ id: id.meta({ description: "The wallet's id" }) }).meta(result) }),
  errors: ["signInWallets.not_found", "signInWallets.last"],
});
