/** Personal data of one user: read, checked for open rows, erased. */
import { and, getTableColumns } from "drizzle-orm";
import type { Executor, Tx } from "../../../client.ts";
import type { User } from "../../users/users.ts";
import { holdings, type PersonalTableName } from "./holdings.ts";

/** Names of the tables that hold something of a person. */
export const listPersonalTables = (): string[] => holdings.map(({ name }) => name);

export interface HeldRows {
  table: string;
  rows: Record<string, unknown>[];
}

/** Everything that is known of a user, but for what would open a door; for a person without what the person may not know. */
export async function readPersonalData(on: Executor, user: User, reader: "person" | "records"): Promise<HeldRows[]> {
  const read = async ({ name: heldTable, table, of, secret = [] }: (typeof holdings)[number]): Promise<HeldRows> => {
    // Secrets are not read at all: evidence of disputes is whole files.
    const columns = Object.entries(getTableColumns(table)).filter(([name]) => !secret.includes(name));
    return { table: heldTable, rows: await on.select(Object.fromEntries(columns)).from(table).where(of(user)) };
  };
  return Promise.all(holdings.filter(({ isHidden }) => reader === "records" || !isHidden).map(read));
}

/** Names of the tables in which something of a user is under way. */
export async function listOpenTables(tx: Executor, user: User): Promise<string[]> {
  const found: string[] = [];
  for (const { name, table, of, open } of holdings) {
    if (open && (await tx.$count(table, and(of(user), open))) > 0) found.push(name);
  }
  return found;
}

/** What became of one table's rows of a user. */
export interface Erasure {
  table: string;
  rows: number;
  /** Why they are still there, without what is personal about them; null: they are gone. */
  kept: string | null;
}

/** Why rows of each table are kept when their user is erased; null where they are deleted. */
export type KeptReasons = Readonly<Record<PersonalTableName, string | null>>;

/** Deletes a user's rows, or blanks them where the table has a reason to keep them. */
export async function erasePersonalData(
  tx: Tx,
  user: User,
  { now, keptReasons }: { now: Date; keptReasons: KeptReasons },
): Promise<Erasure[]> {
  const erasures: Erasure[] = [];
  for (const { name, table, of, blank } of holdings) {
    const rows = await tx.$count(table, of(user));
    const kept = keptReasons[name];
    if (kept === null) await tx.delete(table).where(of(user));
    else if (blank) await tx.update(table).set(blank(user, now)).where(of(user));
    erasures.push({ table: name, rows, kept });
  }
  return erasures;
}
