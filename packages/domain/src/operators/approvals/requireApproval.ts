import { dayMs } from "@cardkeep/contract/core/durations";
import { CardkeepError, fail } from "@cardkeep/contract/core/errors";
import { findApproval, insertApproval, type OperatorApproval } from "@cardkeep/db/queries/operators/approvals";
import type { ActionFacts } from "@cardkeep/db/schema/operators/operators";
import type { OperatorContext, Work } from "../../core/context.ts";
import { generateId } from "../../core/generateId.ts";
import { formatInstant } from "../../core/wording.ts";
import type { ActionRecord } from "../../core/operators/appendAction.ts";
import { expireApprovals } from "./expireApprovals.ts";
import { requireRole } from "../../core/operators/requireRole.ts";
import type { TwoPersonVerb } from "../../core/operators/verbs.ts";

const lifetimeMs = dayMs;

/**
 * Lets a verb go on that needs no second person, or whose request another operator has just approved. Otherwise it stores
 * the request, records that it was asked for, and ends the verb.
 *
 * `input` is what the verb is run with after the approval: ids and amounts, already resolved, and no personal data but what is
 * sealed as `sealed`, or by `seal` in the commit of the request. The same request that waits already is not stored twice.
 *
 * Only a person of the OpenID provider may ask: the machine's user and the shared key may be the same human as the
 * one who approves.
 *
 * @throws operators.approval_needed with the request's id in its details; operators.forbidden, operators.person_required
 */
export async function requireApproval(
  ctx: OperatorContext,
  verb: TwoPersonVerb,
  {
    input: known,
    subject,
    seal,
  }: { input: ActionFacts; subject: ActionRecord["subject"]; seal?: (work: Work) => Promise<string> },
): Promise<void> {
  if (ctx.approval?.verb === verb || !ctx.policy.operators.twoPersons.includes(verb)) return;
  requireRole(ctx.actor, verb);
  if (ctx.actor.proof !== "oidc") fail("operators.person_required");
  await expireApprovals(ctx);
  const { actor, reason, requestId } = ctx;
  const request = await ctx.act("approvals.ask", async (work) => {
    const { tx, now } = work;
    const input = { ...known, ...(seal && { sealed: await seal(work) }) };
    const output = await insertApproval(tx, {
      id: generateId(),
      verb,
      input,
      subjectKind: subject.kind,
      subjectId: subject.id,
      status: "WAITING",
      askedById: actor.id,
      askedByName: actor.name,
      askedVia: actor.via,
      askedProof: actor.proof,
      askedRoles: [...actor.roles],
      reason,
      requestId,
      askedAt: now,
      expiresAt: new Date(now.getTime() + lifetimeMs),
      decidedById: null,
      decidedByName: null,
      decidedAt: null,
    });
    return {
      output,
      subject: { kind: "approval", id: output.id },
      before: null,
      after: { verb, ...withoutSealed(input) },
    };
  });
  throw new ApprovalNeeded(request);
}

/** The input of a request as operators and the action log have it: what is sealed in it is for its verb alone. */
export function withoutSealed({ sealed: _, ...input }: ActionFacts): ActionFacts {
  return input;
}

/**
 * Refuses to run an approved request about another state than the second person was shown. A verb has what it finds, such as
 * an amount, in its input beside what the operator gives, and asks this behind the lock of the row.
 *
 * @throws approvals.changed
 */
export function requireSame({ approval }: Pick<OperatorContext, "approval">, present: ActionFacts): void {
  if (approval === null) return;
  for (const [name, value] of Object.entries(present))
    if (approval.input[name] !== value)
      fail("approvals.changed", {
        text: `${name} is ${value ?? "none"} now, and was ${approval.input[name] ?? "none"} when it was asked for: reject this request, and ask again`,
      });
}

/**
 * Lets a repeated verb answer that it was done, where its request was approved.
 *
 * @throws operators.approval_needed while the request waits, approvals.ended where it was not approved
 */
export async function requireApproved(ctx: OperatorContext, id: string): Promise<void> {
  const request = await readPresentApproval(ctx, id);
  if (request.status === "WAITING") throw new ApprovalNeeded(request);
  if (request.status !== "APPROVED") refuseEnded(request);
}

/** A request with all of its input, as it was last read. @throws approvals.not_found */
export const readApproval = async ({ db }: Pick<OperatorContext, "db">, id: string): Promise<OperatorApproval> =>
  (await findApproval(db, id)) ?? fail("approvals.not_found");

/** The same, after those whose time is over have ended. @throws approvals.not_found */
export async function readPresentApproval(ctx: OperatorContext, id: string): Promise<OperatorApproval> {
  await expireApprovals(ctx);
  return readApproval(ctx, id);
}

/** @throws approvals.ended */
export const refuseEnded = ({ status, decidedByName }: OperatorApproval): never =>
  fail("approvals.ended", { text: `This request has ended: ${status}, by ${decidedByName}` });

/** What a program reads of a request that waits. */
export const describeRequest = ({ id, verb, status, expiresAt }: OperatorApproval) => ({
  approvalId: id,
  verb,
  status,
  expiresAt,
});

/** What happens next, for the operator who asked. */
export class ApprovalNeeded extends CardkeepError {
  readonly request: OperatorApproval;

  constructor(request: OperatorApproval) {
    const until = formatInstant(request.expiresAt);
    super("operators.approval_needed", {
      text: `${request.verb} waits for a second person. Another operator may approve it until ${until}, as request ${request.id}.`,
      details: describeRequest(request),
    });
    this.request = request;
  }
}
