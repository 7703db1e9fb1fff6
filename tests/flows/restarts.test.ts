import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startPart } from "@cardkeep/local/part";
import { watchPart } from "@cardkeep/local/watchPart";
import { type RunningCardkeep, startCardkeep } from "@cardkeep/testing";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { until } from "../support/poll.ts";

const eure = "0xcB444e90D8198415266c6a2724b7900fb12FC56E";
const to = "0x000000000000000000000000000000000000bEEF";
const resolve = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "cardkeep-restarts-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("the program", () => {
  let cardkeep: RunningCardkeep;
  beforeAll(async () => {
    // The contracts are compiled once for all tests.
    const cache = resolve(".cardkeep/cache");
    await mkdir(cache, { recursive: true });
    await symlink(cache, join(folder, "cardkeep"));
    cardkeep = await startCardkeep({
      settings: { XDG_CACHE_HOME: folder },
      command: [process.execPath, resolve("apps/local/src/main.ts")],
    });
  }, 120_000);
  afterAll(() => cardkeep.stop());

  test("carries a withdrawal out once while its worker is killed and its Postgres restarts", async () => {
    const ada = await cardkeep.person({ balance: "50" });
    const order = { tokenAddress: eure, to, amount: String(20n * 10n ** 18n) } as const;
    const { data } = await ada.client.accounts.withdrawalData.query(order);
    const signature = await ada.wallet.signTypedData(data);
    const submitted = ada.client.accounts.withdraw.mutate({ ...order, signature, message: data.message });
    expect(await cardkeep.faults.set("worker.kill")).toEqual({ name: "worker.kill", hits: 1 });
    const { data: delay } = await submitted;
    const statusOf = async () => {
      const delays = await ada.client.delays.list.query().catch(() => []);
      return delays.find(({ id }) => id === delay.id)?.status;
    };
    await until(async () => (await statusOf()) === "WAITING");
    await cardkeep.advance("4 min");
    expect(await cardkeep.faults.set("postgres.restart")).toEqual({ name: "postgres.restart", hits: 1 });
    await cardkeep.faults.set("worker.kill");
    await until(async () => (await statusOf()) === "EXECUTED");
    expect(await ada.client.accounts.balances.query()).toMatchObject({ total: String(30n * 10n ** 18n), pending: "0" });
    expect(await cardkeep.faults.list()).toEqual([]);
  }, 60_000);
});

describe("a part of the program", () => {
  const failures: string[] = [];
  const watch = async (script: string) => {
    const main = join(folder, "part.ts");
    const logFile = join(folder, "part.log");
    await writeFile(main, script);
    const env = { PATH: process.env["PATH"] };
    return watchPart({
      name: "part",
      logFile,
      start: () => startPart({ main, env, logFile }),
      fail: (message) => failures.push(message),
    });
  };

  test("that is restarted or stopped is no failure; one that ends by itself is, with the end of its log", async () => {
    const part = await watch("setInterval(() => {}, 1_000);");
    await Promise.all([part.restart((each) => each.kill()), part.restart((each) => each.kill())]);
    await part.stop();
    await part.restart((each) => each.kill());
    expect(failures).toEqual([]);
    await watch('console.log("no more memory"); process.exit(3);');
    await until(() => failures.length === 1);
    expect(failures[0]).toMatch(/^the part ended \(code 3\); the end of .*part\.log:\nno more memory$/);
  });
});
