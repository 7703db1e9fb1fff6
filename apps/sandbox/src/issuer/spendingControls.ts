/**
 * Spending controls of a card and of its cardholder: which uses the issuer declines before it asks the service.
 *
 * Source: docs.stripe.com/issuing/controls/spending-controls, docs.stripe.com/api/issuing/cards/object.
 */
import { merchantCategories } from "@cardkeep/providers/issuer/merchantCategories";
import { z } from "zod";
import { IssuerError, wholeNumber } from "./route.ts";

const intervals = ["per_authorization", "daily", "weekly", "monthly", "yearly", "all_time"] as const;
export type Interval = (typeof intervals)[number];

/** An empty value unsets a list. */
const listOf = <T extends z.ZodType>(item: T) =>
  z.preprocess((given) => (given === "" ? null : given), z.array(item).nullable());
const category = z.enum(merchantCategories, "Not a merchant category");
const country = z.string().regex(/^[A-Z]{2}$/, "Country should be a two-letter code");
const presence = z.enum(["present", "not_present"]);
const limit = z.object({
  amount: wholeNumber.pipe(z.int().min(1, "Must be greater than or equal to 1")),
  categories: listOf(category).optional(),
  interval: z.enum(intervals),
});

/** The form of an update: a missing list stays as it is. */
export const spendingControls = z.object({
  allowed_card_presences: listOf(presence).optional(),
  allowed_categories: listOf(category).optional(),
  allowed_merchant_countries: listOf(country).optional(),
  blocked_card_presences: listOf(presence).optional(),
  blocked_categories: listOf(category).optional(),
  blocked_merchant_countries: listOf(country).optional(),
  spending_limits: listOf(limit).optional(),
});

const names = z.array(z.string()).nullable().default(null);
const kept = z.object({
  allowed_card_presences: names,
  allowed_categories: names,
  allowed_merchant_countries: names,
  blocked_card_presences: names,
  blocked_categories: names,
  blocked_merchant_countries: names,
  spending_limits: z
    .array(z.object({ amount: z.number(), categories: z.array(z.string()).nullable(), interval: z.enum(intervals) }))
    .nullable()
    .default(null),
  spending_limits_currency: z.string().nullable().default(null),
});
export type KeptControls = z.output<typeof kept>;

/** The controls in an object of the API; those that it lacks forbid nothing. */
export const readControls = (data: unknown): KeptControls => kept.parse(data ?? {});

const opposites = [
  ["allowed_card_presences", "blocked_card_presences"],
  ["allowed_categories", "blocked_categories"],
  ["allowed_merchant_countries", "blocked_merchant_countries"],
] as const;

/**
 * An object's controls after an update.
 * @throws IssuerError for a list together with its opposite
 */
export function mergeControls(
  known: unknown,
  given: z.output<typeof spendingControls> = {},
  currency: string | null = null,
): KeptControls {
  const limits = given.spending_limits?.map((each) => ({ ...each, categories: each.categories ?? [] }));
  const merged = kept.parse({
    ...readControls(known),
    ...given,
    ...(given.spending_limits !== undefined && { spending_limits: limits ?? null }),
    spending_limits_currency: currency,
  });
  for (const [allowed, blocked] of opposites) {
    if (!merged[allowed]?.length || !merged[blocked]?.length) continue;
    const param = `spending_controls[${allowed}]`;
    const text = `You may only specify one of these parameters: ${param}, spending_controls[${blocked}].`;
    throw new IssuerError(400, text, { param });
  }
  return merged;
}

/** When the interval of an instant began, in UTC: weeks begin on Sunday. Null for one without a beginning. */
export function startOfInterval(interval: Interval, now: Date): Date | null {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  if (interval === "daily") return new Date(Date.UTC(year, month, day));
  if (interval === "weekly") return new Date(Date.UTC(year, month, day - now.getUTCDay()));
  if (interval === "monthly") return new Date(Date.UTC(year, month));
  return interval === "yearly" ? new Date(Date.UTC(year, 0)) : null;
}
