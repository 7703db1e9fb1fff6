import { fail } from "@cardkeep/contract/errors";
import { updatePartner } from "@cardkeep/db/queries/partners";
import type { OperatorContext } from "../context.ts";
import { enableEndpoint } from "./enableWebhook.ts";
import { getPartner, type PartnerDetails } from "./getPartner.ts";

/**
 * Changes the endpoint and the payload of a partner; fields left out stay. A new address is enabled at once.
 *
 * @throws partners.not_found, partners.invalid_url
 */
export async function changePartner(
  ctx: OperatorContext,
  {
    id,
    ...change
  }: {
    id: string;
    webhookUrl?: string | undefined;
    payload?: "full" | "thin" | undefined;
    email?: string | undefined;
  },
): Promise<PartnerDetails> {
  await getPartner(ctx, { id });
  const { webhookUrl, payload, email } = change;
  if (webhookUrl !== undefined && !(await ctx.webhookSender.accepts(webhookUrl, { inbox: false })))
    fail("partners.invalid_url");
  if (webhookUrl ?? payload ?? email)
    await ctx.commit(async ({ tx }) => {
      await updatePartner(tx, id, {
        ...(webhookUrl !== undefined && { webhookUrl }),
        ...(payload !== undefined && { payload }),
        ...(email !== undefined && { contact: email }),
      });
      if (webhookUrl !== undefined) await enableEndpoint(tx, id);
    });
  return getPartner(ctx, { id });
}
