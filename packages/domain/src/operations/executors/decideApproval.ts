/** The second person's side of a request: reads it, approves it, rejects it. */
import { fail } from "@cardkeep/contract/core/errors";
import {
  countWaitingApprovals,
  decideApproval,
  listApprovals as listRows,
  type OperatorApproval,
} from "@cardkeep/db/queries/operators/approvals";
import type { ApprovalStatus } from "@cardkeep/contract/operators/approvals";
import type { OperatorActor } from "../../core/actor.ts";
import { createOperatorContext, type OperatorContext } from "../../core/context.ts";
import type { Services } from "../../core/services.ts";
import { z } from "zod";
import { executors } from "./executors.ts";
import {
  readApproval,
  readPresentApproval,
  refuseEnded,
  withoutSealed,
} from "../../operators/approvals/requireApproval.ts";
import { hasRole, requireRole } from "../../core/operators/requireRole.ts";
import { type TwoPersonVerb, twoPersonVerbs } from "../../core/operators/verbs.ts";
import { type AskedEndpoint, readAskedEndpoint, sealedChange } from "../../partners/partners/askedChange.ts";
import { findOperator } from "../../operators/operatorSessions/findOperator.ts";

const toShown = (request: OperatorApproval): OperatorApproval => ({ ...request, input: withoutSealed(request.input) });

/** Requests, newest first; `after` names the last row of the page before. */
export async function listApprovals(
  { db }: Pick<Services, "db">,
  { status = null, after = null, limit }: { status?: ApprovalStatus | null; after?: string | null; limit: number },
): Promise<OperatorApproval[]> {
  return (await listRows(db, { status, after, limit })).map(toShown);
}

/** One request. @throws approvals.not_found */
export const getApproval = async (on: Pick<Services, "db">, { id }: { id: string }): Promise<OperatorApproval> =>
  toShown(await readApproval(on, id));

/** The endpoint of a partner that a waiting request asks for, for those who may run it; null for all others. @throws approvals.not_found */
export async function openApproval(
  ctx: Pick<OperatorContext, "db" | "secrets" | "actor">,
  { id }: { id: string },
): Promise<AskedEndpoint | null> {
  const { verb, status, input } = await readApproval(ctx, id);
  if (verb !== "partners.change" || status !== "WAITING" || !hasRole(ctx.actor, verb)) return null;
  return readAskedEndpoint(ctx, sealedChange.parse(input));
}

/** How many requests wait for a second person. */
export const countApprovals = async ({ db, clock }: Pick<Services, "db" | "clock">): Promise<number> =>
  countWaitingApprovals(db, await clock.now(db));

/**
 * Approves a request and runs its verb, both in one commit. The action log names who asked and who approved. A verb that
 * fails leaves the request waiting. A partner's new key is in this answer alone.
 *
 * @throws approvals.not_found, approvals.ended, approvals.own, approvals.asker_gone, operators.forbidden,
 * operators.person_required, and what the verb throws
 */
export async function approveRequest(
  ctx: OperatorContext,
  { id }: { id: string },
): Promise<OperatorApproval & { newKey: string | null }> {
  requireRole(ctx.actor, "approvals.approve");
  const request = await getWaiting(ctx, id);
  requireOther(ctx.actor, request);
  const verb = findVerb(request);
  requireRole(ctx.actor, verb);
  const { log, requestId, actor: approver, reason, alongside } = ctx;
  const asker = createOperatorContext(ctx, {
    log,
    requestId,
    actor: await getAsker(ctx, request, verb),
    reason: request.reason,
    approval: { id, verb, input: request.input, approver, reason },
    alongside: async (work, ran) => (ran === verb ? alongside(work, "approvals.approve") : async () => {}),
  });
  const output = await executors[verb](asker, request.input);
  const newKey = verb === "partners.rotate" ? rotated.parse(output).key : null;
  return { ...(await getApproval(ctx, { id })), newKey };
}

const rotated = z.object({ key: z.string() });

/**
 * Rejects a request. The operator who asked may take it back so.
 *
 * @throws approvals.not_found, approvals.ended, operators.forbidden
 */
export async function rejectRequest(ctx: OperatorContext, { id }: { id: string }): Promise<OperatorApproval> {
  requireRole(ctx.actor, "approvals.reject");
  const request = await getWaiting(ctx, id);
  requireRole(ctx.actor, findVerb(request));
  await ctx.act("approvals.reject", async ({ tx, now }) => {
    const { id: decidedById, name: decidedByName } = ctx.actor;
    if (!(await decideApproval(tx, id, { status: "REJECTED", decidedById, decidedByName, decidedAt: now })))
      fail("approvals.ended");
    const subject = { kind: "approval", id } as const;
    const { verb, input } = toShown(request);
    return { output: undefined, subject, before: { status: "WAITING" }, after: { status: "REJECTED", verb, ...input } };
  });
  return getApproval(ctx, { id });
}

async function getWaiting(ctx: OperatorContext, id: string): Promise<OperatorApproval> {
  const request = await readPresentApproval(ctx, id);
  return request.status === "WAITING" ? request : refuseEnded(request);
}

/** Two people: an operator never approves an own request, and the shared key and a machine's user show no person. */
function requireOther(actor: OperatorActor, { askedById, askedProof }: OperatorApproval): void {
  if (actor.id === askedById) fail("approvals.own");
  if (actor.proof !== "oidc" || askedProof !== "oidc") fail("operators.person_required");
}

/** The person who asked, with the roles of now: a dismissed operator's request is not run. @throws approvals.asker_gone */
async function getAsker(
  ctx: OperatorContext,
  { askedById, askedVia: via, askedProof: proof }: OperatorApproval,
  verb: TwoPersonVerb,
): Promise<OperatorActor> {
  const present = await findOperator(ctx, askedById);
  if (present === null || !hasRole(present, verb)) return fail("approvals.asker_gone");
  return { ...present, via, proof };
}

const findVerb = ({ verb, id }: OperatorApproval) =>
  twoPersonVerbs.find((each) => each === verb) ??
  fail("approvals.ended", { text: `This version of the program does not know ${verb} of the request ${id}` });
