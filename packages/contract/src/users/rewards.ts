/**
 * Rewards: cashback on a user's card purchases, by the operator's programme.
 *
 * - gnoBalance: whole tokens of the programme that the user's Safe holds.
 * - isOg: whether the user holds its badge.
 */
import { z } from "zod";
import { defineRoute } from "../core/route.ts";

const isOg = z
  .boolean()
  .meta({ description: "Whether the user holds the programme's badge, worth one per cent more", examples: [false] });
const failure = { style: "message", text: "Internal server error" } as const;

export const summary = defineRoute({
  method: "GET",
  path: "/rewards",
  summary: "The user's cashback rate without the badge's bonus; zero without a programme",
  access: "user",
  output: z.object({
    isOg,
    gnoBalance: z
      .number()
      .min(0)
      .meta({ description: "Whole tokens of the programme in the Safe", examples: [12.5] }),
    cashbackRate: z
      .number()
      .min(0)
      .meta({ description: "Per cent", examples: [2] }),
  }),
  errors: [],
  errorStyle: "message",
  failure,
});

export const cashback = defineRoute({
  method: "GET",
  path: "/cashback",
  summary: "The user's cashback rate with the badge's bonus, and the weekly cap; zero without a programme",
  access: "user",
  output: z.object({
    isOg,
    gnoBalance: z
      .string()
      .meta({ description: "Whole tokens of the programme in the Safe, decimal", examples: ["12.5"] }),
    cashbackRate: z
      .number()
      .min(0)
      .meta({ description: "Per cent, bonus included", examples: [3] }),
    weeklyCapUsd: z
      .number()
      .min(0)
      .meta({ description: "Purchases of a week that earn cashback, in USD", examples: [5000] }),
  }),
  errors: [],
  errorStyle: "message",
  failure,
});
