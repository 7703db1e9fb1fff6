import { email } from "@cardkeep/contract/users/auth";
import { fail } from "@cardkeep/contract/core/errors";
import { insertPartner } from "@cardkeep/db/queries/partners/partners";
import { z } from "zod";
import type { OperatorContext } from "../../core/context.ts";
import { generateId } from "../../core/generateId.ts";
import { addPartnerKey, type ShownKeys } from "./keys.ts";
import { requireEndpoint } from "./requireEndpoint.ts";

/** A `host` or `host:port` as it stands in a sign-in message; no scheme, no path. */
const domainPattern = /^(?=.{1,253}(:|$))[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*(:\d{1,5})?$/;

const portMax = 65_535;

function isDomain(text: string): boolean {
  const port = Number(text.split(":")[1] ?? portMax);
  return domainPattern.test(text) && port > 0 && port <= portMax;
}

/** The input of a new partner; its domains may be given in any letter case. */
export const newPartner = z.object({
  id: z
    .string()
    .regex(/^[\w-]{1,64}$/, "must be 1 to 64 letters, digits, - or _")
    .optional(),
  name: z.string().min(1).max(200),
  domains: z.array(z.string().max(259)).max(50).default([]),
  // As it was given: `z.url` would take blanks off, and what is refused is for the sender to say.
  webhookUrl: z.string().max(2_000).optional(),
  payload: z.enum(["full", "thin"]).default("full"),
  email: email.optional(),
  hasAllEvents: z.boolean().default(false),
});
export type NewPartner = z.output<typeof newPartner>;

/** A registered partner with its keys, which are shown once and stored only hashed or sealed. */
export interface RegisteredPartner extends ShownKeys {
  id: string;
  name: string;
  domains: string[];
  webhookUrl: string | null;
  payload: "full" | "thin";
}

/**
 * Registers a partner; its domains may sign people in at once. One that the sandbox registers may have a receiver there.
 *
 * @throws partners.invalid_domain, partners.invalid_url, partners.taken
 */
export async function createPartner(
  ctx: OperatorContext,
  { id = generateId(), name, domains, webhookUrl, payload, email: mail, hasAllEvents }: NewPartner,
): Promise<RegisteredPartner> {
  const lowerCase = [...new Set(domains.map((domain) => domain.toLowerCase()))];
  if (!lowerCase.every(isDomain)) fail("partners.invalid_domain");
  if (webhookUrl !== undefined) await requireEndpoint(ctx, webhookUrl);
  const shown = { id, name, webhookUrl: webhookUrl ?? null, payload };
  const keys = await ctx.act("partners.create", async ({ tx, now }) => {
    const row = { ...shown, hasAllEvents, contact: mail ?? null, status: "ACTIVE", createdAt: now } as const;
    if (!(await insertPartner(tx, row, lowerCase))) fail("partners.taken");
    const output = {
      apiKey: await addPartnerKey(tx, ctx.secrets, { partnerId: id, kind: "api", now }),
      webhookSecret: await addPartnerKey(tx, ctx.secrets, { partnerId: id, kind: "secret", now }),
    };
    const webhookHost = webhookUrl === undefined ? null : new URL(webhookUrl).host;
    return {
      output,
      subject: { kind: "partner", id },
      before: null,
      after: { domains: lowerCase, webhookHost, payload, hasAllEvents },
    };
  });
  return { ...shown, domains: lowerCase, ...keys };
}
