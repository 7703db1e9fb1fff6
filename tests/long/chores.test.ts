import { afterAll, beforeAll, expect, test } from "bun:test";
import { listChoreAges } from "@cardkeep/db/queries/operations/chores";
import { endlessTasks } from "@cardkeep/db/queue/catalogue";
import { rateLimits } from "@cardkeep/db/schema/tables";
import { checkHealth } from "@cardkeep/domain/operations/health/checkHealth";
import { diagnose } from "@cardkeep/domain/operations/health/diagnose";
import { chores, endlessJobs } from "@cardkeep/domain/operations/housekeeping/chores";
import { sql } from "drizzle-orm";
import { filled } from "../support/filled.ts";
import { until } from "../support/poll.ts";
import { findFreePorts } from "../support/ports.ts";
import { type AppProcess, spawnApp } from "../support/process.ts";
import { type Service, startService } from "../support/service.ts";

let service: Service;
let worker: AppProcess;
let workerUrl: string;

async function startProcess(): Promise<void> {
  const [port = 0] = await findFreePorts(1);
  workerUrl = `http://127.0.0.1:${port}`;
  worker = await spawnApp("worker", { ...service.env, WORKER_PORT: String(port), LOG_LEVEL: "warn" });
}
async function stopProcess(): Promise<void> {
  worker.kill("SIGTERM");
  await worker.exited;
}
const execute = (statement: string) => service.ownerDb.execute(sql.raw(statement));
const isDone = async (name: string): Promise<boolean> =>
  (await listChoreAges(service.runtime.db)).some((age) => age.name === name && age.succeeded);
const readPart = async () => (await checkHealth(service.runtime.services)).parts.chores;
const readFinding = async () => (await diagnose(service.runtime.services)).find(({ check }) => check === "chores");

beforeAll(async () => {
  service = await startService({ worker: false });
  await execute("alter table subscription_messages rename to subscription_messages_away");
  await service.runtime.db.insert(rateLimits).values({ key: "old", granted: 1, lastGrant: 1, endsAt: new Date(0) });
  await startProcess();
});
afterAll(async () => {
  worker.kill("SIGKILL");
  await worker.exited;
  await service.stop();
});

test("a chore that fails stops no other chore, and none of its own later items", async () => {
  const others = Object.keys(chores).filter((name) => name !== "deleteOldRows");
  await until(async () => (await Promise.all(others.map(isDone))).every(Boolean));
  await until(async () => (await service.runtime.db.select().from(rateLimits)).length === 0);
  expect(await isDone("deleteOldRows")).toBe(false);
});

test("its failure is logged with its name, and counted by chore; the others count 0", async () => {
  const lines = () =>
    worker
      .output()
      .split("\n")
      .filter((line) => line.includes('"chore":"deleteOldRows"'));
  await until(async () => lines().length > 0);
  expect(lines()).toHaveLength(1);
  expect(lines()[0]).toContain("1 failed: subscription_messages");
  const text = await (await fetch(`${workerUrl}/metrics`)).text();
  expect(text).toMatch(/cardkeep_chore_failures_total\{chore="deleteOldRows"\} [1-9]/);
  expect(text).toContain('cardkeep_chore_failures_total{chore="expireCards"} 0');
});

test("a chore that has not succeeded for a minute degrades /readyz and is a fault of the doctor, by name", async () => {
  expect(await readPart()).toEqual({ status: "ok" });
  await execute("update chores set started_at = now() - interval '61 seconds'");
  const never = "Chores are overdue: deleteOldRows has never succeeded. See the worker's log";
  expect(await readPart()).toEqual({ status: "degraded", reason: never });
  expect(await readFinding()).toEqual({ check: "chores", severity: "fault", text: never, parts: ["deleteOldRows"] });
  await stopProcess();
  await execute("update chores set succeeded_at = now() - interval '90 seconds' where name = 'expireCards'");
  expect((await readPart()).reason).toMatch(/expireCards last succeeded 9\d s ago/);
});

test("a job that the whole service needs and that fails, or hangs, degrades /readyz by name", async () => {
  expect(Object.keys(endlessJobs).toSorted()).toEqual(endlessTasks.toSorted());
  await startProcess();
  await until(async () => (await Promise.all(filled(endlessTasks).map(isDone))).every(Boolean));
  await execute("alter table issuer_cover rename to issuer_cover_away");
  await execute(
    "update graphile_worker._private_jobs set run_at = now() where key like 'issuer.balance:%' and is_available",
  );
  await until(() => worker.output().includes("issuer_cover"));
  await execute("update chores set succeeded_at = now() - interval '361 seconds' where name = 'issuer.balance'");
  expect((await readPart()).reason).toMatch(/issuer\.balance last succeeded 36\d s ago/);
  await execute("alter table issuer_cover_away rename to issuer_cover");
  worker.kill("SIGSTOP");
  await execute("update chores set succeeded_at = now() - interval '61 seconds' where name = 'chain.follow'");
  expect((await readPart()).reason).toMatch(/chain\.follow last succeeded 6\d s ago/);
  worker.kill("SIGCONT");
  const describe = async () => (await readPart()).reason ?? "";
  await until(async () => !(await describe()).includes("chain.follow"));
  await stopProcess();
});

test("a chore that succeeds again is healthy; an unknown one is left out", async () => {
  await execute("alter table subscription_messages_away rename to subscription_messages");
  await execute("insert into chores (name, started_at) values ('ofAnotherVersion', now() - interval '1 day')");
  await execute("update chores set succeeded_at = now() where name = 'issuer.balance'");
  await startProcess();
  await until(async () => (await readPart()).status === "ok");
  expect(await readFinding()).toMatchObject({ severity: "ok" });
});
