/**
 * Controls: a cardholder's own rules on a card, as one document.
 *
 * The service turns it into card rules of the user (`cardRules.ts`), so decisions know rules alone. Rules of the operator and of
 * the partner hold beside it: a document that allows everything loosens none of them.
 */
import { z } from "zod";
import { mccOrRange } from "./cardRules.ts";
import { cards } from "./cardRoutes.ts";
import { givenId, instant, minorAmount } from "../core/primitives.ts";
import { defineRoute } from "../core/route.ts";

const categoriesMax = 100;
const countriesMax = 300;
/** 10 billion of the currency. */
const amountMax = 1_000_000_000_000n;

const amount = minorAmount.refine((value) => value <= amountMax, "Amount is too large");
const country = z.string().regex(/^[A-Z]{2}$/, "A country is two capital letters");
const flag = (description: string, example = true) => z.boolean().meta({ description, examples: [example] });

/** The periods of a limit. They are calendar windows of UTC; weeks begin on Monday. */
export const controlWindows = ["day", "week", "month", "always"] as const;

const limitWith = <A extends z.ZodType>(minor: A) =>
  z.object({
    window: z.enum(controlWindows).meta({
      description: "Calendar period of UTC; weeks begin on Monday. `always` counts all payments of the card",
      examples: ["month"],
    }),
    amount: minor.meta({ description: "The largest sum, in minor units of the card's currency", examples: ["150000"] }),
  });

const merchantWith = <M extends z.ZodType>(merchant: M) =>
  z
    .object({
      enabled: flag("Whether the card pays one merchant alone", false),
      merchant: merchant.meta({
        description:
          "The merchant's id in the card network, or its name in any letter case. With null it is the first one that the card pays; a card that has paid already keeps the merchants it has paid",
        examples: [null],
      }),
    })
    .meta({ description: "Locks the card to a merchant" });

const categoriesMeta = {
  description: "Merchant categories of ISO 18245, or ranges of them, that are declined",
  examples: [["7995", "7800-7802"]],
};
const allowedMeta = {
  description:
    "The only countries of merchants that are not declined, ISO 3166-1 alpha-2; null for every country. Not together with `blockedCountries`",
  examples: [["DE", "AT"]],
};
const blockedMeta = { description: "Countries of merchants that are declined; null for none", examples: [null] };
const paymentMeta = {
  description: "The largest payment, in minor units of the card's currency; null for no limit",
  examples: ["10000"],
};
const limitsMeta = { description: "The largest sums of the card's payments, one for each window at most" };
const cashMeta = {
  description: "The largest sum at cash machines in a day of UTC, in minor units; null for no limit",
  examples: ["20000"],
};

/** Fields that are the same in what is sent and in what is shown. */
const switches = {
  channels: z
    .object({
      online: flag("Online, by telephone and by mail"),
      contactless: flag("At a terminal without contact, also by a wallet"),
      chip: flag("At a terminal with the chip"),
      magstripe: flag("At a terminal with the magnetic stripe", false),
      cashMachine: flag("At a cash machine"),
    })
    .meta({ description: "How the card can be used: false declines" }),
  oneTime: flag("Whether every payment after the first one is declined", false),
  requireKnownMerchant: flag("Whether a merchant is declined that none of the user's cards has paid before", false),
};

/** A list without countries would decline everything, or nothing: null says that nothing is declined. */
const countryList = z
  .array(country)
  .refine(({ length }) => length > 0 && length <= countriesMax, `From one country to ${countriesMax}`)
  .nullable();
const hasWindowsOnce = (limits: readonly { window: string }[]): boolean =>
  new Set(limits.map(({ window }) => window)).size === limits.length;

/** What a cardholder sends: the whole document, which replaces the former one. */
const givenFields = {
  blockedCategories: z.array(mccOrRange).max(categoriesMax).meta(categoriesMeta),
  allowedCountries: countryList.meta(allowedMeta),
  blockedCountries: countryList.meta(blockedMeta),
  perPaymentAmount: amount.nullable().meta(paymentMeta),
  limits: z.array(limitWith(amount)).refine(hasWindowsOnce, "A window has one limit at most").meta(limitsMeta),
  cashMachineDailyAmount: amount.nullable().meta(cashMeta),
  merchantLock: merchantWith(z.string().trim().min(1).max(255).nullable()),
  ...switches,
};

const controlsDocument = z.object({
  blockedCategories: z.array(z.string()).meta(categoriesMeta),
  allowedCountries: z.array(z.string()).nullable().meta(allowedMeta),
  blockedCountries: z.array(z.string()).nullable().meta(blockedMeta),
  perPaymentAmount: minorAmount.nullable().meta(paymentMeta),
  limits: z.array(limitWith(minorAmount)).meta(limitsMeta),
  cashMachineDailyAmount: minorAmount.nullable().meta(cashMeta),
  merchantLock: merchantWith(z.string().nullable()),
  ...switches,
});
/** What a cardholder sets. Amounts are cents of the card's currency. */
export type CardControls = z.output<typeof controlsDocument>;

const isOneList = ({
  allowedCountries,
  blockedCountries,
}: {
  allowedCountries: unknown;
  blockedCountries: unknown;
}): boolean => allowedCountries === null || blockedCountries === null;
const bothLists = "Countries are either allowed or blocked";

/** The controls in force, with their version. */
export const shownControls = controlsDocument
  .extend({
    version: z
      .int()
      .min(0)
      .meta({ description: "1 after the first change, then 2, and so on; 0 before any", examples: [1] }),
    changedAt: instant.nullable().meta({ description: "When this version was set; null before any change" }),
  })
  .meta({ id: "CardControls", description: "A cardholder's own rules on a card" });

/** Controls that forbid nothing. */
export const openControls: CardControls = {
  blockedCategories: [],
  allowedCountries: null,
  blockedCountries: null,
  channels: { online: true, contactless: true, chip: true, magstripe: true, cashMachine: true },
  perPaymentAmount: null,
  limits: [],
  cashMachineDailyAmount: null,
  merchantLock: { enabled: false, merchant: null },
  oneTime: false,
  requireKnownMerchant: false,
};

/** The stored form of a document: its wire form. */
export const storedControls = controlsDocument;
export type StoredControls = z.input<typeof controlsDocument>;

const cardId = givenId.meta({ description: "The card's id, from `GET /cards`" });

export const controls = defineRoute({
  ...cards,
  method: "GET",
  path: "/cards/{cardId}/controls",
  summary: "The cardholder's own rules on one card",
  input: z.object({ cardId }),
  output: shownControls,
  errors: ["cards.not_found"],
});

export const setControls = defineRoute({
  ...cards,
  method: "PUT",
  path: "/cards/{cardId}/controls",
  summary: "Replaces the cardholder's own rules on one card; they hold for the next use",
  input: z.object({ cardId, ...givenFields }).refine(isOneList, { error: bothLists, path: ["allowedCountries"] }),
  output: shownControls,
  errors: ["request.invalid", "cards.not_found", "cards.void"],
});
