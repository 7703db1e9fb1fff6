/** The action log as operators read it. */
import { fail } from "@cardkeep/contract/core/errors";
import {
  type ActionFilter,
  findAction,
  listActions as listRows,
  readActions,
} from "@cardkeep/db/queries/operators/actionLists";
import type { OperatorAction } from "@cardkeep/db/queries/operators/actions";
import type { Db } from "@cardkeep/db/client";
import { toExport } from "./hashAction.ts";

const parseSequence = (text: string): bigint | null => (/^\d{1,18}$/.test(text) ? BigInt(text) : null);

/** Actions, newest first; `after` names the last row of the page before. */
export const listActions = (
  { db }: { readonly db: Db },
  { after = null, limit, ...filter }: ActionFilter & { after?: string | null; limit: number },
): Promise<OperatorAction[]> => listRows(db, { ...filter, after: after === null ? null : parseSequence(after), limit });

/** One action. @throws actions.not_found */
export async function getAction(
  { db }: { readonly db: Db },
  { sequence }: { sequence: string },
): Promise<OperatorAction> {
  const parsed = parseSequence(sequence);
  return (parsed === null ? null : await findAction(db, parsed)) ?? fail("actions.not_found");
}

/** All actions in their order as objects whose hash an auditor recomputes: see `hashAction`. */
export async function* exportActions({ db }: { readonly db: Db }): AsyncGenerator<ReturnType<typeof toExport>> {
  for await (const action of readActions(db)) yield toExport(action);
}

/** A fact of the state before or after, as text. */
const formatFact = (value: unknown): string => {
  if (value === undefined || value === null) return "-";
  return Array.isArray(value) ? value.join(", ") || "-" : String(value);
};

/** The facts of an action, each before and after. */
export function compareFacts({ before, after }: Pick<OperatorAction, "before" | "after">): {
  name: string;
  before: string;
  after: string;
}[] {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return names.map((name) => ({ name, before: formatFact(before?.[name]), after: formatFact(after?.[name]) }));
}
