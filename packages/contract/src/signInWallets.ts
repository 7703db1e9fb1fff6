/** Wallets that may sign in for a user; on the wire they are called eoa-accounts. */
import { z } from "zod";
import { address, id, instant } from "./primitives.ts";
import { defineRoute } from "./route.ts";

export const signInWallet = z.object({ id, address, userId: id, createdAt: instant });

export const list = defineRoute({
  method: "GET",
  path: "/eoa-accounts",
  summary: "The wallets that may sign in for the user, newest first",
  access: "user",
  output: z.object({ data: z.object({ eoaAccounts: z.array(signInWallet) }) }),
  errors: ["auth.unauthorized"],
  errorStyle: "error",
  unauthorizedStyle: "error",
});
