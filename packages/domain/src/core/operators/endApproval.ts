import { fail } from "@cardkeep/contract/core/errors";
import type { Tx } from "@cardkeep/db/client";
import { decideApproval } from "@cardkeep/db/queries/operators/approvals";
import type { ActionFacts } from "@cardkeep/db/schema/operators/operators";
import type { OperatorActor } from "../actor.ts";
import type { TwoPersonVerb } from "./verbs.ts";

/** An approved request whose verb runs now. */
export interface RunningApproval {
  readonly id: string;
  readonly verb: TwoPersonVerb;
  /** What the second person was shown. */
  readonly input: ActionFacts;
  readonly approver: OperatorActor;
  /** Why the approver approved it. */
  readonly reason: string | null;
}

/** Marks a request as approved in the commit of what it asked for. Two approvals at once run it once. @throws approvals.ended */
export async function endApproval(tx: Tx, now: Date, { id, approver }: RunningApproval): Promise<void> {
  const { id: decidedById, name: decidedByName } = approver;
  const isFirst = await decideApproval(tx, id, { status: "APPROVED", decidedById, decidedByName, decidedAt: now });
  if (!isFirst) fail("approvals.ended");
}
