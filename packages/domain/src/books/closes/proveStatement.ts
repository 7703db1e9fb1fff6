/** A person's statement with proofs that the postings of it are in closed days. */
import { fail } from "@cardkeep/contract/core/errors";
import { listCausesOf, listPostingsOf } from "@cardkeep/db/queries/books/postings";
import { findStatement } from "@cardkeep/db/queries/spending/statements";
import { findVolume, listVolumes } from "@cardkeep/db/queries/spending/statementVolumes";
import type { Statement } from "@cardkeep/contract/spending/statements";
import type { Services } from "../../core/services.ts";
import { resolveUser } from "../../users/users/listUsers.ts";
import { kindOf } from "../postings/chart.ts";
import { exportClose } from "./exportClose.ts";
import { buildProof, type Proof } from "./proof.ts";

export interface StatementProof {
  readonly statement: Statement;
  readonly proofs: readonly Proof[];
}

/** The accounts whose references a statement names. */
const namedKinds: ReadonlySet<string | null> = new Set(["settlement", "prefund", "safes"]);

/** A month's statement, with the lines of all of its volumes. This service made them, and they stay as they are. */
async function readWhole(
  { db }: Pick<Services, "db">,
  userId: string,
  month: string,
  document: string,
): Promise<Statement> {
  const statement = JSON.parse(document) as Statement;
  for (const { volume } of await listVolumes(db, userId, month)) {
    const part = JSON.parse((await findVolume(db, userId, month, volume))?.document ?? "{}") as Partial<Statement>;
    for (const entry of part.entries ?? []) statement.entries.push(entry);
    for (const item of part.cardItems ?? []) statement.cardItems.push(item);
  }
  return statement;
}

/**
 * @throws users.not_found, statements.not_found before the month is over, books.not_closed, books.changed
 */
export async function proveStatement(
  ctx: Pick<Services, "db">,
  { user: reference, month }: { user: string; month: string },
): Promise<StatementProof> {
  const { id: userId } = await resolveUser(ctx.db, reference);
  const stored = (await findStatement(ctx.db, userId, month)) ?? fail("statements.not_found");
  const statement = await readWhole(ctx, userId, month, stored.document);
  const hashes = statement.entries.map(({ hash }) => hash);
  const clearingIds = statement.cardItems.map(({ id }) => id);
  const named = new Set([...hashes, ...clearingIds]);
  const cards = [...statement.entries.flatMap(({ card }) => card ?? []), ...statement.cardItems];
  const threadIds = cards.map(({ threadId }) => threadId);
  const causes = await listCausesOf(ctx.db, { userId, hashes, clearingIds, threadIds });
  const postings = (await listPostingsOf(ctx.db, causes)).filter(({ lines }) =>
    lines.some((line) => namedKinds.has(kindOf(line.account)) && line.reference !== null && named.has(line.reference)),
  );
  const proofs: Proof[] = [];
  for (const [day, own] of Map.groupBy(postings, ({ period }) => period)) {
    const leaves: string[] = [];
    const { close } = await exportClose(ctx, { day, write: (more) => void leaves.push(...more) });
    const ids = new Set(own.map(({ id }) => `{"id":"${id}",`));
    const indexes = leaves.flatMap((leaf, index) => (ids.has(leaf.slice(0, leaf.indexOf(",") + 1)) ? [index] : []));
    proofs.push(...buildProof({ day, root: close.root, leaves }, indexes));
  }
  return { statement, proofs };
}
