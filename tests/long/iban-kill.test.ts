import { afterAll, beforeAll, expect, test } from "bun:test";
import { listEmoneyRecords } from "@cardkeep/db/sandbox/emoneyRecords";
import { ibanStatusOf, signDeclaration } from "../support/ibans.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { findFreePorts } from "../support/ports.ts";
import { type AppProcess, spawnApp } from "../support/process.ts";
import { type Service, startService } from "../support/service.ts";

/** Called for each call that the institution has executed, before its answer. */
let seen: ((call: string) => Promise<void>) | null = null;
let front: ReturnType<typeof Bun.serve>;
let service: Service;
let worker: AppProcess;
beforeAll(async () => {
  const [port = 0] = await findFreePorts(1);
  service = await startService({ worker: false, env: { EMONEY_URL: `http://127.0.0.1:${port}/emoney/api` } });
  front = Bun.serve({
    hostname: "127.0.0.1",
    port,
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url);
      const { method, headers } = request;
      const body = method === "GET" ? null : await request.text();
      const answer = await fetch(service.sandboxUrl + pathname + search, { method, headers, body });
      await seen?.(`${method} ${pathname.replace("/emoney/api", "").replace(/[0-9a-f-]{36}/, "{id}")}`);
      return answer;
    },
  });
  worker = await spawnApp("worker", service.env);
});
afterAll(async () => {
  worker.kill("SIGKILL");
  await worker.exited;
  await service.stop();
  await front.stop(true);
});

test("kill -9 of the worker after each step that the institution executed: one profile, one IBAN", async () => {
  const person = new Person(service);
  await person.becomeAccountHolder();
  const left = new Set(["POST /webhooks", "POST /addresses", "POST /ibans"]);
  seen = async (call) => {
    if (!left.delete(call)) return;
    worker.kill("SIGKILL");
    await worker.exited;
    worker = await spawnApp("worker", service.env);
  };
  const kinds = ["profile", "address", "iban"];
  const countEach = () =>
    Promise.all(kinds.map(async (kind) => (await listEmoneyRecords(service.runtime.db, kind)).length));
  // The programme itself has a profile and an address there.
  const before = await countEach();
  const body = { signature: await signDeclaration(person) };
  expect((await person.call("POST", "/ibans/emoney-profile", body)).status).toBe(200);
  await until(async () => left.size === 0 && (await ibanStatusOf(person)) === "ASSIGNED", { timeoutMs: 40_000 });
  expect(await countEach()).toEqual(before.map((count) => count + 1));
}, 60_000);
