import type { Executor } from "@cardkeep/db/client";
import { findIssuerObject, listIssuerObjects } from "@cardkeep/db/sandbox/issuerObjects";
import { z } from "zod";
import { authorizationObject, findCardholderId, type IssuerData, transactionObject } from "./authorizations.ts";
import { cardholderObject } from "./cardholders.ts";
import { toUnixSeconds } from "./route.ts";
import { type KeptControls, readControls, startOfInterval } from "./spendingControls.ts";

/** A use of a card, in the card's currency. */
export interface ControlledUse {
  /** Minor units that the use adds. */
  amount: number;
  /** Minor units that the authorization has already. */
  held: number;
  merchantData: IssuerData;
  cardPresence: string;
}

/** Whether the controls of a card, or of its cardholder, forbid a use. They do not change what was approved before. */
export async function isForbidden(
  on: Executor,
  card: { id: string; cardholder: unknown; spending_controls?: unknown },
  use: ControlledUse,
  now: Date,
): Promise<boolean> {
  const cardholderId = findCardholderId(card.cardholder);
  const holder = cardholderId === null ? null : await findIssuerObject(on, cardholderObject, cardholderId);
  const sides = [
    { controls: readControls(card.spending_controls), part: { card: card.id } },
    { controls: readControls(holder?.data["spending_controls"]), part: { cardholder: cardholderId } },
  ];
  for (const { controls, part } of sides) {
    if (isMerchantForbidden(controls, use) || (await isOverLimit(on, controls, part, use, now))) return true;
  }
  return false;
}

const isOutside = (value: unknown, allowed: readonly string[] | null, blocked: readonly string[] | null): boolean =>
  (Boolean(allowed?.length) && !allowed?.includes(String(value))) || Boolean(blocked?.includes(String(value)));

const isMerchantForbidden = (
  controls: KeptControls,
  { merchantData: { category, country }, cardPresence }: ControlledUse,
) =>
  isOutside(category, controls.allowed_categories, controls.blocked_categories) ||
  isOutside(country, controls.allowed_merchant_countries, controls.blocked_merchant_countries) ||
  isOutside(cardPresence, controls.allowed_card_presences, controls.blocked_card_presences);

async function isOverLimit(
  on: Executor,
  { spending_limits: limits }: KeptControls,
  part: { card?: string; cardholder?: string | null },
  { amount, held, merchantData: { category } }: ControlledUse,
  now: Date,
): Promise<boolean> {
  for (const { amount: max, categories, interval } of limits ?? []) {
    const counts = (name: unknown) => !categories?.length || categories.includes(String(name));
    if (!counts(category)) continue;
    const before =
      interval === "per_authorization" ? held : await sumSpent(on, part, startOfInterval(interval, now), counts);
    if (before + amount > max) return true;
  }
  return false;
}

const merchant = z.object({ category: z.unknown() });
const approved = z.object({ id: z.string(), amount: z.number(), status: z.string(), merchant_data: merchant });
const captured = z.object({ amount: z.number(), authorization: z.string().nullable(), merchant_data: merchant });
const countMax = 10_000;

/** Minor units spent since an instant: what an open authorization holds, and what was captured. A refund gives nothing back. */
async function sumSpent(
  on: Executor,
  { card, cardholder }: { card?: string; cardholder?: string | null },
  since: Date | null,
  counts: (category: unknown) => boolean,
): Promise<number> {
  const page = { createdFrom: since === null ? 0 : toUnixSeconds(since), startingAfter: null, limit: countMax };
  const of = card === undefined ? { cardholder } : { card: { id: card } };
  const held = await listIssuerObjects(on, { object: authorizationObject, part: { approved: true, ...of }, ...page });
  const taken = await listIssuerObjects(on, {
    object: transactionObject,
    part: { type: "capture", ...(card === undefined ? { cardholder } : { card }) },
    ...page,
  });
  const captures = taken.map(({ data }) => captured.parse(data)).filter((each) => counts(each.merchant_data.category));
  const capturedOf = (id: string | null) =>
    captures.filter((each) => each.authorization === id).reduce((sum, each) => sum + Math.abs(each.amount), 0);
  return held
    .map(({ data }) => approved.parse(data))
    .filter((each) => counts(each.merchant_data.category))
    .map(({ id, amount, status }) => (status === "pending" ? Math.max(amount, capturedOf(id)) : capturedOf(id)))
    .reduce((sum, spent) => sum + spent, capturedOf(null));
}
