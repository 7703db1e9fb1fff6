/**
 * A storm: people withdraw while server, workers, Postgres and node are killed with SIGKILL at random, and start again.
 *
 * The node starts again from its last saved state, so every kill of the node is also a reorganisation.
 */
import { type Db, openDatabase } from "@cardkeep/db/client";
import { delayTransactions, relayTransactions } from "@cardkeep/db/schema/tables";
import { type Chain, startChain } from "@cardkeep/local/chain";
import { type Postgres, startPostgres } from "@cardkeep/local/postgres";
import { createChainReader } from "@cardkeep/chain/reader";
import { parseQueueLog } from "@cardkeep/chain/delayLogs";
import { createRuntime } from "@cardkeep/runtime/compose";
import { readSettings } from "@cardkeep/runtime/settings";
import { sql } from "drizzle-orm";
import { randomUUID } from "node:crypto";
import { chmod, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createRandom, type Random } from "../lives/random.ts";
import { findShortfall } from "../support/funds.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { findFreePorts } from "../support/ports.ts";
import { fillData } from "../support/postgres.ts";
import { type AppProcess, spawnApp } from "../support/process.ts";
import { eure } from "../support/tokens.ts";

const cacheDirectory = fileURLToPath(new URL("../../.cardkeep/cache", import.meta.url));
const destination = "0x000000000000000000000000000000000000bEEF";
const retryMs = 200;
const patienceMs = 120_000;
const advanceEveryMs = 20_000;

export interface StormReport {
  kills: Record<string, number>;
  accepted: number;
  /** Rows by status. */
  rows: Record<string, number>;
  /** Entries of all queues by what the chain says. */
  enqueued: number;
  /** Units that arrived: one per operation. */
  arrived: number;
  /** Each relayer's lane: missing nonces between its first and the chain's next one, and open transactions. */
  lanes: { missing: number; open: number }[];
  /** The shortfall of the settlement account against the ledger, in words. */
  shortfall: string | null;
}

/** A process that is restarted whenever it ends, until it is stopped. */
class Kept {
  process: AppProcess | null = null;
  isWanted = true;
  constructor(
    readonly app: string,
    readonly env: Record<string, string>,
  ) {
    void this.keep();
  }
  async keep(): Promise<void> {
    while (this.isWanted) {
      this.process = await spawnApp(this.app, this.env);
      await this.process.exited;
      await Bun.sleep(retryMs);
    }
  }
  async stop(): Promise<void> {
    this.isWanted = false;
    this.process?.kill("SIGKILL");
    await this.process?.exited;
  }
}

export async function runStorm(size: {
  safes: number;
  operations: number;
  seconds: number;
  /** Of the random choices: what is killed, and when. */
  seed: number;
  say?: (line: string) => void;
}): Promise<StormReport> {
  const say = size.say ?? (() => {});
  const folder = await mkdtemp(join(tmpdir(), "cardkeep-storm-"));
  // Postgres runs as another user if the tests run as root.
  await chmod(folder, 0o755);
  const [postgresPort = 0, chainPort = 0, port = 0, sandboxPort = 0, elementsPort = 0] = await findFreePorts(5);
  const upPostgres = () => startPostgres({ dataDirectory: join(folder, "postgres"), port: postgresPort });
  const upChain = () => startChain({ cacheDirectory, stateFile: join(folder, "chain.json"), port: chainPort });
  await fillData(join(folder, "postgres"));
  let postgres: Postgres = await upPostgres();
  let chain: Chain = await upChain();
  const env = {
    DATABASE_URL: postgres.url,
    RPC_URL: chain.rpcUrl,
    CARDKEEP_LOCAL_CHAIN: "1",
    CONTRACT_CODE: chain.contractCode,
    PORT: String(port),
    SANDBOX_PORT: String(sandboxPort),
    ELEMENTS_PORT: String(elementsPort),
    RELAYED_OPERATIONS_PER_HOUR: "1000",
  };
  const sandbox = new Kept("sandbox", env);
  const server = new Kept("server", env);
  const workers = [new Kept("worker", env), new Kept("worker", env)];
  const places = { url: `http://127.0.0.1:${port}`, sandboxUrl: `http://127.0.0.1:${sandboxPort}` };
  const database = openDatabase({
    url: postgres.url,
    connectionsMax: 4,
    statementTimeoutMs: 10_000,
    applicationName: "storm",
  });
  try {
    for (const url of [`${places.url}/readyz`, `${places.sandboxUrl}/mailbox`]) {
      await until(() =>
        fetch(url).then(
          ({ ok }) => ok,
          () => false,
        ),
      );
    }
    const people = await Promise.all(Array.from({ length: size.safes }, () => openAccount(places, size.operations)));
    // The setup before the storm is not lost in it: the second save began after the setup.
    const readSavedAt = () =>
      stat(join(folder, "chain.json.saved")).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      );
    for (let saves = 0; saves < 2; saves++) {
      const savedAt = await readSavedAt();
      await people[0]?.sandbox("POST", "/chain/faucet", { address: destination, token: "native", amount: "1" });
      // A slow save is followed by a pause of 20 times its length.
      await until(async () => (await readSavedAt()) > savedAt, { timeoutMs: patienceMs });
    }
    say(`${people.length} Safes are in service`);

    const random = createRandom(size.seed);
    const kills: Record<string, number> = { server: 0, worker: 0, postgres: 0, node: 0 };
    const targets: Record<string, () => Promise<void>> = {
      server: async () => server.process?.kill("SIGKILL"),
      worker: async () => workers[random(workers.length)]?.process?.kill("SIGKILL"),
      postgres: async () => {
        process.kill(postgres.pid, "SIGKILL");
        await postgres.ended;
        postgres = await retry(upPostgres);
      },
      node: async () => {
        process.kill(chain.pid, "SIGKILL");
        await chain.ended;
        chain = await upChain();
      },
    };
    const endsAt = Date.now() + size.seconds * 1000;
    const storm = (async () => {
      while (Date.now() < endsAt) {
        await Bun.sleep(300 + random(1_500));
        const names = Object.keys(targets);
        const name = names[random(names.length)] ?? "worker";
        await targets[name]?.();
        kills[name] = (kills[name] ?? 0) + 1;
      }
    })();
    const perSafe = Math.ceil(size.operations / size.safes);
    const submitting = people.map((person) =>
      submitAll(person, {
        count: perSafe,
        everyMs: (size.seconds * 1000) / perSafe,
        random: createRandom(random(2 ** 31)),
      }),
    );
    const accepted = (await Promise.all(submitting)).reduce((sum, count) => sum + count, 0);
    await storm;
    say(`the storm is over after ${JSON.stringify(kills)} kills; ${accepted} operations were accepted`);

    const countRows = async () =>
      Object.fromEntries(
        [...Map.groupBy(await database.db.select().from(delayTransactions), (row) => row.status)].map(
          ([status, rows]) => [status, rows.length],
        ),
      );
    const isDone = async (statuses: readonly string[]) =>
      Object.keys(await countRows()).every((status) => statuses.includes(status));
    const untilTrue = (condition: () => Promise<boolean>) =>
      until(condition, { timeoutMs: patienceMs }).catch(async (error: unknown) => {
        say(await describeJam(database.db));
        say(workers.map(({ process }) => process?.output().split("\n").slice(-40).join("\n")).join("\n---\n"));
        throw error;
      });
    await untilTrue(() => isDone(["WAITING", "EXECUTED", "FAILED"]).catch(() => false));
    say("every accepted operation is in its queue");
    const advance = () =>
      retry(async () => {
        const { status } = (await people[0]?.sandbox("POST", "/chain/advance", { seconds: 181 })) ?? { status: 0 };
        if (status !== 200) throw new Error(`the clock was not moved: ${status}`);
      });
    await advance();
    let advancedAt = Date.now();
    const isEnded = async (): Promise<boolean> => {
      if (await isDone(["EXECUTED", "FAILED"]).catch(() => false)) return true;
      // A node that was killed forgot its last second: what was enqueued then is enqueued again, and waits from then on.
      if (Date.now() - advancedAt > advanceEveryMs) {
        await advance();
        advancedAt = Date.now();
      }
      return false;
    };
    await untilTrue(isEnded);

    const reader = createChainReader({ rpcUrl: chain.rpcUrl, chainId: 100, timeoutMs: 5_000 });
    const rows = await database.db.select().from(delayTransactions);
    const addresses = [...new Set(rows.map((row) => row.delayAddress))];
    const { number: toBlock } = await reader.getBlock();
    const logs = await reader.getLogs({ addresses, fromBlock: 0n, toBlock });
    const sent = await database.db.select().from(relayTransactions);
    const lanes = [...Map.groupBy(sent, (row) => row.relayer)].map(async ([relayer, ofLane]) => ({
      missing:
        (await reader.getTransactionCount(relayer, "latest")) -
        Math.min(...ofLane.map((row) => Number(row.nonce))) -
        new Set(ofLane.map((row) => row.nonce)).size,
      open: ofLane.filter((row) => row.status === "SIGNED" || row.status === "ROLLED_BACK").length,
    }));
    return {
      kills,
      accepted,
      rows: await countRows(),
      enqueued: logs.map(parseQueueLog).filter((entry) => entry !== null).length,
      arrived: Number(await reader.getTokenBalance(eure, destination)),
      lanes: await Promise.all(lanes),
      shortfall: await readShortfall(env),
    };
  } finally {
    await Promise.all([sandbox, server, ...workers].map((kept) => kept.stop()));
    await database.close();
    await chain.stop();
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function readShortfall(env: Record<string, string>): Promise<string | null> {
  const runtime = await createRuntime(readSettings(env), "cli");
  try {
    return await findShortfall(runtime);
  } finally {
    await runtime.close();
  }
}

/** The open work, to find out why it is stuck. */
async function describeJam(db: Db): Promise<string> {
  const sections = {
    delays: sql`select status, count(*)::int, min(ready_at), min(expires_at) from delay_transactions group by 1`,
    open: sql`select * from delay_transactions where status not in ('EXECUTED', 'FAILED') order by sequence limit 12`,
    clock: sql`select *, now() from clock`,
    cursor: sql`select * from chain_cursor`,
    attempts: sql`select * from relay_transactions order by created_at desc limit 12`,
    relays: sql`select relayer, purpose, status, min(nonce), max(nonce), count(*)::int from relay_transactions
      where status in ('SIGNED', 'ROLLED_BACK') group by 1, 2, 3`,
    lanes: sql`select * from relayers`,
    jobs: sql`select task_identifier, attempts, last_error, count(*)::int, min(run_at), bool_or(locked_at is not null) as locked
      from graphile_worker.jobs group by 1, 2, 3`,
  };
  const answers = await Promise.all(
    Object.entries(sections).map(async ([name, query]) => [name, await db.execute(query)] as const),
  );
  return JSON.stringify(Object.fromEntries(answers), null, 1);
}

async function openAccount(places: { url: string; sandboxUrl: string }, funds: number): Promise<Person> {
  const person = new Person(places);
  const address = await person.becomeAccountHolder();
  await person.sandbox("POST", "/chain/faucet", { address, token: "EURe", amount: String(funds) });
  return person;
}

/** Submits one operation after the other, each until it is accepted, and returns how many were. */
async function submitAll(
  person: Person,
  { count, everyMs, random }: { count: number; everyMs: number; random: Random },
): Promise<number> {
  for (let index = 0; index < count; index++) {
    const body = await retry(() => person.signWithdrawal({ tokenAddress: eure, to: destination, amount: "1" }));
    const key = randomUUID();
    await retry(async () => {
      const answer = await person.call("POST", "/accounts/withdraw", body, { "Idempotency-Key": key });
      if (answer.status !== 200) throw new Error(`refused: ${answer.status} ${JSON.stringify(answer.body)}`);
    });
    await Bun.sleep(random(Math.ceil(everyMs)));
  }
  return count;
}

async function retry<T>(work: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await Bun.sleep(retryMs);
    }
  }
}
