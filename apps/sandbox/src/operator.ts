/** The operator's verbs, as the sandbox offers them. */
import { createCoupon } from "@cardkeep/domain/coupons/create";
import { createPartner } from "@cardkeep/domain/partners/create";
import { z } from "zod";
import { defineSandboxRoute } from "./route.ts";

/** What the column holds. */
const redemptionsMax = 2_147_483_647;

export const partners = defineSandboxRoute({
  method: "POST",
  path: "/partners",
  summary: "Registers a partner: its domains may sign people in",
  input: z.object({
    id: z
      .string()
      .regex(/^[\w-]{1,64}$/)
      .optional(),
    name: z.string().min(1).max(200),
    domains: z.array(z.string().max(259)).max(50).default([]),
    webhookUrl: z
      .url({ protocol: /^https?$/ })
      .max(2_000)
      .optional(),
  }),
  example: { name: "Example app", domains: ["app.example.org"] },
  run: (runtime, input) => createPartner(runtime, input),
});

export const coupons = defineSandboxRoute({
  method: "POST",
  path: "/coupons",
  summary: "Makes a coupon of a percentage or of an amount in EUR",
  input: z.object({
    code: z.string().regex(/^[\w-]{1,64}$/),
    percent: z.int().min(1).max(100).optional(),
    amount: z
      .union([z.string(), z.number().transform(String)])
      .pipe(z.string().regex(/^\d{1,9}(\.\d{1,2})?$/, "must be decimal EUR"))
      .optional(),
    maxRedemptions: z.int().min(1).max(redemptionsMax).optional(),
    expiresAt: z.iso
      .datetime({ offset: true })
      .transform((text) => new Date(text))
      .optional(),
  }),
  example: { code: "WELCOME", percent: 50 },
  run: (runtime, input) => createCoupon(runtime, input),
});
