import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Person } from "../support/person.ts";
import { type AppProcess, spawnApp } from "../support/process.ts";
import { findFreePorts } from "../support/ports.ts";
import { until } from "../support/poll.ts";
import { type Service, startService } from "../support/service.ts";
import dashboard from "../../packages/runtime/grafana.json" with { type: "json" };

const key = "an operator's own long key";

let service: Service;
let worker: AppProcess;
let workerUrl: string;
beforeAll(async () => {
  const [port = 0] = await findFreePorts(1);
  workerUrl = `http://127.0.0.1:${port}`;
  service = await startService({ worker: false });
  worker = await spawnApp("worker", { ...service.env, WORKER_PORT: String(port), OPERATOR_API_KEY: key });
  await worker.ready("taking jobs");
  // A counter by label appears after its first count.
  const ada = await (await new Person(service).signIn()).signUp();
  await ada.call("GET", "/kyc/integration");
  await fetch(`${service.url}/callbacks/sumsub`, { method: "POST", body: "{}" });
});
afterAll(async () => {
  worker.kill("SIGKILL");
  await worker.exited;
  await service.stop();
});

/** Names of metrics, as in the series of queries. */
const namesIn = (text: string): string[] =>
  [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name = "", kind]) =>
    kind === "histogram" ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
  );
const expressions = dashboard.panels.flatMap((panel) =>
  "targets" in panel ? (panel.targets ?? []).map(({ expr }) => expr) : [],
);
const asked = [...new Set(expressions.flatMap((expr) => expr.match(/\b(cardkeep|process)_\w+/g) ?? []))];

describe("the Grafana dashboard", () => {
  test("queries metrics that /metrics serves, and leaves out none of ours", async () => {
    const reported = namesIn(await (await fetch(`${service.url}/metrics`)).text());
    // Reported only by the worker's heartbeat and the chain, after their first event.
    const seldom = [
      "cardkeep_jobs",
      "cardkeep_delays",
      "cardkeep_deliveries",
      "cardkeep_settlement_difference_cents",
      "cardkeep_issuer_balance_cents",
      "cardkeep_issuer_cover_hours",
    ];
    expect(asked.length).toBeGreaterThan(15);
    expect(asked.filter((name) => !reported.includes(name) && !seldom.includes(name))).toEqual([]);
    const stem = (name: string) => name.replace(/_(bucket|count|sum)$/, "");
    const shown = new Set(asked.map(stem));
    const ours = reported.filter((name) => name.startsWith("cardkeep_")).map(stem);
    expect(ours.filter((name) => !shown.has(name))).toEqual([]);
  });

  test("has an id for every panel, a legend for every query, and no panel over another", () => {
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, index) => `${x + (index % w)}:${y + Math.floor(index / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
  });
});

describe("a worker's own metrics", () => {
  test("are served on its own port: its calls to the node, its memory; not the shared ones of servers", async () => {
    const headers = { Authorization: `Bearer ${key}` };
    const read = async () => (await fetch(`${workerUrl}/metrics`, { headers })).text();
    await until(async () => (await read()).includes('cardkeep_rpc_call_seconds_count{method="eth_getBlockByNumber"'));
    const reported = namesIn(await read());
    expect(reported).toContain("process_resident_memory_bytes");
    expect(reported).not.toContain("cardkeep_health");
  });

  test("need the operator's key if one is set", async () => {
    expect((await fetch(`${workerUrl}/metrics`)).status).toBe(401);
    expect((await fetch(`${workerUrl}/livez`)).status).toBe(200);
    expect((await fetch(`${workerUrl}/elsewhere`)).status).toBe(404);
  });
});
