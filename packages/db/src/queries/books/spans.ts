/** How sources of postings are read: a span of time, without what is posted. */
import { type SQL, sql } from "drizzle-orm";

/** A row of a source. */
export type Positioned<F> = F & {
  /** The instant by which the source is read: the next page begins with it. */
  readonly position: Date;
};

/** The next rows of a span: `from` counts, `to` does not. */
export interface SourceSpan {
  readonly from: Date;
  readonly to: Date;
  readonly limit: number;
}

export const within = (column: SQL, { from, to }: SourceSpan): SQL =>
  sql`${column} >= ${from.toISOString()}::timestamptz and ${column} < ${to.toISOString()}::timestamptz`;

/** Condition: no posting of some types is of this object. */
export const isUnposted = (types: readonly string[], externalId: SQL): SQL =>
  sql`not exists (select from book_postings posted
    where posted.type in (${sql.join(
      types.map((type) => sql`${type}`),
      sql`, `,
    )}) and posted.external_id = ${externalId})`;

/** A row as the driver answers it. */
export type Texts<T> = { [K in keyof T]: T[K] extends bigint ? string : T[K] extends Date ? string : T[K] };
