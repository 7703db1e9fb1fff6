/**
 * `read.rest`, `read.trpc`, `read.peer`: an authenticated `GET /delay-relay` with ten rows, beside its lowest possible
 * cost.
 */
import { readConnectionsMax } from "@cardkeep/db/client";
import { isDeepStrictEqual } from "node:util";
import { until } from "../support/poll.ts";
import { buildRequest, connections } from "./load.ts";
import type { Benchmark, Measure, Run } from "./measure.ts";
import { compare, type Target } from "./rounds.ts";
import { type AccountHolder, destination, eure, startTarget, startWorld, type World } from "./world.ts";

const rowCount = 10;
const restPath = "/api/v1/delay-relay";
const restOverPeerMin = 2;
/** The baseline with the server's number of connections; the baseline itself uses the driver's default. */
const alike = `on ${readConnectionsMax} connections`;

export const read: Benchmark = {
  names: ["read.rest", "read.trpc", "read.peer"],
  measure: async (run) => {
    run.printProgress("an account holder with ten operations");
    const world = await startWorld({ people: 1, prepare: submitTen });
    const { baseline, targets } = await startTargets(world, run);
    const compared = await compare(baseline, targets, run);
    run.note("read: the baseline is Bun.serve + postgres.js doing the same SELECT, without authentication");
    run.note("read: the peer is Fastify on Node + pg + jose, which verifies every token anew");
    const ratioOf = (wanted: string) => compared.targets.find(({ name }) => name === wanted)?.figures.ratio;
    const [restRatio, peerRatio, alikeRatio] = [ratioOf("read.rest"), ratioOf("read.peer"), ratioOf(alike)];
    if (restRatio && peerRatio) run.note(`read: REST / peer is ${(restRatio / peerRatio).toFixed(2)}`);
    if (alikeRatio)
      run.note(
        `read: the baseline has its driver's ten connections; ${alike}, as ours, it does ${alikeRatio.toFixed(2)} times as much`,
      );
    const measured = compared.targets.filter(({ name }) => name !== alike);
    return measured.map(({ name, figures: { perSecond, ...figures } }) => ({
      name,
      value: perSecond,
      unit: "req/s",
      baseline: compared.baseline.figures.perSecond,
      ...figures,
      ...judge(name, figures.ratio, restRatio),
    }));
  },
};

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

/** The targets of the wanted names; each is checked to return the baseline's ten rows. */
async function startTargets(world: World, { wanted, options }: Run): Promise<{ baseline: Target; targets: Target[] }> {
  const { databaseUrl, server, holder } = world;
  const build = async (name: string, port: number, path: string) => {
    const { text, rows } = await ask(name, `http://127.0.0.1:${port}${path}`, holder.token);
    const requests = [buildRequest({ method: "GET", path, token: holder.token })];
    return { name, rows, plan: { port, connections, requests, until: { seconds: options.seconds }, body: text } };
  };
  const raw = await startTarget("raw.ts", { DATABASE_URL: databaseUrl, USER_ID: holder.userId });
  const baseline = await build("baseline", raw.port, restPath);
  const few = await startTarget("raw.ts", {
    DATABASE_URL: databaseUrl,
    USER_ID: holder.userId,
    CONNECTIONS: String(readConnectionsMax),
  });
  const targets = [await build(alike, few.port, restPath)];
  if (wanted.has("read.rest")) targets.push(await build("read.rest", server.port, restPath));
  if (wanted.has("read.trpc")) targets.push(await build("read.trpc", server.port, "/trpc/delays.list"));
  if (wanted.has("read.peer")) {
    const keys = await fetch(`http://127.0.0.1:${server.port}/.well-known/jwks.json`);
    const peer = await startTarget("peer.mjs", { DATABASE_URL: databaseUrl, JWKS: await keys.text() });
    targets.push(await build("read.peer", peer.port, restPath));
  }
  for (const { name, rows } of [baseline, ...targets]) {
    if (rows.length !== rowCount || !isDeepStrictEqual(rows.map(dropNulls), baseline.rows.map(dropNulls))) {
      throw new Error(`${name} answers other rows than the baseline: ${JSON.stringify(rows)}`);
    }
  }
  return { baseline, targets };
}

async function ask(name: string, url: string, token: string): Promise<{ text: string; rows: object[] }> {
  const response = await fetch(url, { headers: { Authorization: `Bearer ${token}` } });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${name} answered ${response.status}: ${text}`);
  const body = JSON.parse(text);
  return { text, rows: Array.isArray(body) ? body : body.result.data };
}

function judge(name: string, ratio: number, restRatio: number | undefined): Pick<Measure, "target" | "met"> {
  if (name === "read.rest") return { target: "ratio >= 0.90", met: ratio >= 0.9 };
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
