/**
 * Postgres' plan of a statement, in one line.
 *
 * The statements are those of the program's own functions. Postgres' module `auto_explain` notifies the client of the plan of each. What
 * they write is rolled back.
 */
import type { Db, Reads } from "@cardkeep/db/client";
import { drizzle } from "drizzle-orm/postgres-js";
import postgres from "postgres";

/** No frequent statement may read this many rows. */
const largeRows = 10_000;

/** Postgres' default makes it read small tables as a whole; with this one, their plans are those of large tables. */
const randomPageCost = 1.1;

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

/** What a plan read. */
export interface PlanLine {
  readonly line: string;
  /** Rows that one of its scans read at most. */
  readonly rowsMax: number;
  /** Whether that is too many. */
  readonly isLarge: boolean;
}

/** A plan as Postgres writes it in JSON. */
export interface Explained {
  Plan: PlanNode;
  /** Missing in what the server logs. */
  "Execution Time"?: number;
}

/**
 * How Postgres plans a prepared statement: anew for the parameters of each execution, or once for all parameters. By itself (`auto`) it makes
 * five plans anew, and then keeps one for all parameters if that is not dearer by its estimate.
 */
export type PlanMode = "force_custom_plan" | "force_generic_plan" | "auto";

/** After so many executions Postgres has chosen by itself. */
const turnsToChoose = 7;

/** Makes Postgres report the plan of each statement of a connection, by its module `auto_explain`. */
export const explaining = (mode: PlanMode) => ({
  session_preload_libraries: "auto_explain",
  "auto_explain.log_min_duration": "0",
  "auto_explain.log_analyze": "on",
  "auto_explain.log_buffers": "on",
  "auto_explain.log_format": "json",
  random_page_cost: String(randomPageCost),
  plan_cache_mode: mode,
});

/** One line per statement, grouped by name; `isLarge` if one reads too many rows. With `auto`, of the last of several turns. Needs a superuser. */
export async function explainQuestions(
  databaseUrl: string,
  questions: Readonly<Record<string, Question>>,
  mode: PlanMode,
): Promise<PlanLine[]> {
  const notices: string[] = [];
  const client = postgres(databaseUrl, {
    max: 1,
    onnotice: ({ message }) => void (message !== undefined && notices.push(message)),
    fetch_types: false,
    connection: { ...explaining(mode), "auto_explain.log_level": "notice" },
  });
  const db = drizzle(client, { casing: "snake_case" });
  const lines = [];
  try {
    for (const [name, ask] of Object.entries(questions)) {
      for (let turn = mode === "auto" ? turnsToChoose : 1; turn > 0; turn--) {
        notices.length = 0;
        await undone(client, () => ask({ db, reads: client }));
      }
      lines.push(...notices.flatMap(readPlan).map((explained) => formatPlan(name, explained)));
    }
    return lines;
  } finally {
    await client.end();
  }
}

/** The plan that a notice of `auto_explain` holds; another notice holds none. */
function readPlan(notice: string): Explained[] {
  const [, ms, plan] = /^duration: ([\d.]+) ms {2}plan:\s*(.+)/s.exec(notice) ?? [];
  return plan === undefined ? [] : [{ ...(JSON.parse(plan) as Explained), "Execution Time": Number(ms) }];
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

const listNodes = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(listNodes)];

/** Rows that a node read, including those that it filtered out. */
const countLooked = (node: PlanNode): number =>
  (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"];

/** What a plan reads, in one line. */
export function formatPlan(name: string, { Plan: plan, "Execution Time": ms }: Explained): PlanLine {
  const nodes = listNodes(plan);
  const scans = nodes.filter((node) => node["Index Name"] ?? node["Relation Name"]);
  const rowsMax = Math.max(0, ...scans.map(countLooked));
  const isLarge = rowsMax >= largeRows;
  const shown = [...new Set(scans.filter((node) => node["Actual Loops"] > 0).map(nameScan))];
  const pages = (plan["Shared Hit Blocks"] ?? 0) + (plan["Shared Read Blocks"] ?? 0);
  const shout = isLarge ? "READS TOO MUCH: " : "";
  const duration = ms === undefined ? "" : `${ms.toFixed(2)} ms, `;
  const line = `${name}: ${shout}${duration}${pages} pages, ${plan["Actual Rows"]} rows: ${shown.join(", ")}`;
  return { line, rowsMax, isLarge };
}

function nameScan(node: PlanNode): string {
  const rows = Math.round(countLooked(node));
  return node["Index Name"] === undefined
    ? `${node["Node Type"]} ${node["Relation Name"] ?? ""} ${rows}`
    : `${node["Index Name"]} ${rows}`;
}
