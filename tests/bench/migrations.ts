/** `migrations.decide`: decisions about cards while each kind of a next release's migrations runs beside many rows. */
import { migrate } from "@cardkeep/db/migrate";
import { listBackfills } from "@cardkeep/db/queries/operations/backfills";
import { runBackfills } from "@cardkeep/domain/operations/backfills/runBackfills";
import { rm } from "node:fs/promises";
import { extendMigrations } from "../support/migrationFolder.ts";
import { nextFiles } from "../support/nextRelease.ts";
import { buildCallback, prepareCardOwner } from "./authorize.ts";
import { fill } from "./fill.ts";
import { connections, type LoadReport, runLoad } from "./load.ts";
import type { Benchmark } from "./measure.ts";
import { startWorld } from "./world.ts";

const people = 16;
/** Decisions of one load: each is a thread of its own. */
const decisionsMin = 1_000;
const rows = { users: 50_000, operations: 1_000, deliveries: 1_000, payments: 100_000, jobs: 1_000 };
/** In milliseconds: we promise the issuer half a second. */
const p99Max = 500;

export const migrations: Benchmark = {
  names: ["migrations.decide"],
  isByNameOnly: true,
  measure: async (run) => {
    run.printProgress(`${people} people with a card, beside ${rows.payments} payments`);
    const { service, databaseUrl, holders, server } = await startWorld({ people, prepare: prepareCardOwner });
    const tokens = await Promise.all(
      holders.map(async ({ person }): Promise<string> => (await person.call("GET", "/cards")).body[0].cardToken),
    );
    await fill(databaseUrl, rows);
    const { db } = service.runtime;
    /** Decides until the work has ended, and for one load at least. */
    const decideBeside = async (work: Promise<unknown>): Promise<LoadReport[]> => {
      let isOver = false;
      const over = work.finally(() => (isOver = true));
      const reports: LoadReport[] = [];
      do {
        const requests = Array.from({ length: decisionsMin }, (_, n) => buildCallback(tokens[n % tokens.length] ?? ""));
        const plan = { port: server.port, connections: connections / 4, requests, body: null };
        reports.push(await runLoad({ ...plan, until: { count: decisionsMin } }));
      } while (!isOver);
      await over;
      return reports;
    };
    const worst: number[] = [];
    const report = async (name: string, work: Promise<unknown>) => {
      run.printProgress(`migrations.decide: ${name}`);
      const startedAt = performance.now();
      const ended = work.then(() => (performance.now() - startedAt) / 1000);
      const p99 = Math.max(...(await decideBeside(ended)).map(({ p99Ms }) => p99Ms));
      run.note(`migrations.decide: ${name} took ${(await ended).toFixed(1)} s, decisions p99 ${p99.toFixed(0)} ms`);
      return p99;
    };
    const quiet = await report("nothing", Promise.resolve());
    const names = Object.keys(nextFiles);
    for (const [index, name] of names.entries()) {
      const files = names.slice(0, index + 1).map((each) => [each, nextFiles[each] ?? ""]);
      const set = await extendMigrations(Object.fromEntries(files));
      worst.push(await report(name, migrate(databaseUrl, undefined, { set })));
      await rm(set.folder, { recursive: true });
    }
    const stopping = new AbortController().signal;
    const changeRows = async () => {
      while ((await listBackfills(db)).some(({ endedAt }) => endedAt === null)) await runBackfills({ db, stopping });
    };
    worst.push(await report("a backfill", changeRows()));
    const value = Math.max(...worst);
    return [
      {
        name: "migrations.decide",
        ratio: value / quiet,
        value,
        unit: "ms",
        baseline: quiet,
        p99: value,
        spread: [Math.min(...worst), value],
        target: `p99 <= ${p99Max} ms`,
        met: value <= p99Max,
      },
    ];
  },
};
