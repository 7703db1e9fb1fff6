/** The second person's side of a request: reads it, approves it, rejects it. */
import { fail } from "@cardkeep/contract/errors";
import {
  countWaitingApprovals,
  decideApproval,
  findApproval,
  listApprovals as listRows,
  type OperatorApproval,
} from "@cardkeep/db/queries/operators/approvals";
import type { ApprovalStatus } from "@cardkeep/db/schema/operators";
import { type OperatorActor, operatorRoles } from "../actor.ts";
import { createOperatorContext, type OperatorContext } from "../context.ts";
import type { Services } from "../services.ts";
import { executors } from "./executors.ts";
import { expireApprovals } from "../approvals/expireApprovals.ts";
import { requireRole } from "../operators/requireRole.ts";
import { twoPersonVerbs } from "../operators/verbs.ts";

/** Requests, newest first; `after` names the last one that is known already. */
export const listApprovals = (
  { db }: Pick<Services, "db">,
  { status = null, after = null, limit }: { status?: ApprovalStatus | null; after?: string | null; limit: number },
): Promise<OperatorApproval[]> => listRows(db, { status, after, limit });

/** One request. @throws approvals.not_found */
export const getApproval = async ({ db }: Pick<Services, "db">, { id }: { id: string }): Promise<OperatorApproval> =>
  (await findApproval(db, id)) ?? fail("approvals.not_found");

/** How many requests wait for a second person. */
export const countApprovals = async ({ db, clock }: Pick<Services, "db" | "clock">): Promise<number> =>
  countWaitingApprovals(db, await clock.now(db));

/**
 * Approves a request and runs its verb, both in one commit. The action log names who asked and who approved. A verb that
 * fails leaves the request waiting.
 *
 * @throws approvals.not_found, approvals.ended, approvals.own, operators.forbidden, and what the verb throws
 */
export async function approveRequest(ctx: OperatorContext, { id }: { id: string }): Promise<OperatorApproval> {
  requireRole(ctx.actor, "approvals.approve");
  const request = await getWaiting(ctx, id);
  requireOther(ctx.actor, request);
  const verb = findVerb(request);
  requireRole(ctx.actor, verb);
  const { log, requestId, actor: approver, reason } = ctx;
  const asker = createOperatorContext(ctx, {
    log,
    requestId,
    actor: describeAsker(request),
    reason: request.reason,
    approval: { id, verb, approver, reason },
  });
  await executors[verb](asker, request.input);
  return getApproval(ctx, { id });
}

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
    const { verb, input } = request;
    return { output: undefined, subject, before: { status: "WAITING" }, after: { status: "REJECTED", verb, ...input } };
  });
  return getApproval(ctx, { id });
}

async function getWaiting(ctx: OperatorContext, id: string): Promise<OperatorApproval> {
  await expireApprovals(ctx);
  const request = await getApproval(ctx, { id });
  if (request.status === "WAITING") return request;
  return fail("approvals.ended", {
    text: `This request has ended: ${request.status}, by ${request.decidedByName}`,
  });
}

/** An operator never approves an own request, and the shared key shows no person. */
function requireOther(actor: OperatorActor, { askedById }: OperatorApproval): void {
  if (actor.id === askedById) fail("approvals.own");
  if (actor.proof === "key") fail("approvals.own", { text: "The shared key names no person: sign in by your name" });
}

const findVerb = ({ verb, id }: OperatorApproval) =>
  twoPersonVerbs.find((each) => each === verb) ??
  fail("approvals.ended", { text: `This version of the program does not know ${verb} of the request ${id}` });

const describeAsker = (request: OperatorApproval): OperatorActor => ({
  kind: "operator",
  id: request.askedById,
  name: request.askedByName,
  via: request.askedVia,
  proof: request.askedProof,
  roles: operatorRoles.filter((role) => request.askedRoles.includes(role)),
});
