/**
 * `read.rest`, `read.trpc`, `read.batch`, `read.peer` and the processor time of the first two: an authenticated list of
 * ten rows, beside its lowest possible cost.
 */
import { readConnectionsMax } from "@cardkeep/db/client";
import { isDeepStrictEqual } from "node:util";
import { until } from "../support/poll.ts";
import { eure } from "../support/tokens.ts";
import { buildRequest, connections } from "./load.ts";
import { type Benchmark, type Measure, median, type Run } from "./measure.ts";
import { findPostgresClock, joinClocks } from "./processorTime.ts";
import { compare, type Measured, type Target } from "./rounds.ts";
import { type AccountHolder, destination, type Listening, startTarget, startWorld, type World } from "./world.ts";

const rowCount = 10;
const restPath = "/api/v1/delay-relay";
const procedure = "delays.list";
const callsOfBatch = 10;
/** As httpBatchLink asks for calls without an input. */
const batchPath = `/trpc/${Array.from({ length: callsOfBatch }, () => procedure).join()}?batch=1&input=${encodeURIComponent("{}")}`;
const restOverPeerMin = 2;
const batchCostMax = 8;
const cpuNames: Readonly<Record<string, string>> = { "read.rest": "read.rest.cpu", "read.trpc": "read.trpc.cpu" };

export const read: Benchmark = {
  names: ["read.rest", "read.rest.cpu", "read.trpc", "read.trpc.cpu", "read.batch", "read.peer"],
  measure: async (run) => {
    run.printProgress("an account holder with ten operations");
    const world = await startWorld({ people: 1, prepare: submitTen });
    const { baseline, targets, batch } = await startTargets(world, run);
    const compared = await compare(baseline, targets, run);
    run.note(
      `read: the baseline is Bun.serve + postgres.js doing the same SELECT on ${readConnectionsMax} connections, as ours, without authentication`,
    );
    const ratioOf = (wanted: string) => compared.targets.find(({ name }) => name === wanted)?.figures.ratio;
    const [restRatio, peerRatio] = [ratioOf("read.rest"), ratioOf("read.peer")];
    if (peerRatio) run.note("read: the peer is Fastify on Node + pg + jose, which verifies every token anew");
    if (restRatio && peerRatio) run.note(`read: REST / peer is ${(restRatio / peerRatio).toFixed(2)}`);
    const measures = compared.targets.flatMap(({ name, figures: { perSecond, ...figures }, processor }) => [
      {
        name,
        value: perSecond,
        unit: "req/s",
        baseline: compared.baseline.figures.perSecond,
        ...figures,
        ...judge(name, figures.ratio, restRatio),
      },
      ...summarizeProcessor(run, name, compared.baseline.processor, processor),
    ]);
    const ofBatch = batch ? [await measureBatch(batch, run)] : [];
    return [...measures, ...ofBatch].filter(({ name }) => run.wanted.has(name));
  },
};

/** The cost of a batch in single calls: how many of them the server answers in the time of one batch. */
async function measureBatch({ single, batch }: Batch, run: Run): Promise<Measure> {
  const { targets } = await compare(single, [batch], run);
  const [{ figures } = { figures: null }] = targets;
  if (figures === null) throw new Error("The batch was not measured");
  const value = 1 / figures.ratio;
  const [low, high] = figures.spread;
  return {
    name: "read.batch",
    ratio: null,
    value,
    unit: "single calls",
    baseline: null,
    spread: [1 / high, 1 / low],
    target: `value < ${batchCostMax}`,
    met: value < batchCostMax,
  };
}

/** Processor time of the server for one read; none where the machine does not tell it. */
function summarizeProcessor(
  { note }: Run,
  name: string,
  baseline: Measured["processor"],
  processor: Measured["processor"],
): Measure[] {
  const cpuName = cpuNames[name];
  const ratios = processor.flatMap((time, round) => (baseline[round] ? time.server / baseline[round].server : []));
  if (cpuName === undefined || ratios.length === 0) return [];
  const toMicroseconds = (ms: number) => Math.round(ms * 1000);
  const ofPostgres = (times: Measured["processor"]) => toMicroseconds(median(times.map(({ postgres }) => postgres)));
  note(
    `${cpuName}: beside it Postgres takes ${ofPostgres(processor)} µs a request, for the baseline ${ofPostgres(baseline)} µs`,
  );
  return [
    {
      name: cpuName,
      ratio: median(ratios),
      value: toMicroseconds(median(processor.map(({ server }) => server))),
      unit: "µs",
      baseline: toMicroseconds(median(baseline.map(({ server }) => server))),
      spread: [Math.min(...ratios), Math.max(...ratios)],
      target: null,
      met: null,
    },
  ];
}

/** Submits ten withdrawals and waits for their cooldown. */
export async function submitTen({ person }: AccountHolder): Promise<void> {
  const submit = async () => {
    const withdrawal = await person.signWithdrawal({ tokenAddress: eure, to: destination, amount: "1" });
    const { status } = await person.call("POST", "/accounts/withdraw", withdrawal);
    if (status !== 200) throw new Error(`A withdrawal was answered ${status}`);
  };
  await Promise.all(Array.from({ length: rowCount }, submit));
  const isWaiting = ({ status }: { status: string }) => status === "WAITING";
  await until(async () => (await person.call("GET", "/delay-relay")).body.every(isWaiting));
}

interface Batch {
  readonly single: Target;
  readonly batch: Target;
}

/** The targets of the wanted names; each is checked to return the baseline's ten rows. */
async function startTargets(
  world: World,
  { wanted, options }: Run,
): Promise<{ baseline: Target; targets: Target[]; batch: Batch | null }> {
  const { databaseUrl, server, holder } = world;
  const readPostgres = await findPostgresClock(databaseUrl);
  const build = async (name: string, { port, pid }: Listening, path: string) => {
    const { text, rows } = await ask(name, `http://127.0.0.1:${port}${path}`, holder.token);
    const requests = [buildRequest({ method: "GET", path, token: holder.token })];
    const plan = { port, connections, requests, until: { seconds: options.seconds }, body: text };
    return { name, rows, plan, clock: readPostgres && joinClocks(pid, readPostgres) };
  };
  const raw = await startTarget("raw.ts", {
    DATABASE_URL: databaseUrl,
    USER_ID: holder.userId,
    CONNECTIONS: String(readConnectionsMax),
  });
  const baseline = await build("baseline", raw, restPath);
  const wants = (name: string) => wanted.has(name) || wanted.has(cpuNames[name] ?? "");
  const targets = [];
  if (wants("read.rest")) targets.push(await build("read.rest", server, restPath));
  if (wants("read.trpc")) targets.push(await build("read.trpc", server, `/trpc/${procedure}`));
  if (wants("read.peer")) {
    const keys = await fetch(`http://127.0.0.1:${server.port}/.well-known/jwks.json`);
    const peer = await startTarget("peer.mjs", { DATABASE_URL: databaseUrl, JWKS: await keys.text() });
    targets.push(await build("read.peer", peer, restPath));
  }
  const batch = wants("read.batch") && {
    single: await build("a single call", server, `/trpc/${procedure}`),
    batch: await build("read.batch", server, batchPath),
  };
  for (const { name, rows } of [baseline, ...targets, ...(batch ? Object.values(batch) : [])]) {
    if (rows.length !== rowCount || !isDeepStrictEqual(rows.map(dropNulls), baseline.rows.map(dropNulls))) {
      throw new Error(`${name} answers other rows than the baseline: ${JSON.stringify(rows)}`);
    }
  }
  return { baseline, targets, batch: batch || null };
}

async function ask(name: string, url: string, token: string): Promise<{ text: string; rows: object[] }> {
  const response = await fetch(url, { headers: { Authorization: `Bearer ${token}` } });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${name} answered ${response.status}: ${text}`);
  const body = JSON.parse(text);
  if (!Array.isArray(body)) return { text, rows: body.result.data };
  const [first] = body;
  if (!("result" in first)) return { text, rows: body };
  // Of a batch, each call has the same rows.
  const lists: object[][] = body.map(({ result }) => result.data);
  const [rows = []] = lists;
  if (lists.length !== callsOfBatch || !lists.every((list) => isDeepStrictEqual(list, rows)))
    throw new Error(`${name} answers other rows in each call`);
  return { text, rows };
}

function judge(name: string, ratio: number, restRatio: number | undefined): Pick<Measure, "target" | "met"> {
  if (name === "read.rest") return { target: "ratio >= 0.75", met: ratio >= 0.75 };
  if (name === "read.trpc") return { target: "ratio >= 0.70", met: ratio >= 0.7 };
  const factor = restRatio === undefined ? null : restRatio / ratio;
  return {
    target: `read.rest / read.peer >= ${restOverPeerMin}`,
    met: factor === null ? null : factor >= restOverPeerMin,
  };
}

/** A row in the form of the API, without empty fields. */
const dropNulls = (row: object): object =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
