import { fail } from "@cardkeep/contract/core/errors";
import { lockPartner, type Partner, updatePartner, updatePartnerStatus } from "@cardkeep/db/queries/partners/partners";
import type { OperatorContext, Work } from "../../core/context.ts";
import { restartEndpoint } from "../../core/restartEndpoint.ts";
import { requireApproval } from "../../operators/approvals/requireApproval.ts";
import {
  type Endpoint,
  findChanges,
  type Found,
  openChange,
  type PartnerChange,
  requireFound,
  type SealedChange,
  sealChange,
} from "./askedChange.ts";
import { getPartner, type PartnerDetails } from "./getPartner.ts";
import { requireEndpoint } from "./requireEndpoint.ts";

/**
 * Changes the endpoint and the payload of a partner. Fields that are left out or are so already stay; a new address is enabled at
 * once. A second person approves it: the address receives people's data.
 *
 * @throws partners.not_found, partners.invalid_url, operators.approval_needed
 */
export const changePartner = (ctx: OperatorContext, { id, ...change }: PartnerChange & { id: string }) =>
  changeFound(ctx, { id, change, found: {} });

/** The same with the change of an approved request. @throws approvals.changed where the partner has changed since */
export async function changePartnerAsAsked(ctx: OperatorContext, asked: SealedChange): Promise<PartnerDetails> {
  const { found, ...change } = await openChange(ctx, asked);
  return changeFound(ctx, { id: asked.id, change, found });
}

async function changeFound(
  ctx: OperatorContext,
  { id, change, found }: { id: string; change: PartnerChange; found: Found },
): Promise<PartnerDetails> {
  const partner = await getPartner(ctx, { id });
  const asked = findChanges(partner, change);
  const { webhookUrl, contact, ...others } = asked;
  if (webhookUrl !== undefined) await requireEndpoint(ctx, webhookUrl);
  if (Object.keys(asked).length === 0) return ctx.approval === null ? partner : fail("approvals.changed");
  // The path may hold a secret, and the contact is a mail address: the request shows what the action log holds of them.
  const shown = {
    ...(webhookUrl !== undefined && { webhookHost: new URL(webhookUrl).host }),
    ...others,
    ...(contact !== undefined && { hasContact: true }),
  };
  const subject = { kind: "partner", id } as const;
  const input = { id, ...shown, sealed: await sealChange(ctx, partner, change) };
  await requireApproval(ctx, "partners.change", { input, subject });
  await ctx.act("partners.change", async (work) => {
    const before = (await lockPartner(work.tx, id)) ?? fail("partners.not_found");
    requireFound(before, found);
    await updatePartner(work.tx, id, asked);
    if (webhookUrl !== undefined) await enableEndpoint(work, before);
    return { output: undefined, subject, before: listFacts(before), after: listFacts({ ...before, ...asked }) };
  });
  return getPartner(ctx, { id });
}

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
  if (status === "DISABLED") {
    await getPartner(ctx, { id });
    await requireApproval(ctx, "partners.disable", { input: { id }, subject: { kind: "partner", id } });
  }
  await ctx.act(status === "ACTIVE" ? "partners.enable" : "partners.disable", async (work) => {
    const { tx } = work;
    const before = (await lockPartner(tx, id)) ?? fail("partners.not_found");
    await updatePartnerStatus(tx, id, status);
    if (before.status !== status && status === "ACTIVE" && before.webhookStatus === "ACTIVE")
      await restartEndpoint(work, before);
    const subject = { kind: "partner", id } as const;
    return { output: undefined, subject, before: { status: before.status }, after: { status } };
  });
  return getPartner(ctx, { id });
}

/** Enables a partner's endpoint again; the events that failed or were kept back are delivered. @throws partners.not_found */
export async function enableWebhook(ctx: OperatorContext, { id }: { id: string }): Promise<void> {
  await ctx.act("webhooks.enable", async (work) => {
    const before = (await lockPartner(work.tx, id)) ?? fail("partners.not_found");
    await enableEndpoint(work, before);
    const subject = { kind: "partner", id } as const;
    return {
      output: undefined,
      subject,
      before: { webhookStatus: before.webhookStatus },
      after: { webhookStatus: "ACTIVE" },
    };
  });
}

/** The same for a locked partner, in the caller's transaction. */
async function enableEndpoint(work: Work, before: Partner): Promise<void> {
  await updatePartner(work.tx, before.id, { webhookStatus: "ACTIVE", webhookReason: null });
  await restartEndpoint(work, before);
}

/** What the action log holds of a partner's endpoint: the path may hold a secret, and the contact is a mail address. */
const listFacts = ({ webhookUrl, payload, hasAllEvents, contact }: Endpoint) => ({
  webhookHost: webhookUrl === null ? null : new URL(webhookUrl).host,
  payload,
  hasAllEvents,
  hasContact: contact !== null,
});
