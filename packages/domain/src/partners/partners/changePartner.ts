import { fail } from "@cardkeep/contract/core/errors";
import { lockPartner, type Partner, updatePartner, updatePartnerStatus } from "@cardkeep/db/queries/partners/partners";
import type { OperatorContext, Work } from "../../core/context.ts";
import { restartEndpoint } from "../../core/restartEndpoint.ts";
import { SecretUnreadable } from "../../core/secrets/secrets.ts";
import { z } from "zod";
import { requireApproval } from "../../operators/approvals/requireApproval.ts";
import { getPartner, type PartnerDetails } from "./getPartner.ts";

const partnerChange = z.object({
  webhookUrl: z.string().optional(),
  payload: z.enum(["full", "thin"]).optional(),
  email: z.string().optional(),
  hasAllEvents: z.boolean().optional(),
});

/**
 * Changes the endpoint and the payload of a partner; fields left out stay. A new address is enabled at once. A second person
 * approves it: the address receives people's data.
 *
 * @throws partners.not_found, partners.invalid_url, operators.approval_needed
 */
export async function changePartner(
  ctx: OperatorContext,
  { id, ...change }: z.output<typeof partnerChange> & { id: string },
): Promise<PartnerDetails> {
  await getPartner(ctx, { id });
  const { webhookUrl, payload, email, hasAllEvents } = change;
  if (webhookUrl !== undefined && !(await ctx.webhookSender.accepts(webhookUrl, { inbox: false })))
    fail("partners.invalid_url");
  if (webhookUrl ?? payload ?? email ?? hasAllEvents !== undefined) {
    // The path may hold a secret, and the contact is a mail address: the request shows what the action log holds of them.
    const sealed = await ctx.secrets.seal(id, JSON.stringify(change));
    const shown = {
      ...(webhookUrl !== undefined && { webhookHost: new URL(webhookUrl).host }),
      ...(payload !== undefined && { payload }),
      ...(hasAllEvents !== undefined && { hasAllEvents }),
      ...(email !== undefined && { hasContact: true }),
    };
    const subject = { kind: "partner", id } as const;
    await requireApproval(ctx, "partners.change", { input: { id, ...shown, sealed }, subject });
    await ctx.act("partners.change", async (work) => {
      const { tx } = work;
      const before = (await lockPartner(tx, id)) ?? fail("partners.not_found");
      const changed = {
        ...(webhookUrl !== undefined && { webhookUrl }),
        ...(payload !== undefined && { payload }),
        ...(hasAllEvents !== undefined && { hasAllEvents }),
        ...(email !== undefined && { contact: email }),
      };
      await updatePartner(tx, id, changed);
      if (webhookUrl !== undefined) await enableEndpoint(work, before);
      return { output: undefined, subject, before: listFacts(before), after: listFacts({ ...before, ...changed }) };
    });
  }
  return getPartner(ctx, { id });
}

/** The input of a request for a change. */
export const sealedChange = z.object({ id: z.string(), sealed: z.string() });
type SealedChange = z.output<typeof sealedChange>;

const openChange = async ({ secrets }: Pick<OperatorContext, "secrets">, { id, sealed }: SealedChange) =>
  partnerChange.parse(JSON.parse(await secrets.unseal(id, sealed)));

/** The same with the change of an approved request. */
export const changePartnerAsAsked = async (ctx: OperatorContext, asked: SealedChange): Promise<PartnerDetails> =>
  changePartner(ctx, { ...(await openChange(ctx, asked)), id: asked.id });

/** The address and the contact that a request asks for, beside those of now; null for what stays. */
export interface AskedEndpoint {
  readonly webhookUrl: { readonly now: string | null; readonly asked: string } | null;
  readonly contact: { readonly now: string | null; readonly asked: string } | null;
}

/** What a request is about, for the second person: a host may be shared by many receivers. Null where no key opens it any more. */
export async function readAskedEndpoint(
  ctx: Pick<OperatorContext, "db" | "secrets">,
  asked: SealedChange,
): Promise<AskedEndpoint | null> {
  const partner = await getPartner(ctx, { id: asked.id });
  try {
    const { webhookUrl, email } = await openChange(ctx, asked);
    return {
      webhookUrl: webhookUrl === undefined ? null : { now: partner.webhookUrl, asked: webhookUrl },
      contact: email === undefined ? null : { now: partner.contact, asked: email },
    };
  } catch (error) {
    if (error instanceof SecretUnreadable) return null;
    throw error;
  }
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
const listFacts = ({
  webhookUrl,
  payload,
  hasAllEvents,
  contact,
}: Pick<Partner, "webhookUrl" | "payload" | "hasAllEvents" | "contact">) => ({
  webhookHost: webhookUrl === null ? null : new URL(webhookUrl).host,
  payload,
  hasAllEvents,
  hasContact: contact !== null,
});
