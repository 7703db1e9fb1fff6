/** Samples of a running program: memory, processor time, handles, tables and files. */
import { appendFileSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import postgres from "postgres";
import type { Program } from "./program.ts";
import { type PartName, type Process, readFamily } from "./processes.ts";
import { readTables, type Table } from "./tables.ts";

/** One part of the program with all its processes. */
export interface PartSample {
  readonly residentMb: number;
  readonly proportionalMb: number;
  readonly processorMs: number;
  readonly handles: Readonly<Record<string, number>>;
  readonly processes: number;
}

export interface Sample {
  /** Since the first sample. */
  readonly hours: number;
  readonly parts: Readonly<Partial<Record<PartName, PartSample>>>;
}

/** A slower sample. */
export interface StoredSample {
  readonly hours: number;
  readonly tables: readonly Table[];
  readonly files: number;
  readonly fileMb: number;
}

export interface Samples {
  readonly samples: readonly Sample[];
  readonly stored: readonly StoredSample[];
  /** Takes the last samples and ends. */
  stop(): Promise<void>;
}

const sampleEveryMs = 5_000;
const storedEveryMs = 60_000;

/** Takes samples until it is stopped, and appends each to `file` as a line of JSON. */
export async function takeSamples(program: Program, file: string): Promise<Samples> {
  const startedAt = performance.now();
  const hours = () => (performance.now() - startedAt) / 3_600_000;
  const client = postgres(program.databaseUrl, { max: 1, onnotice: () => {} });
  const [samples, stored]: [Sample[], StoredSample[]] = [[], []];
  const save = (sample: Sample | StoredSample) => appendFileSync(file, `${JSON.stringify(sample)}\n`);
  const take = () => {
    const sample = { hours: hours(), parts: sumParts(readFamily(program.pid)) };
    samples.push(sample);
    save(sample);
  };
  const takeStored = async () => {
    const [tables, files] = await Promise.all([readTables(client), countFiles(program.home)]);
    const sample = { hours: hours(), tables, ...files };
    stored.push(sample);
    save(sample);
  };
  take();
  await takeStored();
  let current = Promise.resolve();
  const timers = [
    setInterval(take, sampleEveryMs),
    setInterval(() => {
      // The program may be ending; the load reports that.
      current = takeStored().catch(() => {});
    }, storedEveryMs),
  ];
  return {
    samples,
    stored,
    stop: async () => {
      for (const timer of timers) clearInterval(timer);
      await current;
      take();
      await takeStored();
      await client.end();
    },
  };
}

function sumParts(processes: readonly Process[]): Sample["parts"] {
  const parts: Partial<Record<PartName, PartSample>> = {};
  for (const process of processes) {
    const so = parts[process.part];
    const kinds = new Set([...Object.keys(process.handles), ...Object.keys(so?.handles ?? {})]);
    parts[process.part] = {
      residentMb: process.residentMb + (so?.residentMb ?? 0),
      proportionalMb: process.proportionalMb + (so?.proportionalMb ?? 0),
      processorMs: process.processorMs + (so?.processorMs ?? 0),
      handles: Object.fromEntries(
        [...kinds].map((kind) => [kind, (process.handles[kind] ?? 0) + (so?.handles[kind] ?? 0)]),
      ),
      processes: 1 + (so?.processes ?? 0),
    };
  }
  return parts;
}

/** The files below a folder. One that is deleted meanwhile counts as empty. */
async function countFiles(folder: string): Promise<{ files: number; fileMb: number }> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const sizes = await Promise.all(
    paths.map((path) =>
      stat(path).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return { files: paths.length, fileMb: sizes.reduce((sum, size) => sum + size, 0) / 1024 / 1024 };
}
