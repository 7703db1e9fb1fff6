/** Compares the triggers of the migrations with the state machines. */
import type { Machine } from "@cardkeep/contract/core/machine";
import { buildGuard } from "@cardkeep/db/guards";
import { readdirSync, readFileSync } from "node:fs";

const folder = new URL("../../drizzle/", import.meta.url);

/** @throws Error with the trigger for a new migration, if the newest one differs from the state table's */
export function requireGuard(machine: Machine, table: string, column: string): void {
  const newest = readdirSync(folder)
    .filter((file) => file.endsWith(".sql"))
    .toSorted()
    .map((file) => readFileSync(new URL(file, folder), "utf8"))
    .findLast((text) => text.includes(`function ${table}_${column}_guard()`));
  const guard = buildGuard(machine, table, column);
  if (newest?.includes(guard)) return;
  throw new Error(
    `The state table of ${table} has changed. Run \`bun run generate --custom --name ${table}_guard\` and insert:\n${guard}`,
  );
}
