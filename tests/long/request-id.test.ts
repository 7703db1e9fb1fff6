import { afterAll, beforeAll, expect, test } from "bun:test";
import { delayTransactions, events, relaySubjects, relayTransactions, safes } from "@cardkeep/db/schema/tables";
import { eq, getTableColumns } from "drizzle-orm";
import { type Collector, startCollector } from "../support/collector.ts";
import { filled } from "../support/filled.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { type AppProcess, spawnApp } from "../support/process.ts";
import { type Service, startService } from "../support/service.ts";
import { becomeCardHolder, euro, untilSettled, use } from "../support/spending.ts";
import { eure } from "../support/tokens.ts";
import { awaitAttempts, registerPartner, subscribe } from "../support/webhooks.ts";

const destination = "0x000000000000000000000000000000000000bEEF";

let service: Service;
let worker: AppProcess;
let collector: Collector;
let ada: Person;
beforeAll(async () => {
  collector = startCollector();
  service = await startService({ worker: false, env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } });
  worker = await spawnApp("worker", service.env);
  ada = await new Person(service).becomeApproved();
});
afterAll(async () => {
  worker.kill("SIGKILL");
  await worker.exited;
  await service.stop();
  await collector.stop();
});

/** The worker's log lines under a request's id. */
const readLog = (requestId: string): { msg: string; hash?: string; purpose?: string }[] =>
  worker
    .output()
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line))
    .filter((line) => line.requestId === requestId);

test("a deployment carries its request's id through rows, job, log, event, delivery and chain transaction", async () => {
  await registerPartner(ada, "traced");
  await subscribe(ada, "traced");
  const { headers } = await ada.call("POST", "/safe/deploy", undefined, { "X-Request-Id": "deploy-1" });
  expect(headers.get("x-request-id")).toBe("deploy-1");
  await until(async () => (await ada.call("GET", "/safe/deploy")).body.status === "ok");
  const { db } = service.runtime;
  const [safe] = await db.select().from(safes);
  const transactions = await db.select().from(relayTransactions);
  expect([safe?.requestId, ...transactions.map(({ requestId }) => requestId)]).toEqual(["deploy-1", "deploy-1"]);
  await until(() => readLog("deploy-1").some(({ msg }) => msg === "settled"));
  const [settled] = readLog("deploy-1").filter(({ msg }) => msg === "settled");
  expect(settled?.hash).toBe(transactions[0]?.minedHash ?? "");
  const published = await db.select().from(events).where(eq(events.eventType, "safe.created"));
  expect(published.map(({ requestId }) => requestId)).toEqual(["deploy-1"]);
  const delivered = await awaitAttempts(ada, "traced", 1);
  expect(delivered.map(({ headers: sent }) => sent["x-request-id"])).toContain("deploy-1");
});

test("withdrawals that wait for each other keep their own request's id to the end", async () => {
  const address = (await ada.call("GET", "/safe/config")).body.address;
  await ada.sandbox("POST", "/chain/faucet", { address, token: "EURe", amount: "1000" });
  const names = ["withdraw-1", "withdraw-2", "withdraw-3"];
  const ids: string[] = [];
  for (const name of names) {
    const body = await ada.signWithdrawal({ tokenAddress: eure, to: destination, amount: "7" });
    ids.push((await ada.call("POST", "/accounts/withdraw", body, { "X-Request-Id": name })).body.data.id);
  }
  const isAll = async (status: string) =>
    (await Promise.all(ids.map((id) => ada.findDelay(id)))).every((item) => item?.status === status);
  await until(() => isAll("WAITING"));
  await ada.sandbox("POST", "/chain/advance", { seconds: 181 });
  await until(() => isAll("EXECUTED"));
  const { db } = service.runtime;
  for (const [index, id] of filled(ids.entries())) {
    const requestId = names[index] ?? "";
    const [row] = await db.select().from(delayTransactions).where(eq(delayTransactions.id, id));
    // One transaction may carry several enqueues; each subject's row names its own request.
    const transactions = await db
      .select({ ...getTableColumns(relayTransactions), ofSubject: relaySubjects.requestId })
      .from(relayTransactions)
      .innerJoin(relaySubjects, eq(relaySubjects.relayTransactionId, relayTransactions.id))
      .where(eq(relaySubjects.subjectId, id));
    expect(row?.requestId).toBe(requestId);
    expect(transactions.map(({ purpose }) => purpose).sort()).toEqual(["delay.dispatch", "delay.enqueue"]);
    expect(transactions.every(({ ofSubject }) => ofSubject === requestId)).toBe(true);
    const hashes = transactions.map(({ minedHash }) => minedHash ?? "");
    await until(() => hashes.every((hash) => readLog(requestId).some((line) => line.hash === hash)));
  }
  const completed = await db.select().from(events).where(eq(events.eventType, "account.withdrawal.completed"));
  expect(completed.map(({ requestId }) => requestId).sort()).toEqual(names);
});

test("its trace shows the request, its jobs and its chain transactions, without secrets", async () => {
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  const body = await ada.signWithdrawal({ tokenAddress: eure, to: destination, amount: "7" });
  const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
  const accepted = await ada.call("POST", "/accounts/withdraw", body, headers);
  expect(accepted.headers.get("x-request-id")).toBe(traceId);
  const { id } = accepted.body.data;
  await until(async () => (await ada.findDelay(id))?.status === "WAITING");
  await ada.sandbox("POST", "/chain/advance", { seconds: 181 });
  await until(async () => (await ada.findDelay(id))?.status === "EXECUTED");
  const mined = await service.runtime.db.select().from(relayTransactions).where(eq(relayTransactions.subjectId, id));
  const hashes = mined.map(({ minedHash }) => minedHash ?? "").sort();
  const spansOf = (name: string) => collector.spans().filter((span) => span.traceId === traceId && span.name === name);
  const minedSpans = () => [...new Set(spansOf("chain transaction").map((span) => String(span.attributes["hash"])))];
  await until(() => minedSpans().length === hashes.length);
  expect(minedSpans().sort()).toEqual(hashes);

  await until(() => spansOf("accounts.withdraw").length > 0);
  const [request] = spansOf("accounts.withdraw");
  expect(request).toMatchObject({ parentSpanId: "b7ad6b7169203331", service: "cardkeep-server" });
  expect(request?.attributes).toMatchObject({ "http.route": "/accounts/withdraw", "cardkeep.request_id": traceId });
  for (const name of ["job delay.relay", "job relay.broadcast", "job delay.dispatch", "chain transaction"]) {
    expect(spansOf(name).length).toBeGreaterThan(0);
    for (const span of spansOf(name))
      expect(span).toMatchObject({ parentSpanId: request?.spanId, service: "cardkeep-worker" });
  }
  const sends = spansOf("eth_sendRawTransaction");
  expect(sends.length).toBeGreaterThanOrEqual(hashes.length);
  const jobs = [...spansOf("job relay.broadcast"), ...spansOf("job relay.confirm")].map(({ spanId }) => spanId);
  for (const { parentSpanId } of sends) expect(jobs).toContain(parentSpanId ?? "");
  // An error is a span with the error's name.
  await ada.call("POST", "/accounts/withdraw", body, { "X-Request-Id": "again" });
  const again = () => collector.spans().find((span) => span.attributes["cardkeep.request_id"] === "again");
  await until(() => again() !== undefined);
  expect(again()?.attributes["error.type"]).toBe("delays.already_submitted");
  for (const secret of [ada.token ?? "?", body.signature.slice(2), body.message.salt.slice(2)])
    expect(collector.text()).not.toContain(secret);
});

test("a partner's callback begins a trace that includes its jobs, and a consent page begins its own", async () => {
  const holder = await becomeCardHolder(service, 50n * euro);
  expect((await use(holder, 100)).approved).toBe(true);
  await untilSettled(service);
  const spansCalled = (name: string) => collector.spans().filter((span) => span.name === name);
  const requests = () => spansCalled("callbacks.stripe");
  const jobs = () => [...spansCalled("job card.transfer"), ...spansCalled("job card.settle")];
  // Server and worker send their spans at their own times.
  const isBegun = (job: ReturnType<typeof jobs>[number]) =>
    requests().some(({ traceId, spanId }) => traceId === job.traceId && spanId === job.parentSpanId);
  await until(() => spansCalled("job card.settle").length > 0 && jobs().every(isBegun));
  expect(requests()[0]).toMatchObject({
    service: "cardkeep-server",
    attributes: { "http.route": "/callbacks/stripe" },
  });
  await fetch(`${service.url}/callbacks/monerium/oauth?state=x&code=secret`);
  await until(() => spansCalled("callbacks.monerium.oauth").length === 1);
  expect(collector.text()).not.toContain("code=secret");
  expect(spansCalled("callbacks.sumsub").length).toBeGreaterThan(0);
});
