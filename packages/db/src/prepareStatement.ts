import { fillPlaceholders, SQL } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";

/** SQL that is text already: drizzle puts any other together anew, piece by piece, for each query. */
class TextSql extends SQL {
  constructor(
    private readonly text: string,
    private readonly values: unknown[],
  ) {
    super([]);
  }

  override toQuery(): ReturnType<SQL["toQuery"]> {
    return { sql: this.text, params: this.values };
  }
}

const dialect = new PgDialect({ casing: "snake_case" });

/**
 * Puts a statement of a hot path together once. The values of its `sql.placeholder(name)` are given with each query.
 */
export function prepareStatement<Name extends string>(
  statement: SQL,
): (values: Readonly<Record<Name, unknown>>) => SQL {
  const { sql: text, params } = dialect.sqlToQuery(statement);
  return (values) => new TextSql(text, fillPlaceholders(params, values));
}
