import type { Tx } from "@cardkeep/db/client";
import { insertAction, lockChain, type OperatorAction } from "@cardkeep/db/queries/operators/actions";
import type { ActionFacts, SubjectKind } from "@cardkeep/db/schema/operators";
import type { OperatorActor } from "../actor.ts";
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
  /** The approved request of another operator, and who approved it. */
  readonly approval: { readonly id: string; readonly approver: Pick<OperatorActor, "id" | "name"> } | null;
}

/**
 * Appends an action to the log in the caller's commit, as its last step: other operators wait from here until the end of
 * the transaction.
 */
export async function appendAction(
  tx: Tx,
  now: Date,
  { actor, verb, reason, requestId, approval, subject, before, after }: ActionSource & ActionRecord,
): Promise<OperatorAction> {
  const { sequence, hash: previousHash } = await lockChain(tx);
  const content = {
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
