import { fail } from "@cardkeep/contract/errors";
import { type Partner, updatePartnerStatus } from "@cardkeep/db/queries/partners";
import type { OperatorContext } from "../context.ts";
import { getPartner, type PartnerDetails } from "./getPartner.ts";

/**
 * Enables or disables a partner; the same again changes nothing. No user can sign in on a disabled partner's domains, and browsers
 * on them are let in no more; tokens that were given out live on until they expire.
 *
 * @throws partners.not_found
 */
export async function setPartnerStatus(
  ctx: OperatorContext,
  { id, status }: { id: string; status: Partner["status"] },
): Promise<PartnerDetails> {
  if (!(await ctx.commit(({ tx }) => updatePartnerStatus(tx, id, status)))) fail("partners.not_found");
  return getPartner(ctx, { id });
}
