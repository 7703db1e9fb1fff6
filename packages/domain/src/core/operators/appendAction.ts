import type { Tx } from "@cardkeep/db/client";
import { insertAction, lockChain, type OperatorAction } from "@cardkeep/db/queries/operators/actions";
import type { ActionFacts, SubjectKind } from "@cardkeep/db/schema/operators/operators";
import { generateId } from "../generateId.ts";
import type { OperatorActor } from "../actor.ts";
import type { RunningApproval } from "./endApproval.ts";
import { hashAction } from "./hashAction.ts";
import type { OperatorChange } from "./verbs.ts";

/** What an operator changed, from what to what. */
export interface ActionRecord {
  readonly subject: { readonly kind: SubjectKind; readonly id: string };
  /** Null where there was nothing before. */
  readonly before: ActionFacts | null;
  /** Null where nothing is left. */
  readonly after: ActionFacts | null;
}

/** Who did it, by which request. */
export interface ActionSource {
  readonly actor: OperatorActor;
  readonly verb: OperatorChange;
  readonly reason: string | null;
  readonly requestId: string;
}

/**
 * Appends an action to the log in the caller's commit, as its last step: other operators wait from here until the end of
 * the transaction. An approved one follows the action of its approval, and names the approver.
 */
export async function appendActions(
  { tx, now }: { tx: Tx; now: Date },
  { source, record, approved }: { source: ActionSource; record: ActionRecord; approved: RunningApproval | null },
): Promise<OperatorAction[]> {
  if (approved === null) return [await appendAction(tx, now, { ...source, ...record, approval: null })];
  const { id, approver, reason } = approved;
  const approval = await appendAction(tx, now, {
    actor: approver,
    verb: "approvals.approve",
    reason,
    requestId: source.requestId,
    approval: null,
    subject: { kind: "approval", id },
    before: { status: "WAITING" },
    after: { status: "APPROVED", verb: source.verb },
  });
  return [approval, await appendAction(tx, now, { ...source, ...record, approval: approved })];
}

async function appendAction(
  tx: Tx,
  now: Date,
  {
    actor,
    verb,
    reason,
    requestId,
    approval,
    subject,
    before,
    after,
  }: ActionSource & ActionRecord & { approval: RunningApproval | null },
): Promise<OperatorAction> {
  const { sequence, hash: previousHash } = await lockChain(tx);
  const content = {
    id: generateId(),
    sequence: sequence + 1n,
    at: now,
    operatorId: actor.id,
    operatorName: actor.name,
    via: actor.via,
    proof: actor.proof,
    verb,
    subjectKind: subject.kind,
    subjectId: subject.id,
    before,
    after,
    reason,
    requestId,
    approvalId: approval?.id ?? null,
    approverId: approval?.approver.id ?? null,
    approverName: approval?.approver.name ?? null,
    previousHash,
  };
  const action = { ...content, hash: hashAction(content) };
  await insertAction(tx, action);
  return action;
}
