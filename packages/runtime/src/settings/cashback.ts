/** Settings of cashback on card purchases. */
import { typedAddress } from "@cardkeep/contract/core/primitives";
import type { CashbackProgramme } from "@cardkeep/domain/core/policy";
import { z } from "zod";
import { type Values, wholeNumber } from "./types.ts";

export const cashbackEnvironment = {
  CASHBACK_TOKEN_ADDRESS: typedAddress
    .optional()
    .describe("Token whose balance gives a cashback rate; unset: no cashback"),
  CASHBACK_TIERS: z
    .string()
    .regex(/^\d+(\.\d+)?:\d+(\.\d+)?(,\d+(\.\d+)?:\d+(\.\d+)?)*$/, "must be tokens:percent, comma separated")
    .default("0.1:1,1:2,10:3,100:4")
    .describe("Cashback rates as tokens:percent: the rate from this number of whole tokens, comma separated"),
  CASHBACK_BADGE_ADDRESS: typedAddress.optional().describe("Token that gives its holders one per cent more"),
  CASHBACK_WEEKLY_CAP_USD: wholeNumber(5_000, 0, "Purchases of a week that earn cashback, in USD"),
};

/** The cashback programme; null without a token. */
export function readCashback(e: Values<typeof cashbackEnvironment>): CashbackProgramme | null {
  if (e.CASHBACK_TOKEN_ADDRESS === undefined) return null;
  return {
    token: e.CASHBACK_TOKEN_ADDRESS,
    badge: e.CASHBACK_BADGE_ADDRESS ?? null,
    tiers: parseTiers(e.CASHBACK_TIERS),
    weeklyCapUsd: e.CASHBACK_WEEKLY_CAP_USD,
  };
}

const parseTiers = (text: string): { tokens: number; percent: number }[] =>
  text.split(",").map((tier) => {
    const [tokens = "", percent = ""] = tier.split(":");
    return { tokens: Number(tokens), percent: Number(percent) };
  });
