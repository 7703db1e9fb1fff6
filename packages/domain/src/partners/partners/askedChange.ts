/** A change of a partner, and the request for it that waits for a second person: sealed, with what it found. */
import { fail } from "@cardkeep/contract/core/errors";
import { z } from "zod";
import type { OperatorContext } from "../../core/context.ts";
import { SecretUnreadable } from "../../core/secrets/secrets.ts";
import { getPartner } from "./getPartner.ts";

const values = z.object({
  webhookUrl: z.string().nullable(),
  payload: z.enum(["full", "thin"]),
  contact: z.string().nullable(),
  hasAllEvents: z.boolean(),
});
const names = values.keyof().options;

/** What may be changed of a partner. */
export type Endpoint = z.output<typeof values>;

const partnerChange = z.object({
  webhookUrl: z.string().optional(),
  payload: z.enum(["full", "thin"]).optional(),
  email: z.string().optional(),
  hasAllEvents: z.boolean().optional(),
});
export type PartnerChange = z.output<typeof partnerChange>;

/** The fields that a change gives another value. */
export function findChanges(
  present: Endpoint,
  { webhookUrl, payload, email, hasAllEvents }: PartnerChange,
): { webhookUrl?: string; payload?: Endpoint["payload"]; contact?: string; hasAllEvents?: boolean } {
  return {
    ...(webhookUrl !== undefined && webhookUrl !== present.webhookUrl && { webhookUrl }),
    ...(payload !== undefined && payload !== present.payload && { payload }),
    ...(email !== undefined && email !== present.contact && { contact: email }),
    ...(hasAllEvents !== undefined && hasAllEvents !== present.hasAllEvents && { hasAllEvents }),
  };
}

/** The input of a request for a change. */
export const sealedChange = z.object({ id: z.string(), sealed: z.string() });
export type SealedChange = z.output<typeof sealedChange>;

/** What a request found of the fields that it changes; those of the release before do not say. */
const found = values.partial();
export type Found = z.output<typeof found>;

const content = partnerChange.extend({ found: found.default({}) });

type WithSecrets = Pick<OperatorContext, "secrets">;

export function sealChange(
  { secrets }: WithSecrets,
  partner: Endpoint & { id: string },
  change: PartnerChange,
): Promise<string> {
  const asked = findChanges(partner, change);
  const before = Object.fromEntries(names.flatMap((name) => (name in asked ? [[name, partner[name]]] : [])));
  const { contact: email, ...others } = asked;
  return secrets.seal(partner.id, JSON.stringify({ ...others, email, found: before }));
}

export const openChange = async ({ secrets }: WithSecrets, { id, sealed }: SealedChange) =>
  content.parse(JSON.parse(await secrets.unseal(id, sealed)));

/**
 * Refuses to run a request whose fields changed since it was asked for: the second person approves a change from what it found.
 *
 * @throws approvals.changed
 */
export function requireFound(present: Endpoint, before: Found): void {
  const changed = names.find((name) => name in before && before[name] !== present[name]);
  if (changed === undefined) return;
  const text = `${changed} has changed since this was asked for: reject this request, and ask again`;
  fail("approvals.changed", { text });
}

interface Asked<T> {
  readonly now: T;
  readonly asked: T;
}

/** What a request asks for, beside what is now; null for what stays. */
export interface AskedEndpoint {
  readonly webhookUrl: Asked<string | null> | null;
  readonly contact: Asked<string | null> | null;
  readonly payload: Asked<Endpoint["payload"]> | null;
  readonly hasAllEvents: Asked<boolean> | null;
}

/** What a request is about, for the second person: a host may be shared by many receivers. Null where no key opens it any more. */
export async function readAskedEndpoint(
  ctx: Pick<OperatorContext, "db" | "secrets">,
  request: SealedChange,
): Promise<AskedEndpoint | null> {
  const { webhookUrl, contact, payload, hasAllEvents } = await getPartner(ctx, { id: request.id });
  const beside = <T>(now: T, asked: T | undefined): Asked<T> | null => (asked === undefined ? null : { now, asked });
  try {
    const change = await openChange(ctx, request);
    return {
      webhookUrl: beside(webhookUrl, change.webhookUrl),
      contact: beside(contact, change.email),
      payload: beside(payload, change.payload),
      hasAllEvents: beside(hasAllEvents, change.hasAllEvents),
    };
  } catch (error) {
    if (error instanceof SecretUnreadable) return null;
    throw error;
  }
}
