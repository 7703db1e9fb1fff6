/** An operator's act that a program may repeat: the same `Idempotency-Key` acts once. */
import { fail } from "@cardkeep/contract/core/errors";
import { lockKey, findStoredReply, insertReply } from "@cardkeep/db/queries/core/idempotency";
import { z } from "zod";
import { type Alongside, createContext, type OperatorContext, type Work } from "../../core/context.ts";
import type { OperatorChange } from "../../core/operators/verbs.ts";
import { requireApproved } from "../approvals/requireApproval.ts";

/** A key of one operator for one act, and a digest of what the act was asked with. */
export interface IdempotentAct {
  readonly scope: string;
  readonly key: string;
  readonly bodyHash: string;
}

/**
 * What is stored of an act: `approvalId` names the request for a second person that stands for it, `subjectId` what it changed or made.
 * Those of the release before, and acts that end after their commit, have no `subjectId`.
 */
const actReply = z.object({ approvalId: z.string().optional(), subjectId: z.string().optional() });
type ActReply = z.output<typeof actReply>;

/**
 * What is stored of the act where it was done already with this key, by its operator or by the approval of its request; null where not.
 *
 * @throws idempotency.mismatch for another input; operators.approval_needed while the request waits, approvals.ended where it was
 *   not approved
 */
export async function findDone(
  ctx: OperatorContext,
  { scope, key, bodyHash }: IdempotentAct,
): Promise<ActReply | null> {
  const known = await findStoredReply(ctx.db, scope, key);
  if (known === null) return null;
  if (known.bodyHash !== bodyHash) fail("idempotency.mismatch");
  const done = actReply.parse(known.reply);
  if (done.approvalId !== undefined) await requireApproved(ctx, done.approvalId);
  return done;
}

/** Stores in the commit of the act that it was done, or in that of its request who decides on it. Other acts are not stored. */
export const recordOnce =
  (act: IdempotentAct, expected: OperatorChange): Alongside =>
  async (work, verb) => {
    const isRequest = verb === "approvals.ask";
    if (verb !== expected && !isRequest) return async () => {};
    const store = await holdKey(work, act);
    return ({ subject }) => store(isRequest ? { approvalId: subject.id } : { subjectId: subject.id });
  };

/** Stores that an act was done whose effect came after its own commit. @throws idempotency.in_flight */
export const recordDone = (ctx: OperatorContext, act: IdempotentAct): Promise<void> =>
  createContext(ctx, ctx).commit(async (work) => (await holdKey(work, act))({}));

/** @throws idempotency.in_flight while another request with the key is being carried out, or where it was faster */
async function holdKey({ tx, now }: Work, act: IdempotentAct): Promise<(reply: ActReply) => Promise<void>> {
  const { scope, key } = act;
  if (!(await lockKey(tx, scope, key)) || (await findStoredReply(tx, scope, key)) !== null)
    fail("idempotency.in_flight");
  return (reply) => insertReply(tx, { ...act, status: 200, reply, createdAt: now });
}
