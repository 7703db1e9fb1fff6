/** The primary dies under load and a standby is promoted. The chain and the partners go on meanwhile. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { delayTransactions } from "@cardkeep/db/schema/tables";
import { startPostgres } from "@cardkeep/local/postgres";
import { createRuntime } from "@cardkeep/runtime/compose";
import { readSettings } from "@cardkeep/runtime/settings";
import { openStore, type SandboxRuntime } from "@cardkeep/sandbox/core/openStore";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { countExecutions, countWithoutRow, readBooks } from "../support/failover.ts";
import { createDataFolder } from "../support/dataFolder.ts";
import type { Person } from "../support/person.ts";
import { expectWithin, until } from "../support/poll.ts";
import { findFreePorts } from "../support/ports.ts";
import { fillData } from "../support/postgres.ts";
import { type Service, startService } from "../support/service.ts";
import { becomeCardHolder, type CardHolder, follow, untilSettled, use } from "../support/spending.ts";
import { addStandby, askServer, type Standby } from "../support/standby.ts";
import { openPayers, startWithdrawals, type WithdrawalLoad } from "../support/withdrawalLoad.ts";

const people = 6;
const withdrawalsMax = 40;
/** Every process works again so long after there is a new primary. */
const backMsMax = 5_000;

interface Node {
  url: string;
  dataDirectory: string;
  port: number;
  pid: number;
}

let folder: string;
let ports: number[];
let primary: Node;
let service: Service;
/** Looks at the same database, store and chain as the service, with longer time limits. */
let witness: SandboxRuntime;
let payers: Person[];
let holder: CardHolder;
const stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  folder = await createDataFolder();
  ports = await findFreePorts(4);
  const url = `postgres://cardkeep@${ports.map((each) => `127.0.0.1:${each}`).join()}/cardkeep`;
  const port = ports.shift() ?? 0;
  const dataDirectory = join(folder, "first");
  await fillData(dataDirectory);
  const first = await startPostgres({ dataDirectory, port, fsync: false });
  stops.push(first.stop);
  primary = { ...first, dataDirectory };
  // Without fsync the server's default is off.
  await askServer(first.url, "alter database cardkeep set synchronous_commit = on");
  service = await startService({ ownStore: true, env: { DATABASE_URL: url, RELAYED_OPERATIONS_PER_HOUR: "1000" } });
  witness = openStore(await createRuntime(readSettings(service.env), "cli"));
  [payers, holder] = await Promise.all([
    openPayers(service, { people, withdrawalsMax: 2 * withdrawalsMax }),
    becomeCardHolder(service),
  ]);
});
afterAll(async () => {
  await witness.close();
  await service.stop();
  for (const stop of stops) await stop();
  await rm(folder, { recursive: true, force: true });
});

async function attach(name: string): Promise<Node & Standby> {
  const port = ports.shift() ?? 0;
  const dataDirectory = join(folder, name);
  const standby = await addStandby(primary, { name, dataDirectory, port });
  stops.push(standby.stop);
  return { ...standby, dataDirectory, port };
}

/** A standby that has every commit before it is acknowledged. */
async function attachSynchronous(name: string): Promise<Node & Standby> {
  const standby = await attach(name);
  await askServer(primary.url, `alter system set synchronous_standby_names = '${name}'`);
  await askServer(primary.url, "select pg_reload_conf()");
  return standby;
}

/** Kills the primary and puts the standby in its place. Returns the time of the promotion. */
async function failOver(standby: Node & Standby): Promise<number> {
  process.kill(primary.pid, "SIGKILL");
  await standby.promote();
  primary = standby;
  return performance.now();
}

/** Pays with the card; the issuer captures it. */
async function pay(cents: number): Promise<void> {
  const { approved, threadId } = await use(holder, cents);
  expect(approved).toBe(true);
  await follow(holder, threadId, "clear");
}

/** How many workers are announced on the present primary. */
const countWorkers = async (): Promise<number> =>
  (await askServer(primary.url, "select 1 from pg_stat_activity where application_name like 'cardkeep-liveness:%'"))
    .length;

const acknowledge = (load: WithdrawalLoad, count: number): Promise<void> => {
  const enough = load.countAcknowledged() + count;
  return until(() => load.countAcknowledged() >= enough);
};

/** Waits until every operation that has a row was executed. */
async function executeAll(): Promise<void> {
  const isOnly = async (...allowed: string[]) => {
    const rows = await witness.db.select().from(delayTransactions);
    return rows.every(({ status }) => allowed.includes(status));
  };
  await until(() => isOnly("WAITING", "EXECUTED"));
  await payers[0]?.sandbox("POST", "/chain/advance", { seconds: 181 });
  await until(() => isOnly("EXECUTED"));
}

test("synchronous: a primary killed under load loses no acknowledged withdrawal and doubles none; all processes are back within 5 s", async () => {
  const standbys = [await attachSynchronous("second")];
  const load = startWithdrawals(payers, { withdrawalsMax, pauseMs: 150 });
  await Promise.all([acknowledge(load, 8), pay(300)]);
  const playsMax = 2;
  const failOverAndReturn = async () => {
    const promotedAt = await failOver(standbys.pop() ?? (await attachSynchronous("spare")));
    await Promise.all([acknowledge(load, 1), until(async () => (await countWorkers()) === 1)]);
    return performance.now() - promotedAt;
  };
  await expectWithin(backMsMax, failOverAndReturn, playsMax);
  await Promise.all([acknowledge(load, 8), pay(500)]);
  await load.stop();
  expect(load.surprises).toEqual([]);
  await executeAll();
  const executed = await countExecutions(witness, load.withdrawals);
  expect(executed.filter(({ acknowledged, times }) => acknowledged !== null && times !== 1)).toEqual([]);
  expect(executed.filter(({ times }) => times > 1)).toEqual([]);
  expect(await countWithoutRow(witness)).toBe(0);
  await untilSettled(service);
  expect(await readBooks(witness)).toEqual({ ledger: 800n, chain: 800n, issuer: 800n });
}, 60_000);

/** Cuts the standby off once it has all that was acknowledged before the returned time. */
async function cutReplication(standby: Standby): Promise<number> {
  const startedAt = performance.now();
  const [sent] = await askServer<{ lsn: string }>(primary.url, "select pg_current_wal_lsn()::text as lsn");
  const hasAll = `select 1 where pg_last_wal_receive_lsn() >= '${sent?.lsn}'`;
  await until(async () => (await askServer(standby.url, hasAll)).length === 1);
  await standby.disconnect();
  return startedAt;
}

test("asynchronous: what is lost was acknowledged after the replication stopped and never reached the chain; nothing doubles, and every movement has a row again", async () => {
  const standby = await attach("third");
  const load = startWithdrawals(payers, { withdrawalsMax, pauseMs: 150 });
  await acknowledge(load, 8);
  const cutAt = await cutReplication(standby);
  const countEnqueued = async () =>
    (await witness.db.select().from(delayTransactions)).filter(({ status }) => status === "WAITING").length;
  const enqueuedBefore = await countEnqueued();
  await Promise.all([acknowledge(load, 8), pay(700)]);
  await until(async () => (await countEnqueued()) > enqueuedBefore);
  const promotedAt = await failOver(standby);
  await Promise.all([acknowledge(load, 8), pay(1_100)]);
  await load.stop();
  expect(load.surprises).toEqual([]);
  await until(async () => (await countWithoutRow(witness)) === 0);
  await executeAll();
  const executed = await countExecutions(witness, load.withdrawals);
  const isInGap = (atMs: number) => atMs >= cutAt && atMs <= promotedAt;
  const lost = executed.filter(({ acknowledged, times }) => acknowledged !== null && times === 0);
  expect(lost.filter(({ acknowledged }) => acknowledged === null || !isInGap(acknowledged.atMs))).toEqual([]);
  expect(executed.filter(({ times }) => times > 1)).toEqual([]);
  expect(await countWithoutRow(witness)).toBe(0);
  await untilSettled(service);
  await until(async () => (await readBooks(witness)).ledger === 2_600n);
  expect(await readBooks(witness)).toEqual({ ledger: 2_600n, chain: 2_600n, issuer: 2_600n });
}, 90_000);
