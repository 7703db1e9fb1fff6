/** Coupons: codes that reduce the price of a card order. */
import { z } from "zod";
import { errors } from "../core/errorCatalogue.ts";

const codeLengthMax = 64;
const invalid = errors["coupons.invalid"].text;

export const couponCode = z
  .string()
  .max(codeLengthMax, invalid)
  .regex(/^[\w-]+$/, invalid)
  .meta({
    description: "Coupon code, in any letter case. The operator makes it, by `cardkeep coupons create`",
    examples: ["FREECARD"],
  });
