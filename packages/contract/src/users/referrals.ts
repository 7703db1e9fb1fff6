/**
 * Referrals: people who signed up with another user's code.
 *
 * - referrer code: a user's own code; other people send it as `referralCouponCode` at sign-up.
 * - completed: the person has a card.
 */
import { z } from "zod";
import { id } from "../core/primitives.ts";
import { defineRoute } from "../core/route.ts";

const failure = { style: "error", text: "Internal server error" } as const;
const count = z.int().min(0);

export const referrerCode = defineRoute({
  method: "POST",
  path: "/user/referrer-code",
  summary: "The user's referrer code; it never changes",
  access: "user",
  output: z.object({
    userId: id.meta({ description: "The user's id" }),
    referrerCode: z.string().meta({
      description: "The code that other people send as `referralCouponCode` at sign-up",
      examples: ["R7K2M9QXT4"],
    }),
  }),
  errors: [],
  errorStyle: "error",
  failure,
});

export const referrals = defineRoute({
  method: "GET",
  path: "/user/referrals",
  summary: "How many people signed up with the user's referrer code, and how many of them have a card",
  access: "user",
  output: z.object({
    isOgTokenHolder: z
      .boolean()
      .meta({ description: "Whether the user holds the badge of the cashback programme", examples: [false] }),
    pendingReferrals: count.meta({ description: "People without a card so far", examples: [1] }),
    completedReferrals: count.meta({ description: "People with a card", examples: [2] }),
  }),
  errors: [],
  errorStyle: "error",
  failure,
});
