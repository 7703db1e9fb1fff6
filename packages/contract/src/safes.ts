/**
 * The user's Safe: deployment and configuration.
 *
 * - account status: integrity of the on-chain account, 0 (Ok) to 8, first failing test wins; 7 = something is queued.
 */
import { z } from "zod";
import { defineMachine, listStates, type StateOf } from "./machine.ts";
import { address, tokenAmount } from "./primitives.ts";
import { defineRoute } from "./route.ts";
import { instant } from "./primitives.ts";

export const tokenSymbol = z.enum(["EURe", "GBPe", "USDCe"]);
const fiatSymbol = z.enum(["EUR", "GBP", "USD"]);

/** Whole token units a day until the user asks for another limit. */
export const defaultDailyLimit = 350;

export const deploymentMachine = defineMachine({
  name: "Safe deployment",
  initial: "not_deployed",
  states: {
    not_deployed: { means: "Never asked for" },
    processing: { means: "Accepted; a worker deploys and sets up the account" },
    ok: { means: "The chain shows the whole account; it is in service", isFinal: true },
    failed: { means: "The chain refused it five times; it may be asked for again" },
  },
  transitions: [
    { from: "not_deployed", to: "processing", when: "`POST /safe/deploy`" },
    { from: "processing", to: "ok", when: "the account's integrity is read from the chain" },
    { from: "processing", to: "failed", when: "the fifth attempt is refused" },
    { from: "failed", to: "processing", when: "`POST /safe/deploy` again, for a Safe at a new address" },
  ],
});
export type DeploymentStatus = StateOf<typeof deploymentMachine>;

export const deploy = defineRoute({
  method: "POST",
  path: "/safe/deploy",
  summary: "Deploys and sets up the user's Safe without a signature; progress by GET",
  access: "user",
  input: z.object({
    dailyLimit: z.int().min(1).optional().meta({ description: "Daily limit in whole token units, default 350" }),
  }),
  output: z.object({ status: z.literal("accepted") }),
  status: 202,
  errors: [
    "request.invalid",
    "auth.unauthorized",
    "safes.signer_required",
    "safes.kyc_required",
    "safes.already_exists",
  ],
  errorStyle: "error",
  unauthorizedStyle: "error",
});

export const deployment = defineRoute({
  method: "GET",
  path: "/safe/deploy",
  summary: "How far the deployment is",
  access: "user",
  output: z.object({
    status: z.enum(listStates(deploymentMachine)),
    updatedAt: instant.optional(),
  }),
  errors: ["auth.unauthorized"],
  errorStyle: "error",
  unauthorizedStyle: "error",
});

export const config = defineRoute({
  method: "GET",
  path: "/safe/config",
  aliases: ["/safe-config"],
  summary: "Address, currency, integrity and daily allowance of the user's Safe",
  access: "user",
  output: z.object({
    hasNoApprovals: z.boolean(),
    isDeployed: z.boolean(),
    address: address.nullable(),
    tokenSymbol: tokenSymbol.nullable(),
    fiatSymbol: fiatSymbol.nullable(),
    accountStatus: z.int().min(0).max(8),
    accountAllowance: z.object({
      balance: tokenAmount,
      refill: tokenAmount,
      period: z.string().meta({ description: "Seconds" }),
      nextRefill: z.string().nullable().meta({ description: "Unix seconds" }),
    }),
  }),
  errors: ["auth.unauthorized"],
  errorStyle: "error",
  unauthorizedStyle: "error",
});
