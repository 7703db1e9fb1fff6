/**
 * The plans of the statements that pages make: Postgres' module `auto_explain` logs each statement of the database, so no list of
 * statements is needed.
 */
import { join } from "node:path";
import postgres from "postgres";
import { type Explained, explaining, formatPlan, type PlanLine, type PlanMode } from "./plans.ts";

const ofPages = { "auto_explain.log_timing": "off", "auto_explain.log_nested_statements": "on" };

export interface PagePlans {
  /** Opens pages and answers a line for each of their statements; `isLarge` if one reads too many rows. */
  explain(open: () => Promise<unknown>): Promise<PlanLine[]>;
  stop(): Promise<void>;
}

/** Makes every new connection to the database log its plans, and ends the others. Needs a superuser. */
export async function startPagePlans(databaseUrl: string, mode: PlanMode): Promise<PagePlans> {
  const settings = { ...explaining(mode), ...ofPages };
  const name = new URL(databaseUrl).pathname.slice(1);
  const elsewhere = new URL(databaseUrl);
  elsewhere.pathname = "/postgres";
  const admin = postgres(elsewhere.href, { max: 1, onnotice: () => {} });
  for (const [setting, value] of Object.entries(settings))
    await admin.unsafe(`alter database ${name} set ${setting} = '${value}'`);
  const disconnect = () => admin`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`;
  await disconnect();
  // The log belongs to who started the server: the server itself may not read it.
  const [place] = await admin<{ folder: string }[]>`select current_setting('data_directory') as folder`;
  const log = Bun.file(join(place?.folder ?? "", "server.log"));
  const readSize = async (): Promise<number> => (await log.stat()).size;
  return {
    explain: async (open) => {
      const from = await readSize();
      await open();
      const to = await readSize();
      return readPlans(await log.slice(from, to).text()).map((plan) => formatPlan(shorten(plan["Query Text"]), plan));
    },
    stop: async () => {
      for (const setting of Object.keys(settings)) await admin.unsafe(`alter database ${name} reset ${setting}`);
      await disconnect();
      await admin.end();
    },
  };
}

/** A statement in one line, without the columns that it selects. */
const shorten = (text: string): string => text.replaceAll(/\s+/g, " ").replace(/^select .*? from /, "select … from ");

/** A message goes on over lines that begin with a tab. */
const readPlans = (log: string): (Explained & { "Query Text": string })[] =>
  [...log.matchAll(/ duration: [\d.]+ ms {2}plan:\n((?:\t.*\n)+)/g)].map(([, json = ""]) => JSON.parse(json));
