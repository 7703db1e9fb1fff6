import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { findPartner, updatePartner } from "@cardkeep/db/queries/partners/partners";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { type OperatorRole, sandboxOperator } from "@cardkeep/domain/core/actor";
import { createOperatorContext } from "@cardkeep/domain/core/context";
import { listChores, watchedNames } from "@cardkeep/domain/operations/housekeeping/chores";
import { listJobs } from "@cardkeep/domain/core/jobs/listJobs";
import { listActions } from "@cardkeep/domain/core/operators/listActions";
import { listDeliveries } from "@cardkeep/domain/partners/webhooks/listDeliveries";
import { createRuntime } from "@cardkeep/runtime/compose";
import { development } from "@cardkeep/runtime/development";
import { recordPartnerKeys } from "@cardkeep/runtime/recordKeys";
import { recordDecisions } from "@cardkeep/runtime/recordDecisions";
import { readSettings } from "@cardkeep/runtime/settings";
import { showDelivery } from "@cardkeep/server/operator/operations/delivery";
import { createCookies } from "@cardkeep/server/operator/access/session";
import { createServer } from "@cardkeep/server/server";
import { sql } from "drizzle-orm";
import { hasBrowser, startBrowser } from "../support/browser.ts";
import { createTestDatabase } from "../support/database.ts";
import { filled } from "../support/filled.ts";
import { readForm, signInWithKey } from "../support/operatorPages.ts";
import { Person } from "../support/person.ts";
import { startPrimaryProxy } from "../support/primaryProxy.ts";
import { until } from "../support/poll.ts";
import { production } from "../support/production.ts";
import { type Service, startService } from "../support/service.ts";
import { awaitAttempts, publishEvents, readInbox, registerPartner, subscribe } from "../support/webhooks.ts";

const key = development.OPERATOR_API_KEY;
const hostile = `<img src=x onerror="alert(1)">`;
const rooms = [
  "",
  "?done=constructor&count=x",
  "/users",
  "/delays",
  "/delays?status=open",
  "/relayers",
  "/jobs?state=failed",
  "/deliveries",
  "/deliveries/resend",
  "/partners",
  "/ledger",
  "/ledger?safe=nothing&from=2026-02-30",
  "/chores",
  "/approvals",
  "/exports",
  "/roles",
  "/rules",
];

let service: Service;
let ada: Person;
let operationId: string;
let cookie: string;
beforeAll(async () => {
  service = await startService();
  cookie = await signInWithKey(service.url);
  ada = new Person(service);
  const safe = await ada.becomeAccountHolder();
  const tokenAddress = "0xcB444e90D8198415266c6a2724b7900fb12FC56E";
  const amount = "1000000000000000000";
  await ada.sandbox("POST", "/chain/faucet", { address: safe, token: "EURe", amount });
  const withdrawal = await ada.signWithdrawal({ tokenAddress, to: ada.account.address, amount });
  operationId = (await ada.call("POST", "/accounts/withdraw", withdrawal)).body.data.id;
  await registerPartner(ada, "shop", { name: hostile });
  await subscribe(ada, "shop");
  await publishEvents(service.runtime, ada.userId, 1);
  await awaitAttempts(ada, "shop", 1);
});
afterAll(() => service.stop());

const show = (path: string, of = cookie): Promise<Response> =>
  fetch(`${service.url}/operator${path}`, { headers: { Cookie: of }, redirect: "manual" });
const read = async (path: string): Promise<string> => (await show(path)).text();
const send = (path: string, form: Record<string, string> = {}, headers: Record<string, string> = {}) =>
  fetch(`${service.url}/operator${path}`, {
    method: "POST",
    headers: { Cookie: cookie, Origin: service.url, ...headers },
    body: new URLSearchParams(form),
    redirect: "manual",
  });

/** A job that was given up; no worker runs it before the operator retries it. */
async function giveUpJob(name: string): Promise<string> {
  const { db } = service.runtime;
  await db.transaction(async (tx) => {
    await enqueue(tx, "relay.confirm", { relayTransactionId: name, requestId: "test" });
    await tx.execute(sql`update graphile_worker._private_jobs set attempts = max_attempts, last_error = ${hostile}
      where key = ${`relay.confirm:${name}`}`);
  });
  const failed = await listJobs({ db, clock: service.runtime.services.clock }, { state: "failed", limit: 10 });
  return failed.find(({ subjectId }) => subjectId === name)?.id ?? "";
}

describe("the sign-in", () => {
  test("needs the key in a form; the cookie is for these pages alone and for an hour", async () => {
    const asked = await show("/jobs", "");
    expect([asked.status, asked.headers.get("cache-control")]).toEqual([401, "no-store"]);
    expect(await asked.text()).toContain(`name="next" type="hidden" value="/operator/jobs"`);
    const wrong = await send("/sign-in", { key: "not the key" }, { Cookie: "" });
    expect([wrong.status, wrong.headers.get("set-cookie")]).toEqual([401, null]);
    const right = await send("/sign-in", { key, next: "/operator/jobs" }, { Cookie: "" });
    expect([right.status, right.headers.get("location")]).toEqual([303, "/operator/jobs"]);
    // Beside it, the browser stays known for its own quota.
    const [begun = ""] = right.headers.getSetCookie();
    expect(begun).toMatch(/; Max-Age=3600; Path=\/operator; HttpOnly; SameSite=Lax$/);
    expect((await show("", begun.split(";", 1)[0])).status).toBe(200);
    const ofHost = createCookies("https://api.example.org").beginSession("x", 1_000);
    expect(ofHost).toBe("__Host-cardkeep_operator=x; Max-Age=1; Path=/; HttpOnly; SameSite=Lax; Secure");
    for (const next of ["https://evil.example.org", "//evil.example.org", "/operator/../x"])
      expect((await send("/sign-in", { key, next }, { Cookie: "" })).headers.get("location")).toBe("/operator");
    const own = { Cookie: begun.split(";", 1)[0] ?? "" };
    expect((await send("/sign-out", {}, own)).headers.get("set-cookie")).toContain("Max-Age=0");
    expect((await show("", own.Cookie)).status).toBe(401);
  });

  test("rejects a session that is unknown, and any of a key that the settings no longer hold", async () => {
    for (const of of ["", `cardkeep_operator=${"x".repeat(43)}`, "cardkeep_operator=", `${cookie}x`])
      expect((await show("/users", of)).status).toBe(401);
    const [older, newer] = ["the operator's older key of two", "the operator's newer key of two"];
    const serve = async (keys: string) => {
      const runtime = await createRuntime(readSettings({ ...service.env, OPERATOR_API_KEY: keys }), "server");
      const server = createServer(runtime);
      const statusOf = async (of: string) =>
        (await server.handle(new Request(`${service.url}/operator/jobs`, { headers: { Cookie: of } }))).status;
      const begin = (key: string) => signInWithKey(service.url, { key, send: server.handle });
      return { begin, statusOf, close: runtime.close };
    };
    const [both, last] = await Promise.all([serve(`${newer},${older}`), serve(newer)]);
    const [ofOlder, ofNewer] = [await both.begin(older), await both.begin(newer)];
    expect(await Promise.all([both.statusOf(ofOlder), both.statusOf(ofNewer)])).toEqual([200, 200]);
    expect(await Promise.all([last.statusOf(ofOlder), last.statusOf(ofNewer)])).toEqual([401, 200]);
    await Promise.all([both.close(), last.close()]);
  });

  test("allows ten attempts a minute from one address", async () => {
    const tries = await Promise.all(
      Array.from({ length: 30 }, () => send("/sign-in", { key: "not the key" }).then(({ status }) => status)),
    );
    expect(new Set(tries)).toEqual(new Set([401, 429]));
    expect(tries.filter((status) => status === 401).length).toBeLessThanOrEqual(10);
    await ada.sandbox("POST", "/chain/advance", { seconds: 61 });
  });

  test("does not exist without a key", async () => {
    const settings = readSettings({ ...production, LOG_LEVEL: "silent" });
    const runtime = await createRuntime(settings, "server");
    const server = createServer(runtime);
    for (const path of ["/operator", "/operator/users"]) {
      expect((await server.handle(new Request(`http://localhost${path}`))).status).toBe(404);
    }
    await runtime.close();
  });
});

describe("a form", () => {
  test("from another site does nothing, with any cookie", async () => {
    const id = await giveUpJob("cross-site");
    const refused = ["https://evil.example.org", "null", ""].map((Origin) => send(`/jobs/${id}/retry`, {}, { Origin }));
    expect((await Promise.all(refused)).map(({ status }) => status)).toEqual([403, 403, 403]);
    expect((await send(`/jobs/${id}/retry`, {}, { Cookie: "" })).status).toBe(401);
    expect(await read("/jobs?state=failed")).toContain(`/operator/jobs/${id}"`);
    await send("/jobs/retry-failed");
  });

  test("retries one job, or all that were given up, and workers run them", async () => {
    const { db } = service.runtime;
    const isThere = async (state?: "failed") =>
      (await listJobs({ db, clock: service.runtime.services.clock }, { state, limit: 50 })).some(({ subjectId }) =>
        subjectId?.startsWith("again"),
      );
    const id = await giveUpJob("again-1");
    const one = await send(`/jobs/${id}/retry`);
    expect([one.status, one.headers.get("location")]).toEqual([303, "/operator/jobs?done=jobs.retry&count=1"]);
    await until(async () => !(await isThere()));
    await giveUpJob("again-2");
    await giveUpJob("again-3");
    const all = await send("/jobs/retry-failed");
    expect(all.headers.get("location")).toBe("/operator/jobs?done=jobs.retry-failed&count=2");
    expect(await read("/jobs?done=jobs.retry-failed&count=2")).toContain("2 jobs will run again.");
    await until(async () => !(await isThere()));
    expect((await send(`/jobs/${id}/retry`)).status).toBe(404);
  });

  test("resends one delivery, or those of a period, with their old ids", async () => {
    const { db } = service.runtime;
    const [delivery] = await listDeliveries({ db }, { partnerId: "shop", limit: 1 });
    const before = (await readInbox(ada, "shop")).length;
    const one = await send(`/deliveries/${delivery?.id}/resend`);
    expect(one.headers.get("location")).toBe(`/operator/deliveries/${delivery?.id}?done=deliveries.resend&count=1`);
    await awaitAttempts(ada, "shop", before + 1);
    const minute = (offset: number) =>
      new Date((delivery?.createdAt.getTime() ?? 0) + offset).toISOString().slice(0, 16);
    const span = { partner: "shop", from: minute(-60_000), until: minute(60_000), all: "yes" };
    const counted = await read(`/deliveries/resend?${new URLSearchParams(span).toString()}`);
    const [, announced = ""] = /Would be sent again: (\d+)/.exec(counted) ?? [];
    expect(counted).toContain(`<button>Resend ${announced}</button>`);
    expect((await readInbox(ada, "shop")).length).toBe(before + 1);
    expect((await send("/deliveries/resend-span", span)).status).toBe(422);
    const spanned = await send("/deliveries/resend-span", { ...span, reason: "The endpoint lost them" });
    expect(spanned.headers.get("location")).toEndWith(`&count=${announced}`);
    expect(spanned.headers.get("location")).toMatch(/^\/operator\/deliveries\?done=deliveries.resend-span&count=[1-9]/);
    const attempts = await awaitAttempts(ada, "shop", before + 2);
    expect(new Set(attempts.slice(before).map(({ headers }) => headers["webhook-id"]))).toContain(delivery?.id);
    for (const from of ["yesterday", "0000-01-01T00:00"]) {
      const nonsense = { ...span, reason: "x", from };
      expect((await send("/deliveries/resend-span", nonsense)).status).toBe(422);
      expect(await read(`/deliveries/resend?${new URLSearchParams(nonsense).toString()}`)).toContain("needs a start");
    }
    expect((await send("/deliveries/none/resend")).status).toBe(404);
  });

  test("finds users by each of their identifiers, and shows an empty result", async () => {
    const email = `${ada.account.address.slice(2, 14).toLowerCase()}@example.org`;
    for (const user of [email, ada.userId ?? "", ada.account.address])
      expect((await send("/users/find", { user })).headers.get("location")).toBe(`/operator/users/${ada.userId}`);
    expect((await send("/users/find", { user: "no such person" })).status).toBe(404);
  });
});

describe("the pages", () => {
  test("all exist, with data and with an empty database, and forbid caching, framing and other scripts", async () => {
    const jobId = await giveUpJob("page");
    const [delivery] = await listDeliveries(service.runtime, { partnerId: "shop", limit: 1 });
    const details = [`/users/${ada.userId}`, `/delays/${operationId}`, `/jobs/${jobId}`, `/deliveries/${delivery?.id}`];
    for (const path of [...rooms, ...details]) {
      const response = await show(path);
      expect([path, response.status]).toEqual([path, 200]);
      expect(response.headers.get("cache-control")).toBe("no-store");
      const policy = response.headers.get("content-security-policy") ?? "";
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      const text = await response.text();
      const scripts = [...text.matchAll(/<script>(.*?)<\/script>/gs)].map(([, script = ""]) => script);
      expect(scripts).toHaveLength(1);
      const hash = new Bun.CryptoHasher("sha256").update(scripts[0] ?? "").digest("base64");
      expect(policy).toContain(`script-src 'sha256-${hash}'; `);
      expect(policy).toContain("connect-src 'self'");
      expect(text).not.toContain(hostile);
      expect([...text.matchAll(/(?:src|href|action)="(https?:|\/\/)/g)]).toEqual([]);
    }
    const escaped = "&lt;img src=x onerror=&quot;alert(1)&quot;&gt;";
    expect(await read("/deliveries")).toContain(escaped);
    expect(await read(`/jobs/${jobId}`)).toContain(escaped);
    for (const path of ["/users/none", "/delays/none", "/jobs/none", "/deliveries/none"])
      expect((await show(path)).status).toBe(404);
    await send("/jobs/retry-failed");

    const empty = await createTestDatabase();
    const runtime = await createRuntime(readSettings({ ...service.env, DATABASE_URL: empty.url }), "server");
    const server = createServer(runtime);
    const ofEmpty = await signInWithKey(service.url, { send: server.handle });
    for (const path of rooms) {
      const request = new Request(`${service.url}/operator${path}`, { headers: { Cookie: ofEmpty } });
      expect([path, (await server.handle(request)).status]).toEqual([path, 200]);
    }
    await runtime.close();
    await empty.drop();
  });

  test("the overview draws a day of decisions, attempts and relayers, each with its numbers as a table and as CSV", async () => {
    for (const [reason, seconds] of [
      ["approved", 0.012],
      ["insufficient_funds", 0.031],
    ] as const)
      service.runtime.decisions.record(reason, seconds);
    await recordDecisions(service.runtime);
    const page = await read("");
    expect(page).toContain("1 approved, 1 declined (50.0%) within 24 hours.");
    expect(page).toContain("99 of 100 decisions took up to 40 ms.");
    expect(page).toContain("is below the amount.");
    expect(page).toMatch(/\d+ succeeded, 0 failed/);
    const names = [...page.matchAll(/format=csv&amp;table=([\w-]+)/g)].map(([, name = ""]) => name);
    expect(names).toContain("decision-times");
    for (const name of filled(names))
      expect([name, (await show(`?format=csv&table=${name}`)).status]).toEqual([name, 200]);
    const csv = await read("?format=csv&table=decisions");
    expect(csv.trim().split("\r\n")).toHaveLength(25);
    expect(csv).toMatch(/^Time,approved,declined\r\n/);
    expect(csv).toContain(",1,1\r\n");
  });

  test("the overview counts what its links list", async () => {
    const page = await read("");
    const figures = [...page.matchAll(/<a href="\/operator\/([\w-]+)\?([^"]+)"/g)];
    expect(figures.length).toBeGreaterThan(3);
    // The API refuses a filter or a word that a list does not have, which a page leaves out.
    const headers = { Authorization: `Bearer ${key}` };
    for (const [, noun = "", query = ""] of filled(figures)) {
      const of = `/operator/api/${noun}?${query.replaceAll("&amp;", "&")}`;
      expect([of, (await fetch(service.url + of, { headers })).status]).toEqual([of, 200]);
    }
    const [, open] = /Open delayed operations<[^0-9]*?(\d+)/.exec(page.replaceAll(/href="[^"]*"/g, "")) ?? [];
    const listed = await fetch(`${service.url}/operator/api/delays?open=yes`, { headers });
    expect((await listed.json()).rows).toHaveLength(Number(open));
  });

  test("a page with a back-test is not read again by itself: each reading plays it", async () => {
    const definition = JSON.stringify({ conditions: [{ type: "amount", operator: "above", cents: 0 }] });
    const made = await send("/rules/create", { scope: "programme", name: "Back", definition, reason: "Try" });
    const page = made.headers.get("location")?.replace("/operator", "").replace(/\?.*/, "") ?? "";
    expect(await read(page)).toMatch(/<main[^>]*data-live/);
    const tried = await read(`${page}?version=1`);
    expect(tried).toContain("would have declined");
    expect(tried).not.toMatch(/<main[^>]*data-live/);
  });

  test("show a partner, and change it behind confirmations; a new key is on one answer alone", async () => {
    expect(await read("/partners")).toContain('href="/operator/partners/shop"');
    const shop = await registerPartner(ada, "keys");
    const pull = (apiKey: string) =>
      fetch(`${service.url}/api/v1/partners/events`, { headers: { Authorization: `Bearer ${apiKey}` } });
    expect(await read("/partners/keys")).toContain("not known");
    expect((await pull(shop.apiKey)).status).toBe(200);
    await recordPartnerKeys(service.runtime);
    const used = await read("/partners/keys");
    expect(used).toMatch(/0 s ago|1 s ago/);
    expect(used).not.toContain(shop.webhookSecret);

    const rotation = { api: "yes", overlapHours: "0" };
    expect((await send("/partners/keys/rotate", rotation)).status).toBe(422);
    const rotated = await send("/partners/keys/rotate", { ...rotation, reason: "It was in a log" });
    const answer = await rotated.text();
    expect(rotated.headers.get("cache-control")).toBe("no-store");
    expect(answer).not.toMatch(/<main[^>]*data-live/);
    const [apiKey = ""] = /ckp_[\w-]+/.exec(answer) ?? [];
    expect(await read("/partners/keys")).not.toContain(apiKey);
    expect([(await pull(shop.apiKey)).status, (await pull(apiKey)).status]).toEqual([401, 200]);
    expect((await send("/partners/keys/rotate", { ...rotation, overlapHours: "-1", reason: "x" })).status).toBe(422);

    await send("/partners/keys/disable", { reason: "It does not pay" });
    expect((await pull(apiKey)).status).toBe(401);
    expect(await read("/partners/keys")).toContain("Enable this partner");
    await send("/partners/keys/enable", { reason: "It paid" });
    expect((await pull(apiKey)).status).toBe(200);
    expect((await send("/partners/keys/change", { payload: "thin", reason: "It asked" })).status).toBe(303);
    expect(await read("/partners/keys")).toMatch(/<dt>Payload<\/dt>\s*<dd>thin<\/dd>/);
    expect((await send("/partners/keys/change", { webhookUrl: "http://10.0.0.1/", reason: "x" })).status).toBe(422);
    expect((await show("/partners/none")).status).toBe(404);
    expect((await send("/partners/none/disable", { reason: "x" })).status).toBe(404);
  });

  test("change of a partner what its form was changed in: neither a disabled endpoint nor a newer address", async () => {
    await registerPartner(ada, "form");
    const { db } = service.runtime;
    const find = () => findPartner(db, "form");
    const webhookUrl = (await find())?.webhookUrl;
    await updatePartner(db, "form", { webhookStatus: "DISABLED", webhookReason: "gone" });
    const action = "/partners/form/change";
    const open = async () => readForm(await show("/partners/form"), `/operator${action}`);
    const form = await open();
    expect(form).toMatchObject({ webhookUrl, payload: "full", events: "published" });
    const change = (fields: Record<string, string>) => send(action, { ...fields, reason: "It asked" });
    // The address in the sandbox is none that a form may give.
    expect((await change({ ...form, email: "ops@example.org" })).status).toBe(303);
    expect(await find()).toMatchObject({ webhookStatus: "DISABLED", webhookUrl, contact: "ops@example.org" });
    // A program gives it again.
    expect((await change({ webhookUrl: webhookUrl ?? "", payload: "thin" })).status).toBe(303);
    expect(await find()).toMatchObject({ webhookStatus: "DISABLED", webhookUrl, payload: "thin" });
    const older = await open();
    const moved = "http://localhost:47123/moved";
    expect((await change({ webhookUrl: moved })).status).toBe(303);
    expect((await change({ ...older, events: "all" })).status).toBe(303);
    expect(await find()).toMatchObject({ webhookStatus: "ACTIVE", webhookUrl: moved, hasAllEvents: true });
  });

  test("carry out each form once: sent again, it says so, shows no key and acts no second time", async () => {
    const open = async (path: string, action: string) => readForm(await show(path), `/operator${action}`);
    const form = await open("/partners", "/partners/create");
    expect((await open("/partners", "/partners/create"))["formKey"]).not.toBe(form["formKey"]);
    // What was refused was not carried out.
    expect((await send("/partners/create", { ...form, name: "" })).status).toBe(422);
    const once = { ...form, id: "once", name: "Once", reason: "New" };
    const answers = await Promise.all([send("/partners/create", once), send("/partners/create", once)]);
    const pages = await Promise.all(answers.map(async (answer) => [answer.status, await answer.text()] as const));
    const [made, again] = pages.sort(([one], [other]) => one - other);
    expect([made?.[0], again?.[0]]).toEqual([200, 409]);
    expect(made?.[1]).toContain("ckp_");
    expect(again?.[1]).toContain("is carried out once");
    expect(again?.[1]).not.toContain("ckp_");

    const rotation = { ...(await open("/partners/once", "/partners/once/rotate")), api: "yes", reason: "Lost" };
    const countKeys = async () => (await read("/partners/once")).match(/API key/g)?.length;
    expect((await send("/partners/once/rotate", rotation)).status).toBe(200);
    const keys = await countKeys();
    const repeated = await send("/partners/once/rotate", rotation);
    expect([repeated.status, /ckp_/.test(await repeated.text()), await countKeys()]).toEqual([409, false, keys]);
    // The page has a new form.
    const next = { ...(await open("/partners/once", "/partners/once/rotate")), api: "yes", reason: "Lost" };
    expect((await send("/partners/once/rotate", next)).status).toBe(200);
  });

  test("drain a relayer and take it back behind a confirmation, never the last one", async () => {
    const [first = "", ...others] = service.runtime.services.policy.relayerAddresses;
    const drained = await send(`/relayers/${first}/drain`, { reason: "Its signer moves" });
    expect(drained.status).toBe(others.length > 0 ? 303 : 422);
    expect((await send(`/relayers/${first}/undrain`, { reason: "It is back" })).status).toBe(303);
    expect((await send("/relayers/0x12/drain", { reason: "x" })).status).toBe(404);
    expect(await read("/relayers")).toContain("Gap");
  });

  test("show every chore with the worker that did it", async () => {
    await until(async () => (await listChores(service.runtime)).length === watchedNames.length);
    const page = await read("/chores");
    for (const name of filled(watchedNames)) expect(page).toContain(`<code>${name}</code>`);
    expect(page).toMatch(/data-label="Worker"><div><code>[0-9a-f]{8}<\/code>/);
    expect(page).not.toContain(">fault<");
  });

  test("show what a delivery carries to support, and to nobody who only views", async () => {
    const [delivery] = await listDeliveries(service.runtime, { partnerId: "shop", limit: 1 });
    const showAs = async (role: OperatorRole) => {
      const { services, log } = service.runtime;
      const actor = { ...sandboxOperator, roles: [role] };
      const ctx = createOperatorContext(services, { log, requestId: "test", actor, reason: null });
      const visit = { ctx, path: "", query: new URLSearchParams(), params: { id: delivery?.id ?? "" } };
      return (await showDelivery(visit)).body.html;
    };
    const attempts = await readInbox(ada, "shop");
    const sent = attempts.find(({ headers }) => headers["webhook-id"] === delivery?.id);
    const shown = /<pre tabindex="0">([^<]*)<\/pre>/.exec(await showAs("support"))?.[1]?.replaceAll("&quot;", '"');
    expect(JSON.parse(shown ?? "")).toEqual(JSON.parse(String(sent?.body)));
    const viewed = await showAs("viewer");
    expect(viewed).not.toContain("<pre");
    expect(viewed).not.toContain("<form");
    expect(viewed).toContain("The roles support and compliance see it.");
  });

  test("find nothing for impossible queries", async () => {
    for (const text of ["\0", "\ufffd", "9".repeat(40), "-1", "'"]) {
      const id = encodeURIComponent(text);
      for (const path of [`/users/${id}`, `/delays/${id}`, `/jobs/${id}`, `/deliveries/${id}`])
        expect([path, (await show(path)).status]).toEqual([path, 404]);
      for (const path of ["/users?", `/delays?user=${id}&`, "/jobs?", `/deliveries?partner=${id}&`])
        expect([path, (await show(`${path}after=${id}`)).status]).toEqual([path, 200]);
      const span = { partner: text, from: "2026-01-01T00:00", until: "2026-01-02T00:00", reason: "x" };
      const sent = [
        send(`/jobs/${id}/retry`),
        send(`/deliveries/${id}/resend`),
        send("/deliveries/resend-span", span),
        send("/users/find", { user: text }),
      ];
      expect((await Promise.all(sent)).map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    }
  });

  test("name the cause while database and node are away, to operators who were there lately alone", async () => {
    const proxy = await startPrimaryProxy();
    const database = new URL(service.env["DATABASE_URL"] ?? "");
    proxy.switchTo(Number(database.port));
    database.hostname = "127.0.0.1";
    database.port = String(proxy.port);
    const away = { DATABASE_URL: database.href, DATABASE_SESSION_URL: database.href, RPC_URL: "http://127.0.0.1:1" };
    const runtime = await createRuntime(readSettings({ ...service.env, ...away }), "server");
    const server = createServer(runtime);
    const ask = async (path: string, of = cookie) => {
      const response = await server.handle(new Request(`${service.url}/operator${path}`, { headers: { Cookie: of } }));
      return [response.status, await response.text()] as const;
    };
    expect(await ask("")).toEqual([200, expect.stringContaining("does not answer")]);
    const other = await signInWithKey(service.url);
    proxy.switchTo(null);
    expect(await ask("")).toEqual([200, expect.stringContaining("does not answer")]);
    expect((await ask("/users"))[0]).toBe(503);
    expect(await ask("", other)).toEqual([503, expect.stringContaining("cannot read who is signed in")]);
    await runtime.close();
    await proxy.stop();
  });

  test("show an operation's whole timeline, and a person with Safe and operations", async () => {
    await until(async () => (await read(`/delays/${operationId}`)).includes("<strong>queued</strong>"));
    const operation = await read(`/delays/${operationId}`);
    expect(operation).toContain("Queue of the Safe");
    expect(operation).toMatch(/1 open\. This one: cools down for \d/);
    const person = await read(`/users/${ada.userId}`);
    expect(person).toContain(ada.account.address);
    expect(person).toContain(`/operator/delays/${operationId}"`);
  });

  test("page a long list, each row once", async () => {
    await publishEvents(service.runtime, ada.userId, 60);
    await until(async () => (await listDeliveries(service.runtime, { partnerId: "shop", limit: 100 })).length > 60);
    const seen: string[] = [];
    const csvLinks: string[] = [];
    for (let path: string | undefined = "/deliveries?partner=shop"; path !== undefined;) {
      const page = await read(path);
      seen.push(...[...page.matchAll(/href="\/operator\/deliveries\/(msg_[^"]+)"/g)].map((match) => match[1] ?? ""));
      csvLinks.push(...(/href="\/operator([^"]*format=csv&amp;table=deliveries)"/.exec(page)?.slice(1) ?? []));
      path = /href="\/operator([^"]*after=[^"]*)">Further/.exec(page)?.[1]?.replaceAll("&amp;", "&");
    }
    const all = (await listDeliveries(service.runtime, { partnerId: "shop", limit: 100 })).map(({ id }) => id);
    expect(seen).toEqual(all);
    expect(new Set(csvLinks).size).toBe(1);
    const link = csvLinks[0]?.replaceAll("&amp;", "&") ?? "";
    const csv = await show(link);
    expect(csv.headers.get("content-disposition")).toMatch(
      /^attachment; filename="cardkeep-deliveries-\d{4}-\d\d-\d\d\.csv"$/,
    );
    const [header, ...records] = (await csv.text()).trim().split("\r\n");
    expect(header).toStartWith("Delivery,Partner,Event");
    expect(records.map((record) => record.split(",", 1)[0] ?? "")).toEqual(all);
    expect((await show("/deliveries?format=csv&table=none")).status).toBe(404);
    expect((await show("/deliveries?format=csv", "")).status).toBe(401);
    const exports = async () =>
      (await listActions(service.runtime, { limit: 500 })).filter(({ verb }) => verb === "lists.export").length;
    const before = await exports();
    const ask = (headers: Record<string, string>) =>
      fetch(`${service.url}/operator${link}`, { headers: { Cookie: cookie, ...headers } });
    for (const site of ["cross-site", "same-site"]) expect((await ask({ "Sec-Fetch-Site": site })).status).toBe(403);
    expect(await exports()).toBe(before);
    for (const site of ["same-origin", "none"]) expect((await ask({ "Sec-Fetch-Site": site })).status).toBe(200);
  });
});

test.skipIf(!hasBrowser)("a browser signs in, opens every page, retries a job and resends a delivery", async () => {
  await giveUpJob("clicked");
  const browser = await startBrowser();
  const { click } = browser;
  const reaches = (text: string) => browser.waitFor(`document.body?.innerText.includes(${JSON.stringify(text)})`);
  try {
    await browser.open(`${service.url}/operator`);
    await reaches("Use the shared key");
    await click("summary");
    await reaches("Operator key");
    await browser.run(`document.querySelector("#key").value = ${JSON.stringify(key)}`);
    await click("form button");
    await reaches("Who waits");
    for (const [path, room] of [
      ["users", "Users"],
      ["delays", "Delayed operations"],
      ["relayers", "Relayers"],
      ["jobs", "Jobs"],
    ]) {
      await click(`nav a[href="/operator/${path}"]`);
      await browser.waitFor(`document.querySelector("h1")?.innerText === "${room}"`);
    }
    await click(`.tabs a[href$="state=failed"]`);
    // The page before says the same.
    await browser.waitFor(`location.search === "?state=failed" && document.querySelector("main form button") !== null`);
    await browser.run(`globalThis.isSamePage = true; document.querySelector(".tabs a[href$=waiting]").focus()`);
    await giveUpJob("since");
    const readAgain = async () => {
      await click(".live button");
      await click(".live button");
    };
    await browser.run(`document.querySelector("main details").open = true`);
    await readAgain();
    await reaches("Waits while a panel is open.");
    await browser.run(`document.querySelector("main details").open = false`);
    await readAgain();
    await reaches("since");
    expect(await browser.run(`isSamePage && document.activeElement.href.endsWith("waiting")`)).toBe(true);
    await click("main form button");
    await reaches("2 jobs will run again.");
    await click(`nav a[href="/operator/deliveries"]`);
    await reaches("Resend deliveries of a period");
    await click(`table a[href^="/operator/deliveries/"]`);
    await reaches("Attempts");
    const before = (await readInbox(ada, "shop")).length;
    await click("main form button");
    await reaches("1 delivery is to be sent again.");
    await awaitAttempts(ada, "shop", before + 1);
    // The page reads itself again until the attempt is recorded.
    await reaches("It was sent again: attempt");
    await click("header .sign-out button");
    await reaches("Use the shared key");
  } finally {
    await browser.close();
  }
});
