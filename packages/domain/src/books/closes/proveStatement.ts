/** A person's statement with proofs that the postings of it are in closed days. */
import { fail } from "@cardkeep/contract/core/errors";
import { listCausesOf, listPostingsOf } from "@cardkeep/db/queries/books/postings";
import { findStatement } from "@cardkeep/db/queries/spending/statements";
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

/**
 * @throws users.not_found, statements.not_found before the month is over, books.not_closed, books.changed
 */
export async function proveStatement(
  ctx: Pick<Services, "db">,
  { user: reference, month }: { user: string; month: string },
): Promise<StatementProof> {
  const { id: userId } = await resolveUser(ctx.db, reference);
  const stored = (await findStatement(ctx.db, userId, month)) ?? fail("statements.not_found");
  // It was made by this service, and stays as it is.
  const statement = JSON.parse(stored.document) as Statement;
  const hashes = statement.entries.map(({ hash }) => hash);
  const clearingIds = statement.cardItems.map(({ id }) => id);
  const named = new Set([...hashes, ...clearingIds]);
  const causes = await listCausesOf(ctx.db, { userId, hashes, clearingIds });
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
