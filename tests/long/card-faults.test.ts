import { afterAll, beforeAll, expect, test } from "bun:test";
import { listIssuerObjects } from "@cardkeep/db/sandbox/issuerObjects";
import { cardIssues, cards, orders, users } from "@cardkeep/db/schema/tables";
import { issuerReplies } from "@cardkeep/db/sandbox/tables";
import { cancelAsOperator } from "@cardkeep/domain/cards/orders/cancelOrder";
import { eq, sql } from "drizzle-orm";
import { becomeEligible, createVirtual, readyOrder, seal } from "../support/cards.ts";
import { type Collector, startCollector } from "../support/collector.ts";
import { type HttpProxy, startHttpProxy } from "../support/httpProxy.ts";
import { operatorOf } from "../support/operator.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { findFreePorts } from "../support/ports.ts";
import { type AppProcess, spawnApp } from "../support/process.ts";
import { type Service, startService } from "../support/service.ts";

const createCards = "POST /v1/issuing/cards";
const pin = "7193";

let service: Service;
let collector: Collector;
let proxy: HttpProxy;
let ada: Person;
let server: AppProcess;
let worker: AppProcess;
const ended: AppProcess[] = [];

const spawnWorker = () => spawnApp("worker", { ...service.env, CARD_ISSUER_URL: proxy.url });

beforeAll(async () => {
  collector = startCollector();
  service = await startService({ worker: false, env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } });
  proxy = startHttpProxy(service.sandboxUrl);
  const [port = 0] = await findFreePorts(1);
  // A process of its own, so that its logs can be searched.
  // Both reach the issuer through the proxy: a status is sent by the request first, and by a job where that failed.
  const serverEnv = { ...service.env, CARD_ISSUER_URL: proxy.url, PORT: String(port) };
  [server, worker] = await Promise.all([spawnApp("server", serverEnv), spawnWorker()]);
  await server.ready("listening");
  ada = await becomeEligible(new Person({ url: `http://127.0.0.1:${port}`, sandboxUrl: service.sandboxUrl }));
});
afterAll(async () => {
  for (const part of [server, worker]) part.kill("SIGKILL");
  await Promise.all([server.exited, worker.exited]);
  proxy.stop();
  await service.stop();
  await collector.stop();
});

const listAtIssuer = () =>
  listIssuerObjects(service.runtime.db, { object: "issuing.card", part: {}, startingAfter: null, limit: 100 });

/** Every row of every table, except those in which the sandbox's issuer keeps its own secrets. */
async function dumpDatabase(): Promise<string> {
  const { db } = service.runtime;
  const tables = await db.execute<{ name: string }>(sql`
    select format('%I.%I', table_schema, table_name) as name from information_schema.tables
    where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')
      and (table_schema, table_name) <> ('sandbox', 'issuer_objects')`);
  expect(tables.map(({ name }) => name)).toContain("graphile_worker._private_jobs");
  const dumps = tables.map(({ name }) =>
    db.execute<{ text: string | null }>(sql`select string_agg(t::text, E'\n') as text from ${sql.raw(name)} t`),
  );
  return (await Promise.all(dumps)).map(([row]) => row?.text ?? "").join("\n");
}

/**
 * More digits of a number than may be stored, which is its first six and last four (PCI DSS, requirement 3.4): seven,
 * or if the seventh is a zero, enough that no round amount matches.
 */
const tooMuch = /^\d{6}0*\d/;

/**
 * The card secrets in a text: the whole number anywhere and the beginning of a value, both in any grouping, and the short ones
 * as separate values. Within a hash or an id, seven given digits may be there by chance.
 */
function findSecrets(text: string, known: { number: string }): string[] {
  const [leading = ""] = tooMuch.exec(known.number) ?? [];
  const group = (digits: string): string => digits.split("").join("[ -]?");
  const isNumber = new RegExp(`${group(known.number)}|(?<![0-9A-Za-z])${group(leading)}`).test(text);
  const isValue = (secret: string) => new RegExp(`(^|["(, =:'\`])${secret}($|["), :'\`])`, "m").test(text);
  return [...(isNumber ? ["number"] : []), ...(isValue(pin) ? ["PIN"] : [])];
}

test("the worker dies between the issuer's answer and our commit: one card at the issuer and here, and its secrets nowhere", async () => {
  const orderId = await readyOrder(ada);
  const { publicKey } = (await ada.call("GET", "/user/card-public-key")).body;
  const { encrypted: encryptedPin, ...rest } = seal(publicKey, pin);
  let dumpedMeanwhile = "";
  proxy.intercept(createCards, async (forward) => {
    await forward();
    dumpedMeanwhile = await dumpDatabase();
    worker.kill("SIGKILL");
    return null;
  });
  const asked = ada.call("POST", `/order/${orderId}/create-card`, { pinData: { encryptedPin, ...rest } });
  await worker.exited;
  expect((await ada.call("GET", `/order/${orderId}`)).body.status).toBe("READY");
  expect((await listAtIssuer()).length).toBe(1);
  expect(await service.runtime.db.select().from(cards)).toEqual([]);
  // The card is being made for the order, so even the operator cannot cancel it now.
  const cancelled = cancelAsOperator(operatorOf(service.runtime), { orderId });
  expect(await cancelled.catch((error: Error) => error.message)).toBe("Card Order is not in the correct status");
  expect((await ada.call("POST", "/cards/virtual")).status).toBe(409);

  ended.push(worker);
  worker = await spawnWorker();
  // A worker that starts later finds the request already answered with 502 or 503, and the card is still made.
  const { status, body } = await asked;
  expect([200, 502, 503]).toContain(status);
  await until(async () => (await ada.call("GET", `/order/${orderId}`)).body.status === "CARDCREATED");
  const rows = await service.runtime.db.select().from(cards);
  const cardToken = rows[0]?.cardToken ?? "";
  expect(rows).toHaveLength(1);
  expect((await listAtIssuer()).map(({ id }) => id)).toEqual([cardToken]);
  if (status === 200) expect(body).toMatchObject({ success: true, cardToken });

  const known = (await ada.sandbox("GET", `/issuer/cards/${cardToken}`)).body;
  expect(known.pin).toBe(pin);
  const pan = seal(publicKey, known.number);
  const verified = await ada.call("POST", "/cards/verify", {
    encryptedPan: pan.encrypted,
    encryptedKey: pan.encryptedKey,
    iv: pan.iv,
  });
  expect(verified.body).toEqual({ cardId: rows[0]?.id });
  const refused = await ada.call("POST", "/cards/verify", { encryptedPan: known.number, encryptedKey: pin, iv: "x" });
  expect(refused.status).toBe(400);
  const logs = [server, worker, ...ended].map((part) => part.output()).join("\n");
  expect(logs).toContain("cards.verify");
  await until(() => collector.text().includes("cards.verify"));
  const measures = await (await fetch(`${ada.service.url}/metrics`)).text();
  for (const text of [dumpedMeanwhile, await dumpDatabase(), logs, collector.text(), measures]) {
    expect(findSecrets(text, known)).toEqual([]);
  }
  // The search itself finds what is there.
  expect(findSecrets(`{"pan":"${known.number}","pin":"${pin}"}`, known)).toEqual(["number", "PIN"]);
  const inGroups = known.number.replaceAll(/(\d{4})(?=\d)/g, "$1 ");
  for (const text of [inGroups, `a${known.number}b`, `${inGroups.slice(0, -4)}****`])
    expect(findSecrets(text, known)).toEqual(["number"]);
}, 60_000);

test("an answer of the issuer is lost, with what it kept under the key, and the person changed: the next attempt finds the existing card", async () => {
  const before = (await listAtIssuer()).length;
  const isAda = eq(users.id, ada.userId ?? "");
  proxy.intercept(createCards, async (forward) => {
    await forward();
    await service.runtime.db.delete(issuerReplies);
    await service.runtime.db.update(users).set({ lastName: null }).where(isAda);
    return null;
  });
  const id = await createVirtual(ada);
  expect((await listAtIssuer()).length - before).toBe(1);
  const [issue] = await service.runtime.db.select().from(cardIssues).where(eq(cardIssues.id, id));
  expect(issue).toMatchObject({ status: "issued", attempts: 1 });
  await service.runtime.db.update(users).set({ lastName: "Lovelace" }).where(isAda);
}, 60_000);

test("the payment's block is removed while the card is made: the card ends at the issuer, and the order may have another", async () => {
  const orderId = await readyOrder(ada);
  const isThis = eq(orders.id, orderId);
  proxy.intercept(createCards, async (forward) => {
    const answer = await forward();
    await service.runtime.db.update(orders).set({ status: "PENDINGTRANSACTION" }).where(isThis);
    return answer;
  });
  const { status, body } = await ada.call("POST", `/order/${orderId}/create-card`, {});
  expect([status, body]).toEqual([422, { error: "The card issuer refused to make this card" }]);
  expect((await listAtIssuer())[0]?.data["status"]).toBe("canceled");
  await ada.call("PUT", `/order/${orderId}/confirm-payment`);
  expect((await ada.call("POST", `/order/${orderId}/create-card`, {})).status).toBe(200);
});

test("the issuer is away: a card freezes here at once, and there as soon as it is back", async () => {
  const id = await createVirtual(ada);
  const [card] = await service.runtime.db.select().from(cards).where(eq(cards.id, id));
  const atIssuer = async () => (await ada.sandbox("GET", `/issuer/cards/${card?.cardToken}`)).body.status;
  const printed = worker.output().length;
  proxy.isDown = true;
  expect((await ada.call("POST", `/cards/${id}/freeze`)).status).toBe(200);
  expect((await ada.call("GET", `/cards/${id}/status`)).body).toMatchObject({ statusCode: 1005, isFrozen: true });
  await until(() => worker.output().slice(printed).includes("unavailable, trying again"));
  expect(await atIssuer()).toBe("active");
  proxy.isDown = false;
  await until(async () => (await atIssuer()) === "inactive");
  const isTold = async () => {
    const [row] = await service.runtime.db.select().from(cards).where(eq(cards.id, id));
    return row?.issuerSyncedStatus === "inactive";
  };
  await until(isTold);
}, 60_000);
