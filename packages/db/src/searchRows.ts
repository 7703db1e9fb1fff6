/** What a text may stand for, and what a search finds by it. */
import { type SQL, sql } from "drizzle-orm";
import type { Executor } from "./client.ts";

/**
 * A reading of the text.
 *
 * - id: of a row of ours; those of deliveries have a form of their own. - request: of a request.
 * - reference: the issuer's name of a card or a thread, or a partner's id.
 * - address: its beginning, and its end if the middle is left out.
 * - words: parts of a person's mail address or name, or of a partner's name.
 */
export type Clue =
  | {
      readonly by: "id" | "delivery" | "request" | "reference" | "hash" | "lastFour" | "phone" | "iban";
      readonly text: string;
    }
  | { readonly by: "address"; readonly prefix: string; readonly suffix: string }
  | { readonly by: "words"; readonly text: string; readonly words: readonly string[] };

/** A row that was found. */
export interface Hit {
  readonly id: string;
  /** How people name it, such as a mail address. */
  readonly title: string;
  readonly detail: string | null;
  readonly status: string | null;
  /** Whose it is; null where it is no user's. */
  readonly userId: string | null;
  readonly createdAt: Date;
}

type RawHit = Omit<Hit, "createdAt"> & { createdAt: string };

/** Rows of one kind that are found by a way of their own. */
export interface WalkedKind {
  readonly find: (on: Executor, wanted: { clues: readonly Clue[]; limit: number; now: Date }) => Promise<Hit[]>;
}

/** Rows of one kind: which there are by a clue, as a query of their ids, and how one is shown. */
export interface SearchKind {
  /** The ids of at most `limit` rows; null where the clue says nothing about this kind. */
  readonly findIds: (clue: Clue, limit: number) => SQL | null;
  /** The columns of a hit, and where they are read; `id` names the row's id in it. */
  readonly columns: SQL;
  readonly from: SQL;
  readonly id: SQL;
}

/**
 * The rows of a kind by any of the clues, newest first: `limit` for each clue at most.
 *
 * Each clue is a query of its own that an index answers. With `or` between them, Postgres would read the whole table.
 */
export async function searchRows(
  on: Executor,
  { findIds, columns, from, id }: SearchKind,
  { clues, limit }: { clues: readonly Clue[]; limit: number },
): Promise<Hit[]> {
  const found = clues.flatMap((clue) => findIds(clue, limit) ?? []);
  if (found.length === 0) return [];
  const ids = sql.join(
    found.map((query) => sql`(${query})`),
    sql` union `,
  );
  const rows = await on.execute<RawHit & Record<string, unknown>>(sql`
    select ${columns} from ${from} where ${id} in (${ids}) order by "createdAt" desc, ${id} desc`);
  return rows.map(({ createdAt, ...hit }) => ({ ...hit, createdAt: new Date(createdAt) }));
}

/** A pattern of LIKE that finds a text anywhere. */
export const buildPattern = (text: string): string => `%${text.replaceAll(/[\\%_]/g, (special) => `\\${special}`)}%`;
