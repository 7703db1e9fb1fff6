/** The card network's desk: it decides disputes. */
import { listIssuerObjects } from "@cardkeep/db/sandbox/issuerObjects";
import { z } from "zod";
import { defineSandboxRoute } from "../core/route.ts";
import { actAtIssuer } from "./authorizations.ts";
import { decideDispute, disputeObject, outcomes } from "./decideDispute.ts";
import { reportOutcome } from "./terminalRoutes.ts";

const disputesMax = 50;

export const listIssuerDisputes = defineSandboxRoute({
  method: "GET",
  path: "/issuer/disputes",
  summary: "The card issuer's disputes, newest first",
  input: z.object({ transaction: z.string().optional() }),
  example: {},
  run: async ({ store }, { transaction }) => {
    const page = { object: disputeObject, startingAfter: null, limit: disputesMax };
    return (await listIssuerObjects(store, { ...page, part: { transaction } })).map(({ data }) => data);
  },
});

export const decideIssuerDispute = defineSandboxRoute({
  method: "POST",
  path: "/issuer/disputes/{disputeId}/decide",
  summary:
    "The card network decides a dispute, in whole or in part, pays for it, or takes its money back. `isSilent` loses the callbacks",
  input: z.object({
    disputeId: z.string(),
    outcome: z.enum(outcomes),
    amount: z.int().min(0).max(99_999_999).optional(),
    lossReason: z.string().optional(),
    isSilent: z.boolean().optional(),
  }),
  example: { outcome: "win" },
  run: async (runtime, { disputeId, isSilent = false, ...decision }) => {
    const decided = await reportOutcome(
      actAtIssuer(runtime, (work) => decideDispute(isSilent ? { ...work, emit: () => {} } : work, disputeId, decision)),
    );
    return { disputeId, status: decided.status, amount: decided.amount };
  },
});
