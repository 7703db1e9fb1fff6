/** What a holding is, and what several holdings share. */
import { eq, type SQL, sql } from "drizzle-orm";
import type { AnyPgColumn, PgTable } from "drizzle-orm/pg-core";
import { cardPayments } from "../../../schema/tables.ts";
import type { User } from "../../users/users.ts";

export interface Holding {
  readonly table: PgTable;
  /** Which rows are a user's. */
  readonly of: (user: User) => SQL | undefined;
  /** Columns that are left out of the copy: useless to the person as they are, dangerous elsewhere. The export opens what is the person's own. */
  readonly secret?: readonly string[];
  /** Whether the law may forbid that the person knows of such a row: it is left out of the copy. */
  readonly isHidden?: true;
  /** Condition: a row is not finished. A user with such rows cannot be erased. */
  readonly open?: SQL;
  /** New values of personal columns, where the rows are kept. */
  readonly blank?: (user: User, now: Date) => Record<string, unknown>;
}

/** Rows of the user's payments: an index leads from the user to them, and from each of them to its rows. */
export const ofPayments = (userId: AnyPgColumn, paymentId: AnyPgColumn) => (user: User) =>
  sql`${userId} = ${user.id} and ${paymentId} in (select id from ${cardPayments} where ${cardPayments.userId} = ${user.id})`;

export const noName = { firstName: null, lastName: null, latinFirstName: null, latinLastName: null };

/** The rows of a table that name their user. */
export const owned = <T extends PgTable & { readonly userId: AnyPgColumn }>(
  table: T,
  rest: Omit<Holding, "table" | "of"> = {},
): Holding & { readonly table: T } => ({ table, of: ({ id }) => eq(table.userId, id), ...rest });

/** An order of the institution without payer, reference and reason; the sealed copy has them. */
export const erasedPayer = {
  counterpart: { details: {}, identifier: { standard: "erased" } },
  memo: null,
  referenceNumber: null,
  rejectedReason: null,
};
