/** Settings of cards: who may have one, and what is given back on its purchases. */
import type { CardPolicy } from "@cardkeep/domain/core/policy";
import { couponCode } from "@cardkeep/contract/cards/coupons";
import { z } from "zod";
import { cashbackEnvironment, readCashback } from "./cashback.ts";
import { isPriceList, readPrices } from "./prices.ts";
import { list, type Values, wholeNumber } from "./types.ts";

/** The European Economic Area, Switzerland, Great Britain and Brazil: the markets of the accounts' tokens. */
const cardCountries =
  "AT,BE,BG,BR,CH,CY,CZ,DE,DK,EE,ES,FI,FR,GB,GR,HR,HU,IE,IS,IT,LI,LT,LU,LV,MT,NL,NO,PL,PT,RO,SE,SI,SK".split(",");

export const cardEnvironment = {
  CARD_COUNTRIES: list
    .pipe(z.array(z.string().regex(/^[A-Z]{2}$/, "must be ISO 3166-1 alpha-2 codes")).min(1))
    .default(cardCountries)
    .describe("Countries whose residents may have cards, ISO 3166-1 alpha-2, comma separated"),
  CONTACT_WINDOW_HOURS: wholeNumber(
    24,
    0,
    "Hours after a change of a proven phone number, or of the mail address by support, in which no card number, PIN or wallet " +
      "token is shown or made, payments with 3-D Secure decline, and the card issuer keeps the former contact",
  ),
  CARD_PRICES: z
    .string()
    .refine(isPriceList, "must be prices above zero such as EUR=30.23,GBP=26.50, one of them in EUR")
    .default("EUR=30.23")
    .describe(
      "Prices of a card, with commas between: EUR=30.23,GBP=26.50,USD=33. A person pays in the currency of the Safe, " +
        "and in EUR where it has no price here",
    ),
  CARD_PRICE_VAT_PERCENT: z
    .string()
    .regex(/^\d{1,2}(\.\d{1,4})?$/, "must be per cent such as 19 or 7.7")
    .optional()
    .describe(
      "Per cent of value added tax within the prices of cards, for the books and the export of order income; unset: none",
    ),
  FREE_COUPON_CODE: couponCode.optional().describe("Coupon code that makes every card order free; unset: none"),
  ...cashbackEnvironment,
};

export const readCards = (e: Values<typeof cardEnvironment>): CardPolicy => ({
  cardCountries: e.CARD_COUNTRIES,
  contactWindowHours: e.CONTACT_WINDOW_HOURS,
  cardPrices: readPrices(e.CARD_PRICES),
  orderTaxPercent: e.CARD_PRICE_VAT_PERCENT ?? null,
  freeCouponCode: e.FREE_COUPON_CODE?.toUpperCase() ?? null,
  cashback: readCashback(e),
});
