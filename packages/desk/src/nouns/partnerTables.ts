/** What pages and answers show of a partner: its fields, its keys, and its deliveries in figures. */
import { formatAge } from "@cardkeep/contract/core/durations";
import type { OperatorContext } from "@cardkeep/domain/core/context";
import { hasRole } from "@cardkeep/domain/core/operators/requireRole";
import { listSuccessRates, type SuccessRates } from "@cardkeep/domain/operations/health/measureDeliveries";
import { describePartnerUse } from "@cardkeep/domain/partners/partners/describePartnerUse";
import { getPartner, type PartnerDetails } from "@cardkeep/domain/partners/partners/getPartner";
import type { PartTable } from "../noun.ts";
import { code, count, instant, status, text, type Value } from "../value.ts";

export type PartnerRow = Omit<PartnerDetails, "users"> & { readonly rates?: SuccessRates | undefined };

/** One partner with its valid keys, subscriptions and attempts. */
type PartnerUse = PartnerDetails & Awaited<ReturnType<typeof describePartnerUse>> & Pick<PartnerRow, "rates">;

/** The share of attempts that succeeded; null without attempts. */
export function formatRate(sum: SuccessRates["day"] | undefined): string | null {
  if (!sum || sum.succeeded + sum.failed === 0) return null;
  return `${((100 * sum.succeeded) / (sum.succeeded + sum.failed)).toFixed(1)}%`;
}

/** The path of an endpoint may hold a secret. */
export const readHost = (webhookUrl: string | null): string | null => webhookUrl && new URL(webhookUrl).host;

export async function readUse(ctx: OperatorContext, key: string): Promise<PartnerUse> {
  const partner = hideEndpoint(ctx, await getPartner(ctx, { id: key }));
  const [use, rates] = await Promise.all([
    describePartnerUse(ctx, partner),
    listSuccessRates(ctx, { partnerIds: [partner.id] }),
  ]);
  return { ...partner, ...use, rates: rates.get(partner.id) };
}

const ageOf = (at: Date, now: Date): string => formatAge(Math.max(0, (now.getTime() - at.getTime()) / 1_000));

export const listKeys = ({ keys, now }: PartnerUse): PartTable => ({
  name: "keys",
  title: "Keys",
  lead: "A key is shown once, when it is made. The service keeps a hash of API keys and seals secrets.",
  none: "It has no valid key.",
  columns: ["Key", "Is", "Created", "Age", "Last use", "Valid until"],
  rows: keys.map(({ id: key, kind, createdAt, usedAt, expiresAt }) => [
    code(key),
    text(kind === "api" ? "API key" : "webhook secret"),
    instant(createdAt),
    text(ageOf(createdAt, now)),
    text(kind === "secret" ? "signs each delivery" : usedAt === null ? "not known" : `${ageOf(usedAt, now)} ago`),
    expiresAt === null ? text("it is replaced") : instant(expiresAt),
  ]),
});

/** The path of an endpoint may hold a secret, and the contact is a mail address: only who may change them sees them. */
export const hideEndpoint = <P extends PartnerRow>(ctx: OperatorContext, partner: P): P =>
  hasRole(ctx.actor, "partners.change")
    ? partner
    : {
        ...partner,
        webhookUrl: partner.webhookUrl && new URL(partner.webhookUrl).origin,
        contact: partner.contact && "set",
      };

const describeEndpoint = ({ webhookUrl, webhookStatus, webhookReason, failingSince }: PartnerRow): Value[] => {
  if (webhookUrl === null) return [text("none")];
  if (webhookStatus === "DISABLED") return [text(`disabled: ${webhookReason}`)];
  return failingSince === null ? [text("in order")] : [text("failing since"), instant(failingSince)];
};

export const listFields = (partner: PartnerDetails) =>
  [
    ["Id", code(partner.id)],
    ["Name", text(partner.name, "stranger")],
    ["Status", status(partner.status)],
    ["Domains", partner.domains.map((domain) => text(domain))],
    ["Webhook", code(partner.webhookUrl)],
    ["Payload", text(partner.payload)],
    ["Events", text(partner.hasAllEvents ? "all" : "published")],
    ["Endpoint", describeEndpoint(partner)],
    ["E-mail", text(partner.contact, "person")],
    ["Users", count(partner.users)],
    ["Created", instant(partner.createdAt)],
  ] as const;
