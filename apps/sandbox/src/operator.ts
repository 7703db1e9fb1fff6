/** The operator's verbs, as the sandbox offers them. */
import { createCoupon } from "@cardkeep/domain/coupons/create";
import { createPartner } from "@cardkeep/domain/partners/create";
import { z } from "zod";
import { defineSandboxRoute } from "./route.ts";

export const partners = defineSandboxRoute({
  method: "POST",
  path: "/partners",
  summary: "Registers a partner: its domains may sign people in",
  input: z.object({
    id: z.string().regex(/^[\w-]{1,64}$/).optional(),
    name: z.string().min(1).max(200),
    domains: z.array(z.string()).max(50).default([]),
    webhookUrl: z.url().optional(),
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
    amount: z.string().regex(/^\d{1,9}(\.\d{1,2})?$/).optional(),
    maxRedemptions: z.int().min(1).optional(),
    expiresAt: z.iso.datetime().transform((text) => new Date(text)).optional(),
  }),
  example: { code: "WELCOME", percent: 50 },
  run: (runtime, input) => createCoupon(runtime, input),
});
