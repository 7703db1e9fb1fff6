import { fail } from "@cardkeep/contract/errors";
import { insertPartner } from "@cardkeep/db/queries/partners";
import { z } from "zod";
import type { Services } from "../context.ts";
import { generateId } from "../ids.ts";

/** A `host` or `host:port` as it stands in a sign-in message; no scheme, no path. */
const domainPattern = /^(?=.{1,253}(:|$))[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*(:\d{1,5})?$/;

const portMax = 65_535;

function isDomain(text: string): boolean {
  const port = Number(text.split(":")[1] ?? portMax);
  return domainPattern.test(text) && port > 0 && port <= portMax;
}

/** What a partner is made from; its domains may be given in any letter case. */
export const newPartner = z.object({
  id: z
    .string()
    .regex(/^[\w-]{1,64}$/, "must be 1 to 64 letters, digits, - or _")
    .optional(),
  name: z.string().min(1).max(200),
  domains: z.array(z.string().max(259)).max(50).default([]),
  webhookUrl: z
    .url({ protocol: /^https?$/ })
    .max(2_000)
    .optional(),
});
export type NewPartner = z.output<typeof newPartner>;

/** Registers a partner; its domains may sign people in at once. @throws partners.invalid_domain, partners.taken */
export async function createPartner(
  { db, clock }: Pick<Services, "db" | "clock">,
  { id = generateId(), name, domains, webhookUrl }: NewPartner,
): Promise<{ id: string; name: string; domains: string[]; webhookUrl: string | null }> {
  const lowerCase = [...new Set(domains.map((domain) => domain.toLowerCase()))];
  if (!lowerCase.every(isDomain)) fail("partners.invalid_domain");
  await db.transaction(async (tx) => {
    const row = { id, name, webhookUrl: webhookUrl ?? null, status: "ACTIVE", createdAt: await clock.now(tx) } as const;
    if (!(await insertPartner(tx, row, lowerCase))) fail("partners.taken");
  });
  return { id, name, domains: lowerCase, webhookUrl: webhookUrl ?? null };
}
