/** Verbs of the operator, as routes of the sandbox. */
import { sandboxOperator } from "@cardkeep/domain/core/actor";
import { createCoupon, newCoupon } from "@cardkeep/domain/cards/coupons/createCoupon";
import { createPartner, newPartner } from "@cardkeep/domain/partners/partners/createPartner";
import { createOperatorContext, type OperatorContext } from "@cardkeep/domain/core/context";
import { generateId } from "@cardkeep/domain/core/generateId";
import type { Runtime } from "@cardkeep/runtime/compose";
import { defineSandboxRoute } from "./core/route.ts";

/** The operator in whose name the sandbox acts. */
export const operatorOf = ({ services, log }: Runtime): OperatorContext =>
  createOperatorContext(services, { log, requestId: generateId(), actor: sandboxOperator, reason: null });

export const partners = defineSandboxRoute({
  method: "POST",
  path: "/partners",
  summary: "Registers a partner: its users sign in on its domains, and its webhook may be a receiver of the sandbox",
  input: newPartner,
  example: { name: "Example app", domains: ["app.example.org"] },
  run: (runtime, input) => createPartner(operatorOf(runtime), input),
});

export const coupons = defineSandboxRoute({
  method: "POST",
  path: "/coupons",
  summary: "Creates a coupon: a percentage, or an amount in EUR",
  input: newCoupon,
  example: { code: "WELCOME", percent: 50 },
  run: async (runtime, input) => ({ code: (await createCoupon(operatorOf(runtime), input)).code }),
});
