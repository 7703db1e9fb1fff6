/**
 * Postgres' plan of a statement, in one line.
 *
 * The statements are those of the program's own functions. Each is recorded as it passes, and explained with the same
 * parameters in a transaction that is rolled back.
 */
import type { Db, Reads } from "@cardkeep/db/client";
import { drizzle } from "drizzle-orm/postgres-js";
import postgres from "postgres";

/** No frequent statement may read this many rows. */
const largeRows = 10_000;

/** Postgres' default makes it read small tables as a whole; with this one, their plans are those of large tables. */
export const randomPageCost = 1.1;

export type Question = (on: { db: Db; reads: Reads }) => Promise<unknown>;

interface PlanNode {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  "Shared Hit Blocks"?: number;
  "Shared Read Blocks"?: number;
  Plans?: PlanNode[];
}

/** A plan as Postgres writes it in JSON. */
export interface Explained {
  Plan: PlanNode;
  /** Missing in what the server logs. */
  "Execution Time"?: number;
}

/** One line per statement, grouped by name; `isLarge` if one reads too many rows. */
export async function explainQuestions(
  databaseUrl: string,
  questions: Readonly<Record<string, Question>>,
): Promise<{ line: string; isLarge: boolean }[]> {
  const passed: { text: string; parameters: unknown[] }[] = [];
  const client = postgres(databaseUrl, {
    max: 1,
    onnotice: () => {},
    fetch_types: false,
    connection: { random_page_cost: randomPageCost },
    debug: (_, text, parameters) => void passed.push({ text, parameters }),
  });
  const db = drizzle(client, { casing: "snake_case" });
  const lines = [];
  try {
    for (const [name, ask] of Object.entries(questions)) {
      passed.length = 0;
      await undone(client, () => ask({ db, reads: client }));
      const statements = passed.filter(({ text }) => /^\s*(select|insert|update|delete|with|\()/i.test(text));
      for (const { text, parameters } of statements) {
        const explained = await undone(client, () => explain(client, text, parameters));
        if (explained) lines.push(formatPlan(name, explained));
      }
    }
    return lines;
  } finally {
    await client.end();
  }
}

/** Runs some work and rolls back its writes. */
async function undone<T>(client: postgres.Sql, run: () => Promise<T>): Promise<T> {
  await client`begin`;
  try {
    return await run();
  } finally {
    await client`rollback`;
  }
}

async function explain(client: postgres.Sql, text: string, parameters: unknown[]): Promise<Explained | undefined> {
  const rows = await client.unsafe(`explain (analyze, buffers, format json) ${text}`, parameters as never[]);
  return rows[0]?.["QUERY PLAN"][0];
}

const listNodes = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(listNodes)];

/** Rows that a node read, including those that it filtered out. */
const countLooked = (node: PlanNode): number =>
  (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"];

/** What a plan reads, in one line; `isLarge` where that is too much. */
export function formatPlan(
  name: string,
  { Plan: plan, "Execution Time": ms }: Explained,
): { line: string; isLarge: boolean } {
  const nodes = listNodes(plan);
  const scans = nodes.filter((node) => node["Index Name"] ?? node["Relation Name"]);
  const isLarge = scans.some((node) => countLooked(node) >= largeRows);
  const shown = [...new Set(scans.filter((node) => node["Actual Loops"] > 0).map(nameScan))];
  const pages = (plan["Shared Hit Blocks"] ?? 0) + (plan["Shared Read Blocks"] ?? 0);
  const shout = isLarge ? "READS TOO MUCH: " : "";
  const duration = ms === undefined ? "" : `${ms.toFixed(2)} ms, `;
  const line = `${name}: ${shout}${duration}${pages} pages, ${plan["Actual Rows"]} rows: ${shown.join(", ")}`;
  return { line, isLarge };
}

function nameScan(node: PlanNode): string {
  const rows = Math.round(countLooked(node));
  return node["Index Name"] === undefined
    ? `${node["Node Type"]} ${node["Relation Name"] ?? ""} ${rows}`
    : `${node["Index Name"]} ${rows}`;
}
