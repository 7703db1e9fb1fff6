import { formatOffset } from "@cardkeep/contract/core/durations";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createSumsub } from "@cardkeep/providers/kyc/sumsub";
import { ProviderRefused } from "@cardkeep/providers/http";
import { createTwilio } from "@cardkeep/providers/sms/twilio";
import { changePartner } from "@cardkeep/domain/partners/partners/changePartner";
import { getPartner } from "@cardkeep/domain/partners/partners/getPartner";
import { createRuntime } from "@cardkeep/runtime/compose";
import { readSettings } from "@cardkeep/runtime/settings";
import { createSandbox } from "@cardkeep/sandbox/app";
import { openStore } from "@cardkeep/sandbox/core/openStore";
import { operatorOf } from "@cardkeep/sandbox/operator";
import { generatePerson } from "@cardkeep/sandbox/profiles/generatePerson";
import { seed } from "@cardkeep/sandbox/seed";
import { sql } from "drizzle-orm";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { filled } from "../support/filled.ts";
import { Person } from "../support/person.ts";
import { findFreePorts } from "../support/ports.ts";
import { type Service, startService } from "../support/service.ts";

let service: Service;
let anyone: Person;
/** The chain's time is that of its newest block, which may be as old as the service; blocks at once are a second apart. */
const startedAtMs = Date.now();
const slackMs = 60_000;
beforeAll(async () => {
  service = await startService({ worker: false });
  anyone = new Person(service);
});
afterAll(() => service.stop());

const address = "0x000000000000000000000000000000000000bEEF";
const usdce = "0x2a22f9c3b484c3629090FeED35F17Ff8F88f76F0";

const newPerson = async () => (await new Person(service).signIn()).signUp();

/** Routes that people and tests outside may count on. */
const promisedRoutes = [
  "GET /mailbox",
  "GET /phones",
  "GET /chain",
  "POST /chain/advance",
  "POST /chain/faucet",
  "POST /kyc/{userId}/review",
  "GET /kyc/flow/{userId}",
  "POST /emoney/incoming",
  "POST /emoney/profiles",
  "GET /emoney/oauth/authorize",
  "GET /issuer/cards/{cardToken}",
  ...["authorizations", "clearings"].map((use) => `POST /issuer/cards/{cardToken}/${use}`),
  ...["clear", "reverse", "refund", "take-back", "return-capture", "close"].map(
    (step) => `POST /issuer/authorizations/{threadId}/${step}`,
  ),
  "GET /issuer/balance",
  "PUT /issuer/balance",
  "POST /partners",
  "POST /coupons",
  "POST /inbox/{name}",
  "GET /inbox/{name}",
  "POST /inbox/{name}/behaviour",
  "GET /faults",
  "PUT /faults/{name}",
  "DELETE /faults/{name}",
  "DELETE /faults",
  "POST /ens/names",
  "POST /people",
  "GET /elements/token",
];

describe("the sandbox", () => {
  test("describes the chain", async () => {
    const { status, body } = await anyone.sandbox("GET", "/chain");
    expect(status).toBe(200);
    expect(body).toMatchObject({
      chainId: 100,
      rpcUrl: service.rpcUrl,
      tokens: { EURe: expect.any(String), GBPe: expect.any(String), USDCe: usdce },
    });
    expect(body.relayers).toHaveLength(2);
    expect(body.timestamp * 1000).toBeWithin(startedAtMs - slackMs, Date.now() + slackMs);
  });

  test("advances chain and service together, in parallel too, and never back", async () => {
    const before = (await anyone.sandbox("GET", "/chain")).body.timestamp;
    const answers = await Promise.all(
      [100, 200, 300].map((seconds) => anyone.sandbox("POST", "/chain/advance", { seconds })),
    );
    const latest = Math.max(...answers.map((answer) => answer.body.timestamp));
    expect(latest).toBeWithin(before + 590, (Date.now() + slackMs) / 1000 + 600);
    expect((await anyone.sandbox("GET", "/chain")).body.timestamp).toBeGreaterThanOrEqual(before + 590);
  });

  test("shows on every desk how far the clock is ahead and the chain's time, with buttons that advance both", async () => {
    const readLine = async (desk: string) => {
      const html = await (await fetch(`${service.sandboxUrl}/?desk=${desk}`)).text();
      return /<section id="clock"[^]*?<\/section>/.exec(html)?.[0] ?? "";
    };
    const html = await (await fetch(service.sandboxUrl)).text();
    const desks = new Set([...html.matchAll(/desk=([a-z]+)/g)].map(([, desk = ""]) => desk));
    expect(desks.size).toBeGreaterThan(10);
    for (const desk of desks)
      expect(await readLine(desk)).toMatch(/sandbox <strong>\+[^]*block \d+[^]*\/chain\/advance/);
    const { clock, db } = service.runtime;
    const before = (await clock.now(db)).getTime();
    await anyone.sandbox("POST", "/chain/advance", { seconds: 7_445 });
    const line = await readLine("bank");
    expect(line).toContain(`<strong>${formatOffset(await clock.getOffsetSeconds(db))}</strong>`);
    const [, chainTime = ""] = /chain <strong><time datetime="([^"]+)"/.exec(line) ?? [];
    const aheadMs = 7_445_000;
    expect(Date.parse(chainTime)).toBeWithin(before + aheadMs - slackMs, (await clock.now(db)).getTime() + slackMs);
    const settings = { ...service.runtime.settings, localChain: false };
    const foreign = createSandbox({ ...service.runtime, settings });
    const page = await (await foreign.fetch(new Request("http://localhost/?desk=bank"))).text();
    expect(page).toContain("The sandbox cannot move the time of an external chain.");
    expect(page).not.toContain('data-path="/chain/advance"');
  });

  test("shows a simulated run step by step: what happened in words, and where each message went", async () => {
    const home = await mkdtemp(join(tmpdir(), "simulated-"));
    const messages = [
      { step: 1, actor: "person-1", kind: "request", text: "POST /api/v1/cards", said: '"arrives at server-2.7"' },
      { step: 2, actor: "server-2.7 POST /api/v1/cards #1", kind: "sql", text: "begin", said: null },
      { step: 3, actor: "person-1", kind: "answer", text: "POST /api/v1/cards from server-2.7", said: "200" },
    ];
    const told = { step: 2, actor: "world", tale: "server-2.7 dies <now>" };
    const lines = [messages[0], messages[1], told, messages[2], { digest: "ab", broken: ["holds: too much"] }];
    const text = lines.map((line) => JSON.stringify(line)).join("\n");
    await Bun.write(join(home, "simulations", "42.run.jsonl"), `${text}\n{"step": 4, "act`);
    const desk = createSandbox({ ...service.runtime, settings: { ...service.runtime.settings, home } });
    const read = async (query: string) =>
      (await desk.fetch(new Request(`http://localhost/?desk=simulation${query}`))).text();
    const page = await read("&run=42&step=2");
    expect(page).toContain("Seed 42, step 2 of 3");
    expect(page).toContain("server-2.7 dies &lt;now&gt;");
    expect(page).toContain("holds: too much");
    for (const lane of ["people", "server-2", "Postgres"]) expect(page).toContain(`>${lane}</text>`);
    expect(page).toContain("Nothing has come back yet.");
    expect(await read("&run=42&step=99999")).toContain("step 3 of 3");
    expect(await read("&run=../../42")).toContain("No run is here yet.");
    await rm(home, { recursive: true });
  });

  test("mints native coins and tokens, and refuses invalid amounts", async () => {
    for (const token of ["native", "EURe", "GBPe", "USDCe"]) {
      const { status, body } = await anyone.sandbox("POST", "/chain/faucet", { address, token, amount: "5" });
      expect([status, body.transactionHash]).toEqual([200, expect.stringMatching(/^0x[0-9a-f]{64}$/)]);
    }
    expect(await service.runtime.chain.getTokenBalance(usdce, address)).toBe(5n);
    for (const amount of ["0", "-1", "1.5", "", 5, (2n ** 128n).toString()]) {
      expect((await anyone.sandbox("POST", "/chain/faucet", { address, token: "EURe", amount })).status).toBe(422);
    }
    expect(
      (await anyone.sandbox("POST", "/chain/faucet", { address: "0x12", token: "EURe", amount: "1" })).status,
    ).toBe(422);
    expect((await anyone.sandbox("POST", "/chain/faucet", { address, token: "DOGE", amount: "1" })).status).toBe(422);
  });

  test("registers an ENS name, which a card order then accepts, and shows it at the desk", async () => {
    const person = await newPerson();
    const wallet = person.account.address;
    expect((await anyone.sandbox("POST", "/ens/names", { name: "Ada.eth", address: wallet })).body).toEqual({
      name: "ada.eth",
      address: wallet,
      owner: wallet,
      transactionHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    });
    const given = { name: "ada.eth", address, owner: wallet };
    expect((await anyone.sandbox("POST", "/ens/names", given)).body).toMatchObject(given);
    await anyone.sandbox("POST", "/ens/names", { name: "cards.ada.eth", address: wallet });
    await anyone.sandbox("POST", `/kyc/${person.userId}/review`, { outcome: "approved" });
    const order = (ENSName: string) => person.call("POST", "/order/create", { personalizationSource: "ENS", ENSName });
    expect((await order("ada.eth")).status).toBe(422);
    expect(await order("cards.ada.eth")).toMatchObject({ status: 200, body: { embossedName: "cards.ada.eth" } });
    const desk = await (await fetch(`${service.sandboxUrl}/?desk=names`)).text();
    expect(desk).toContain('id="name-cards.ada.eth"');
    expect(desk.match(/id="name-ada.eth"/g)).toHaveLength(1);
    for (const name of ["", "a da.eth", "a_.eth", "a.".repeat(11) + "eth"]) {
      expect((await anyone.sandbox("POST", "/ens/names", { name, address: wallet })).status).toBe(422);
    }
    const { settings } = service.runtime;
    const elsewhere = createSandbox({ ...service.runtime, settings: { ...settings, localChain: false } });
    const body = JSON.stringify({ name: "ada.eth", address: wallet });
    const request = new Request(`${service.sandboxUrl}/ens/names`, { method: "POST", body });
    expect((await elsewhere.fetch(request)).status).toBe(409);
  });

  test("refuses bad input in one line, without a failure", async () => {
    for (const seconds of [0, -5, 1.5, "soon", "60", true, [5], null, 31_536_001, 1e12])
      expect((await anyone.sandbox("POST", "/chain/advance", { seconds })).status).toBe(422);
    const worded: [object, string][] = [
      [{}, "seconds is missing"],
      [{ seconds: "60" }, "seconds is invalid"],
      [{ seconds: 0 }, "seconds: must be at least 1"],
    ];
    for (const [input, error] of filled(worded))
      expect((await anyone.sandbox("POST", "/chain/advance", input)).body).toEqual({ error });
    const malformed = await fetch(`${service.sandboxUrl}/chain/advance`, { method: "POST", body: "{" });
    expect([malformed.status, await malformed.json()]).toEqual([422, { error: "Invalid JSON" }]);
    expect((await anyone.sandbox("POST", "/kyc/nobody/review", { outcome: "approved" })).status).toBe(404);
    expect((await anyone.sandbox("GET", "/nowhere")).status).toBe(404);
    const odd = [
      "/kyc/%E0%A4/review",
      "/kyc/%00/review",
      "/resources/applicants/-;externalUserId=%/one",
      "/kyc/flow/x",
    ];
    for (const path of filled(odd)) {
      const { status, body } = await anyone.sandbox("POST", path, { outcome: "approved" });
      expect([401, 404, 422]).toContain(status);
      expect(body).toEqual({ error: expect.any(String) });
    }
  });

  test("rejects other sites: requests from their pages, and their names for this machine", async () => {
    const send = (headers: Record<string, string>) => fetch(`${service.sandboxUrl}/mailbox`, { headers });
    for (const headers of [
      { Host: "evil.example" },
      { Host: "127.0.0.1.nip.io" },
      { Host: "localhost.evil.example:3001" },
    ])
      expect((await send(headers)).status).toBe(403);
    for (const origin of ["https://evil.example", "http://localhost.evil.example", "null", "file://"])
      expect((await send({ Origin: origin })).status).toBe(403);
    for (const host of ["localhost", "[::1]:1", "127.0.0.1"]) expect((await send({ Host: host })).status).toBe(200);
    expect((await send({ Origin: "http://localhost:5173" })).status).toBe(200);
  });

  test("lets the pages of this machine make a person and read why they cannot, and those of no other machine", async () => {
    const url = `${service.sandboxUrl}/people`;
    const origin = "http://localhost:3000";
    const asked = await fetch(url, { method: "OPTIONS", headers: { Origin: origin } });
    expect(asked.headers.get("access-control-allow-headers")).toBe("Content-Type");
    const send = (Origin: string) => fetch(url, { method: "POST", headers: { Origin }, body: '{"balance":"many"}' });
    const own = await send(origin);
    expect([own.status, own.headers.get("access-control-allow-origin")]).toEqual([422, origin]);
    const foreign = await send("https://evil.example");
    expect([foreign.status, foreign.headers.get("access-control-allow-origin")]).toEqual([403, null]);
  });

  test("its hosted pages run only their own code, and the identity provider's is framed by apps alone", async () => {
    await anyone.sandbox("POST", "/partners", { name: "Framing", domains: ["frames.example.org", "frames.test:8443"] });
    const ada = await (await new Person(service).signIn()).signUp();
    const flow = await fetch(`${service.sandboxUrl}/kyc/flow/${ada.userId}`);
    const policy = flow.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("form-action 'self'");
    const ancestors = /frame-ancestors ([^;]+)/.exec(policy)?.[1]?.split(" ");
    expect(ancestors).toEqual(
      expect.arrayContaining([
        "http://localhost:*",
        "http://127.0.0.1:*",
        "https://localhost:*",
        "https://frames.example.org",
        "https://frames.test:8443",
      ]),
    );
    for (const ancestor of filled(ancestors ?? [])) expect(ancestor).toMatch(/^https?:\/\/[a-z0-9]/);
    expect(policy).not.toContain("script-src");
    for (const path of ["/", "/emoney/oauth/authorize", "/kyc/flow/nobody"]) {
      const { headers } = await fetch(`${service.sandboxUrl}${path}`, { headers: { Accept: "text/html" } });
      expect([path, headers.get("content-security-policy")]).toEqual([
        path,
        expect.stringContaining("frame-ancestors 'none'"),
      ]);
    }
    // The form must send its origin, or it would be rejected like another site's.
    expect(flow.headers.get("referrer-policy")).toBe("same-origin");
  });

  test("mints twenty in parallel, each in its own transaction, and names the reason of a refusal", async () => {
    const give = (token: string, amount: string) => anyone.sandbox("POST", "/chain/faucet", { address, token, amount });
    const gifts = await Promise.all(Array.from({ length: 20 }, () => give("GBPe", "7")));
    expect(new Set(gifts.map(({ body }) => body.transactionHash)).size).toBe(20);
    expect(await give("native", (2n ** 127n).toString())).toMatchObject({
      status: 422,
      body: { error: expect.stringContaining("The node rejected the transaction") },
    });
  });

  test("an advance brings waiting jobs nearer, and leaves running ones", async () => {
    const { db } = service.runtime;
    const runAtOf = async (key: string): Promise<number> => {
      const [job] = await db.execute(sql`select run_at from graphile_worker._private_jobs where key = ${key}`);
      return new Date(String(job?.["run_at"])).getTime();
    };
    for (const key of ["waiting", "running"]) {
      await db.execute(
        sql`select graphile_worker.add_job('none', run_at => now() + interval '1 hour', job_key => ${key})`,
      );
    }
    await db.execute(
      sql`update graphile_worker._private_jobs set locked_at = now(), locked_by = 'a test' where key = 'running'`,
    );
    const [waiting, running] = [await runAtOf("waiting"), await runAtOf("running")];
    await anyone.sandbox("POST", "/chain/advance", { seconds: 1000 });
    expect([waiting - (await runAtOf("waiting")), running - (await runAtOf("running"))]).toEqual([1_000_000, 0]);
  });

  test("separates mails by receiver, newest first, for any encoding of a plus sign", async () => {
    const to = "a+b@example.org";
    for (const subject of ["one", "two"]) {
      await anyone.sandbox("POST", "/mailbox", { to, subject, text: "…", code: "123456" });
    }
    for (const query of [to, encodeURIComponent(to)]) {
      const { body } = await anyone.sandbox("GET", `/mailbox?to=${query}`);
      expect(body).toEqual([
        { to, subject: "two", text: "…", code: "123456", sentAt: expect.any(String) },
        { to, subject: "one", text: "…", code: "123456", sentAt: expect.any(String) },
      ]);
    }
    expect((await anyone.sandbox("GET", "/mailbox?to=nobody@example.org")).body).toEqual([]);
    expect((await anyone.sandbox("GET", "/phones?to=+491701234567")).body).toEqual([]);
  });

  test("registers partners whose domains work at once, and coupons", async () => {
    const partner = await anyone.sandbox("POST", "/partners", { name: "App", domains: ["App.Example.org"] });
    expect(partner.body).toMatchObject({ id: expect.any(String), domains: ["app.example.org"] });
    const signed = await anyone.signMessage({ domain: "app.example.org", uri: "https://app.example.org" });
    expect((await anyone.call("POST", "/auth/challenge", signed)).status).toBe(200);
    const near = await anyone.signMessage({ domain: "app.example.org:444", uri: "https://app.example.org:444" });
    expect((await anyone.call("POST", "/auth/challenge", near)).status).toBe(401);
    const twice = await anyone.sandbox("POST", "/partners", { name: "Twice", domains: ["b.test:80", "B.test:80"] });
    expect(twice.body.domains).toEqual(["b.test:80"]);
    const bad = ["https://app.test", "app.test/path", "a b", "", "app.test:0", "app.test:65536", "app.example.org"];
    for (const domains of bad.map((domain) => [domain])) {
      expect((await anyone.sandbox("POST", "/partners", { name: "Bad", domains })).status).toBe(422);
    }
    const local = { name: "Bad", domains: [], webhookUrl: "file:///etc/passwd" };
    expect((await anyone.sandbox("POST", "/partners", local)).status).toBe(422);
    const ten = { code: "TEN", amount: 10, maxRedemptions: 3, expiresAt: "2030-01-01T00:00:00+01:00" };
    expect((await anyone.sandbox("POST", "/coupons", ten)).status).toBe(200);
    expect((await anyone.sandbox("POST", "/coupons", { code: "HALF", percent: 50 })).body).toEqual({ code: "HALF" });
    for (const body of [
      { code: "half", percent: 10 },
      { code: "X" },
      { code: "Y", percent: 5, amount: "1" },
      { code: "Z", percent: 101 },
      { code: "Z", amount: -1 },
      { code: "Z", amount: "0" },
      { code: "Z", percent: 5, maxRedemptions: 2 ** 31 },
    ]) {
      expect((await anyone.sandbox("POST", "/coupons", body)).status).toBe(422);
    }
  });

  test("on another port than before is where its partner's deliveries go, unless they go to another program", async () => {
    const { db } = service.runtime;
    const [port = 0] = await findFreePorts(1);
    const settings = readSettings({ ...service.env, SANDBOX_PORT: String(port) });
    const moved = openStore(await createRuntime(settings, "sandbox"));
    const setAddress = (webhookUrl: string) =>
      changePartner(operatorOf(service.runtime), { id: "sandbox", webhookUrl });
    const readAddress = async () => (await getPartner({ db }, { id: "sandbox" })).webhookUrl;
    const inbox = `${service.sandboxUrl}/inbox/sandbox`;
    const elsewhere = "http://localhost:4000/hook";
    expect(await readAddress()).toBe(inbox);
    await seed(moved);
    expect(await readAddress()).toBe(`http://127.0.0.1:${port}/inbox/sandbox`);
    await setAddress(elsewhere);
    await seed(service.runtime);
    expect(await readAddress()).toBe(elsewhere);
    await setAddress(inbox);
    await moved.close();
  });

  test("answers the identity provider's API only to signed, fresh requests with its own token", async () => {
    const kyc = (change: Partial<Parameters<typeof createSumsub>[0]> = {}) =>
      createSumsub({ ...service.runtime.settings.kyc, timeoutMs: 5_000, ...change });
    const ada = await newPerson();
    const userId = ada.userId ?? "";
    const tokenOf = { userId, email: "a@example.org", ttlSeconds: 600 };
    expect(await kyc().findApplicant(userId)).toBeNull();
    expect(await kyc().createSdkToken(tokenOf)).toEqual({ token: expect.any(String), userId });
    const { state } = generatePerson(ada.account.address);
    expect(await kyc().findApplicant(userId)).toMatchObject({ externalUserId: userId, country: "DE", state });
    const late = () => new Date(Date.now() - 90_000);
    for (const change of [{ appSecret: "another" }, { appToken: "another" }, { now: late }]) {
      const refused = await kyc(change)
        .findApplicant(userId)
        .catch((error: unknown) => error);
      expect(refused).toMatchObject({ name: "ProviderRefused", status: 401 });
    }
    const unsigned = await fetch(`${service.sandboxUrl}/resources/applicants/-;externalUserId=x/one`);
    expect(unsigned.status).toBe(401);
  });

  test("accepts text messages for its own account only, to existing numbers, and shows the code separately", async () => {
    const { sms } = service.runtime.settings;
    const to = "+4915112340000";
    const send = (change: Partial<typeof sms> = {}, number = to, text = "Your code is 123456.") =>
      createTwilio({ ...sms, timeoutMs: 5_000, ...change })
        .send({ to: number, text })
        .then(
          () => 201,
          // The adapter refuses none of these but the number.
          (error: unknown) =>
            error instanceof ProviderRefused ? error.status : /answered (.*)$/.exec(String(error))?.[1],
        );
    expect(await send()).toBe(201);
    expect(await send({}, to, "No code at all")).toBe(201);
    expect(await send({ password: "another" })).toBe("401");
    expect(await send({ username: "another" })).toBe("401");
    expect(await send({ accountSid: "another" })).toBe("401");
    expect(await send({}, "015112340000")).toBe(400);
    expect(await send({}, to, "")).toBe("400, code 21602");
    const { body } = await anyone.sandbox("GET", `/phones?to=${to}`);
    expect(body).toMatchObject([
      { to, text: "No code at all", code: null },
      { to, text: "Your code is 123456.", code: "123456" },
    ]);
  });

  test("reviews a person with the given changes: fields changed or removed, valid countries", async () => {
    const ada = await newPerson();
    const review = (applicant: object) =>
      ada.sandbox("POST", `/kyc/${ada.userId}/review`, { outcome: "approved", applicant });
    expect((await review({ country: "XX" })).status).toBe(422);
    expect((await review({ birthDate: "1990-02-30" })).status).toBe(422);
    expect((await review({ firstName: "Grace", state: null, country: "GB" })).status).toBe(200);
    const { body } = await ada.call("GET", "/user");
    expect(body).toMatchObject({ firstName: "Grace", lastName: expect.any(String), state: null, country: "GB" });
  });

  test("gives applicants different names", async () => {
    const people = [];
    for (let index = 0; index < 4; index++) people.push(await newPerson());
    const named = await Promise.all(
      people.map(async (person) => {
        await person.sandbox("POST", `/kyc/${person.userId}/review`, { outcome: "approved" });
        const { firstName, lastName } = (await person.call("GET", "/user")).body;
        return `${firstName} ${lastName}`;
      }),
    );
    expect(new Set(named).size).toBeGreaterThan(1);
  });

  test("has a hosted page whose form works without a script", async () => {
    const ada = await newPerson();
    const url = `${service.sandboxUrl}/kyc/flow/${ada.userId}`;
    const decide = (outcome: string) => fetch(url, { method: "POST", body: new URLSearchParams({ outcome }) });
    expect(await (await fetch(url)).text()).toContain(generatePerson(ada.account.address).address1);
    expect((await decide("nonsense")).status).toBe(422);
    expect(await (await decide("approved")).text()).toContain("Approved");
    expect((await ada.call("GET", "/user")).body.kycStatus).toBe("approved");
    expect((await fetch(`${service.sandboxUrl}/kyc/flow/nobody`)).status).toBe(404);
  });

  test("reports that the service rejected a verdict", async () => {
    const ada = await newPerson();
    const { runtime } = service;
    const alone = createSandbox({ ...runtime, settings: { ...runtime.settings, port: 1 } });
    const request = { method: "POST", body: JSON.stringify({ outcome: "approved" }) };
    const answer = await alone.fetch(new Request(`http://localhost/kyc/${ada.userId}/review`, request));
    expect(answer.status).toBe(422);
    expect(await answer.json()).toEqual({ error: "The service answered the callback with nothing" });
  });

  test("has a console with a form for every route", async () => {
    const html = await (await fetch(service.sandboxUrl)).text();
    const forms = [...html.matchAll(/data-method="(\w+)" data-path="([^"]+)"/g)].map(([, ...route]) => route.join(" "));
    expect(promisedRoutes.filter((route) => !forms.includes(route))).toEqual([]);
  });

  test("has a form whose values open the institution's consent page, as an app opens it", async () => {
    const html = await (await fetch(service.sandboxUrl)).text();
    const [form = ""] = /data-path="\/emoney\/oauth\/authorize"[^]*?<\/form>/.exec(html) ?? [];
    const fields = [...form.matchAll(/<input name="(\w+)"[^>]* value="([^"]+)"/g)].map(([, ...field]) => field);
    const opened = await fetch(`${service.sandboxUrl}/emoney/oauth/authorize?${new URLSearchParams(fields)}`);
    expect([opened.status, await opened.text()]).toEqual([200, expect.stringContaining("Link your e-money account")]);
  });

  test("has a desk for every role, for all people and for one, without outside resources", async () => {
    const ada = await newPerson();
    await anyone.sandbox("POST", "/mailbox", {
      to: "a@example.org",
      subject: "<b>bold</b>",
      text: "&",
      code: "135790",
    });
    const shown: Record<string, string> = {
      people: ada.account.address,
      messages: "&lt;b&gt;bold&lt;/b&gt;",
      kyc: `/kyc/${ada.userId}/review`,
      chain: "/chain/advance",
      terminal: "No card yet",
      bank: "No IBAN yet",
      inbox: "Failed deliveries",
      partners: "/inbox/sandbox",
    };
    for (const [desk, text] of Object.entries(shown)) {
      const [all, one] = await Promise.all(
        ["", `&person=${ada.userId}`].map((query) => fetch(`${service.sandboxUrl}/?desk=${desk}${query}`)),
      );
      const html = await all?.text();
      expect([desk, all?.status, one?.status, html?.includes(text)]).toEqual([desk, 200, 200, true]);
      expect(html).not.toMatch(/<b>bold|src="|@import/);
      expect(all?.headers.get("content-security-policy")).toContain("default-src 'none'");
    }
    const odd = await fetch(`${service.sandboxUrl}/?desk=people&find=%25%22%3E%3Cscript%3E`);
    expect([odd.status, await odd.text()]).toEqual([
      200,
      expect.stringContaining("No user matches “%&quot;&gt;&lt;script&gt;”"),
    ]);
  });

  test("does not exist in production, and does not move an external chain", async () => {
    const { runtime } = service;
    expect(() => createSandbox({ ...runtime, settings: { ...runtime.settings, production: true } })).toThrow();
    const foreign = createSandbox({ ...runtime, settings: { ...runtime.settings, localChain: false } });
    const refused = await foreign.fetch(
      new Request("http://localhost/chain/advance", { method: "POST", body: '{"seconds":1}' }),
    );
    expect(refused.status).toBe(409);
  });
});
