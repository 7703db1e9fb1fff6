/** Reads of the operators' action log. */
import { and, asc, desc, eq, gt, lt, sql } from "drizzle-orm";
import type { Executor } from "../../client.ts";
import { operatorActions, operatorChain } from "../../schema/tables.ts";
import type { ChainHead, OperatorAction } from "./actions.ts";

/** The newest action; null if the row that the migration made is gone. */
export async function findChainHead(on: Executor): Promise<ChainHead | null> {
  const [row] = await on.select({ sequence: operatorChain.sequence, hash: operatorChain.hash }).from(operatorChain);
  return row ?? null;
}

export interface ActionFilter {
  readonly operatorId?: string | null | undefined;
  readonly verb?: string | null | undefined;
  readonly subjectId?: string | null | undefined;
}

/** Actions, newest first; `after` names the last row of the page before. */
export async function listActions(
  on: Executor,
  { operatorId, verb, subjectId, after, limit }: ActionFilter & { after: bigint | null; limit: number },
): Promise<OperatorAction[]> {
  const isFiltered = [
    operatorId ? eq(operatorActions.operatorId, operatorId) : undefined,
    verb ? eq(operatorActions.verb, verb) : undefined,
    subjectId ? eq(operatorActions.subjectId, subjectId) : undefined,
  ];
  return on
    .select()
    .from(operatorActions)
    .where(and(...isFiltered, after === null ? undefined : lt(operatorActions.sequence, after)))
    .orderBy(desc(operatorActions.sequence))
    .limit(limit);
}

export async function findAction(on: Executor, sequence: bigint): Promise<OperatorAction | null> {
  const [row] = await on.select().from(operatorActions).where(eq(operatorActions.sequence, sequence));
  return row ?? null;
}

/** Below every sequence, so that a row is read that was forged before the first. */
const lowest = -(2n ** 63n);

/** Actions in their order, from the one behind `after`, a thousand at a time; by id too, since a forged one may share a sequence. */
export async function* readActions(on: Executor, after: bigint = lowest): AsyncGenerator<OperatorAction> {
  const batchSize = 1_000;
  const { sequence, id } = operatorActions;
  for (let behind = gt(sequence, after); ;) {
    const rows = await on.select().from(operatorActions).where(behind).orderBy(asc(sequence), asc(id)).limit(batchSize);
    yield* rows;
    const end = rows.at(-1);
    if (end === undefined || rows.length < batchSize) return;
    behind = sql`(${sequence}, ${id}) > (${end.sequence}, ${end.id})`;
  }
}
