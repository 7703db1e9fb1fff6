import { fillPlaceholders, SQL } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import type { Reads } from "./client.ts";

/** SQL that is text already: drizzle puts any other together anew, piece by piece, for each query. */
class PreparedSql extends SQL {
  constructor(
    readonly text: string,
    readonly values: unknown[],
  ) {
    super([]);
  }

  override toQuery(): ReturnType<SQL["toQuery"]> {
    return { sql: this.text, params: this.values };
  }
}

const dialect = new PgDialect({ casing: "snake_case" });

/**
 * Puts a statement of a hot path together once, at its first use. The values of its `sql.placeholder(name)` are given with each query.
 */
export function prepareStatement<Name extends string>(
  statement: SQL,
): (values: Readonly<Record<Name, unknown>>) => PreparedSql {
  let query: ReturnType<typeof dialect.sqlToQuery> | null = null;
  return (values) => {
    query ??= dialect.sqlToQuery(statement);
    return new PreparedSql(query.sql, fillPlaceholders(query.params, values));
  };
}

/** The rows of a prepared statement on the pool of reads. */
export const readPrepared = <Row extends object>(reads: Reads, { text, values }: PreparedSql): Promise<Row[]> =>
  // The statements of this package have values that the driver knows: texts, numbers and booleans.
  reads.unsafe<Row[]>(text, values as string[], { prepare: true }).then((rows) => [...rows]);
