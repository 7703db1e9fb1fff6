import { fail } from "@cardkeep/contract/core/errors";
import type { OperatorContext } from "../../core/context.ts";

/** Deliveries may go to this address; for the sandbox, also to a receiver of its own. @throws partners.invalid_url */
export async function requireEndpoint(ctx: OperatorContext, url: string): Promise<void> {
  if (!(await ctx.webhookSender.accepts(url, { inbox: ctx.actor.via === "sandbox" }))) fail("partners.invalid_url");
}
