import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { deskNouns } from "@cardkeep/desk/nouns";
import { getAction, listActions } from "@cardkeep/domain/core/operators/listActions";
import { beginExport, listExports } from "@cardkeep/domain/operations/exports/runExport";
import { reportNames, showReport } from "@cardkeep/domain/operations/exports/showReport";
import { development } from "@cardkeep/runtime/development";
import { createRuntime, type Runtime } from "@cardkeep/runtime/compose";
import { readSettings } from "@cardkeep/runtime/settings";
import { createServer } from "@cardkeep/server/server";
import { sql } from "drizzle-orm";
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCliElsewhere, runCliOn, spawnCli } from "../support/cli.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { filled } from "../support/filled.ts";
import { operatorOf } from "../support/operator.ts";
import { startHttpProxy } from "../support/httpProxy.ts";
import { findFreePorts } from "../support/ports.ts";

let database: TestDatabase;
let runtime: Runtime;
let server: ReturnType<typeof createServer>;
let url: string;
beforeAll(async () => {
  database = await createTestDatabase();
  const [port = 0] = await findFreePorts(1);
  const env = { DATABASE_URL: database.url, RPC_URL: "http://127.0.0.1:1", LOG_LEVEL: "silent", PORT: String(port) };
  runtime = await createRuntime(readSettings(env), "server");
  server = createServer(runtime);
  url = `http://127.0.0.1:${server.listen(port)}`;
});
afterAll(async () => {
  await server.stop();
  await runtime.close();
  await database.drop();
});

interface Answer {
  status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- an answer is read as its readers do
  body: any;
  code: string | null;
}

async function call(
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(`${url}/operator/api${path}`, {
    method,
    headers: { Authorization: `Bearer ${development.OPERATOR_API_KEY}`, ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json(), code: response.headers.get("x-error-code") };
}

const get = (path: string) => call("GET", path);
const post = (path: string, body: object, headers?: Record<string, string>) => call("POST", path, body, headers);
const reason = "A test of the API";

test("only a bearer token opens it: no cookie, no wrong key, no key in the address", async () => {
  const none = { Authorization: "" };
  expect((await call("GET", "/cases", undefined, none)).code).toBe("auth.token_missing");
  const Cookie = "cardkeep_operator=0123456789012345678901234567890123456789012";
  expect((await call("GET", "/cases", undefined, { ...none, Cookie })).status).toBe(401);
  expect((await call("GET", `/cases?key=${development.OPERATOR_API_KEY}`, undefined, none)).status).toBe(401);
  expect((await call("GET", "/cases", undefined, { Authorization: "Bearer wrong" })).code).toBe("auth.token_invalid");
  expect((await get("/cases")).status).toBe(200);
});

test("guesses of a network are limited, and calls with the right key are not", async () => {
  const guess = () => call("GET", "/cases", undefined, { Authorization: "Bearer guess" });
  const answers = await Promise.all(Array.from({ length: 20 }, guess));
  expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThan(5);
  expect((await get("/cases")).status).toBe(200);
});

test("a list goes on behind its cursor, and refuses filters and words that do not exist", async () => {
  for (const code of ["PAGE1", "PAGE2", "PAGE3"]) await post("/coupons/create", { code, percent: 5, reason });
  const first = await get("/coupons?limit=2");
  const second = await get(`/coupons?limit=2&after=${first.body.next}`);
  const keysOf = ({ body }: Answer): string[] => body.rows.map(({ key }: { key: string }) => key);
  expect([...keysOf(first), ...keysOf(second)].slice(0, 3)).toEqual(["PAGE3", "PAGE2", "PAGE1"]);
  expect([await get("/cases?colour=red"), await get("/cases?status=RED"), await get("/cases?limit=0")]).toEqual(
    [
      "There is no filter colour",
      expect.stringContaining("status must be one of OPEN"),
      expect.stringContaining("limit"),
    ].map((error) => ({ status: 422, body: { error, code: "request.invalid" }, code: "request.invalid" })),
  );
  expect((await get("/cases/none")).code).toBe("cases.not_found");
});

test("a day or an instant that no database keeps is refused as none", async () => {
  for (const day of ["0000-01-01", "none", "", "%00", "9999-12-31T23:59:59-14:00"])
    expect([day, (await get(`/books?after=${day}`)).code]).toEqual([day, "books.invalid_day"]);
  expect((await get("/books/0000-01-01")).code).toBe("books.invalid_day");
  expect((await post("/books/close", { day: "0000-01-01" })).code).toBe("books.invalid_day");
  expect((await get("/figures?after=0000-01-01")).code).toBe("request.not_found");
  expect((await get("/rates?day=0000-01-01")).body.rows).toEqual([]);
  expect((await fetch(`${url}/books?before=0000-01-01`)).status).toBe(200);
  for (const at of ["0000-01-01T00:00:00Z", "9999-12-31T23:59:59-14:00"]) {
    const coupon = { code: "FAR", percent: 5, expiresAt: at, reason };
    expect([at, await post("/coupons/create", coupon)]).toMatchObject([at, { status: 422, code: "request.invalid" }]);
    const span = { partner: "none", from: at, until: "2030-01-01T00:00:00Z", reason };
    expect([at, (await post("/deliveries/resend-span", span)).status]).toEqual([at, 422]);
  }
});

test("reports and exports read from the first to the last day that a database keeps", async () => {
  const [from, to] = ["0001-01-01", "9999-12-31"];
  const ctx = operatorOf(runtime);
  for (const name of filled(reportNames))
    expect([name, (await showReport(ctx, { name, from, to })).rows]).toEqual([name, expect.any(Array)]);
  for (const { name } of filled(listExports())) {
    const { pieces } = await beginExport(ctx, { name, from, to });
    expect([name, await Array.fromAsync(pieces)]).toEqual([name, expect.any(Array)]);
  }
});

describe("an act", () => {
  test("needs its reason and valid inputs, and the action log says that it came in by the API", async () => {
    expect((await post("/coupons/create", { code: "REASON", percent: 5 })).code).toBe("operators.reason_required");
    expect((await post("/coupons/create", { code: "REASON", percent: 500, reason })).code).toBe("request.invalid");
    expect((await post("/coupons/create", { code: "REASON", colour: "red", reason })).status).toBe(422);
    const { status, body } = await post("/coupons/create", { code: "REASON", percent: 5, reason });
    expect([status, body]).toEqual([
      200,
      { key: "REASON", data: expect.objectContaining({ percent: 5, active: true }) },
    ]);
    const [action] = await listActions(operatorOf(runtime), { subjectId: "REASON", limit: 1 });
    const logged = await getAction(operatorOf(runtime), { sequence: String(action?.sequence) });
    expect(logged).toMatchObject({
      proof: "key",
      verb: "coupons.create",
      reason,
      operatorId: "key",
      operatorName: "shared key",
      via: "api",
    });
  });

  test("with an idempotency key that is empty or longer than 255 characters is refused, and does nothing", async () => {
    for (const key of [randomBytes(3_000).toString("base64url"), ""])
      expect(
        await post("/coupons/create", { code: "LONGKEY", percent: 5, reason }, { "Idempotency-Key": key }),
      ).toEqual(expect.objectContaining({ status: 422, code: "idempotency.invalid_key" }));
    expect((await get("/coupons?limit=1000")).body.rows.map(({ key }: { key: string }) => key)).not.toContain(
      "LONGKEY",
    );
  });

  test("with an idempotency key acts once, also in parallel, and another input with the key is refused", async () => {
    const key = { "Idempotency-Key": "stop-once" };
    const stop = { state: "on", reason };
    const answers = await Promise.all(Array.from({ length: 5 }, () => post("/stops/deliveries/set", stop, key)));
    const statuses = new Set(answers.map(({ status }) => status));
    expect([...statuses].every((status) => status === 200 || status === 409)).toBe(true);
    expect((await post("/stops/deliveries/set", stop, key)).body.key).toBe("deliveries");
    const actions = await listActions(operatorOf(runtime), { verb: "stops.set", subjectId: "deliveries", limit: 10 });
    expect(actions).toHaveLength(1);
    expect((await post("/stops/deliveries/set", { ...stop, state: "off" }, key)).code).toBe("idempotency.mismatch");
    expect((await post("/stops/deliveries/set", { ...stop, state: "off" })).status).toBe(200);
    expect((await post("/stops/everything/set", stop)).status).toBe(404);
  });

  test("that makes a row whose key it chooses answers that row again for its idempotency key", async () => {
    const key = { "Idempotency-Key": "revoke-once" };
    const revoke = () => post("/treasury/approve", { move: "0", reason }, key);
    const first = await revoke();
    expect(first).toMatchObject({ status: 200, body: { key: expect.any(String), data: { kind: "approve" } } });
    expect(await revoke()).toEqual(first);
  });
});

test("every noun of the table has its list here, and on the command line of another machine", async () => {
  // No node answers here, and relayers are read on chain.
  const statusOf = (name: string) => (name === "relayers" ? 503 : 200);
  for (const { name } of deskNouns) expect([name, (await get(`/${name}`)).status]).toEqual([name, statusOf(name)]);
  expect((await get("/users?kyc=approved&owing=yes")).body).toEqual({ rows: [], next: null });
  expect((await get("/users/nobody@example.org")).code).toBe("users.not_found");
  expect((await post("/cards/none/freeze", { reason })).code).toBe("cards.not_found");
});

test("the allow-list of the treasury is kept here: each act once for its key, with its reason, and in the log", async () => {
  const destination = "DE89370400440532013000";
  const allowed = { destination, label: "Example Ltd", reason };
  const key = { "Idempotency-Key": "allow-once" };
  expect((await post("/treasury/allow", { destination, label: "Example Ltd" })).code).toBe("operators.reason_required");
  expect(await post("/treasury/allow", allowed, key)).toMatchObject({
    status: 200,
    body: { key: destination, data: { kind: "iban", value: destination, label: "Example Ltd" } },
  });
  expect((await post("/treasury/allow", allowed, key)).status).toBe(200);
  expect((await post("/treasury/allow", allowed)).code).toBe("treasury.known");
  expect((await post("/treasury/disallow", { destination, reason })).body.data).toMatchObject({ value: destination });
  expect((await post("/treasury/disallow", { destination, reason })).code).toBe("treasury.not_found");
  const logged = await listActions(operatorOf(runtime), { subjectId: destination, limit: 10 });
  expect(logged.map(({ verb }) => verb)).toEqual(["treasury.disallow", "treasury.allow"]);
  expect((await post("/treasury/approve", { move: "none", reason })).code).toBe("treasury.amount");
  const account = { account: "another", reason };
  expect((await post("/treasury/approve", { move: "1", ...account })).code).toBe("request.invalid");
  expect((await post("/treasury/explain", { item: "none", ...account })).code).toBe("request.invalid");
  expect((await post("/treasury/explain", { item: "none", reason })).code).toBe("treasury.not_found");
  // No node answers here.
  expect((await get("/treasury/overview")).status).toBe(503);
  expect((await get("/stops/overview")).status).toBe(404);
});

test("an act that answers a file writes it on another machine, and the log says who took it", async () => {
  await runtime.db.execute(sql`insert into users (id, email, first_name, kyc_status, created_at)
    values ('filed', 'filed@example.org', 'Filia', 'approved', now())`);
  const folder = mkdtempSync(join(tmpdir(), "cardkeep-files-"));
  const path = join(folder, "user.json");
  const take = (...words: string[]) =>
    runCliOn(runtime, "users", "export", "filed", "--out", path, "--server", url, ...words);
  expect(await take()).toMatchObject({ code: 1, err: expect.stringContaining("reason") });
  expect(existsSync(path)).toBe(false);
  expect(await take("--reason", "asked")).toMatchObject({ code: 0, err: "" });
  expect(readFileSync(path, "utf8")).toContain("Filia");
  expect(await take("--reason", "asked")).toMatchObject({ code: 1, err: expect.stringContaining("exists") });
  const [taken, ...others] = await listActions(operatorOf(runtime), { verb: "users.export", limit: 9 });
  expect([taken, others]).toMatchObject([{ subjectId: "filed", reason: "asked", via: "api" }, []]);
  const csv = join(folder, "clearings.csv");
  const days = ["--from", "2026-11-01", "--to", "2026-11-02"];
  const exported = await runCliOn(runtime, "exports", "run", "clearings", ...days, "--out", csv, "--server", url);
  expect([exported.code, exported.err, existsSync(csv)]).toEqual([0, "", true]);
  await runtime.db.execute(sql`delete from users where id = 'filed'`);
  rmSync(folder, { recursive: true });
});

describe("reference rates", () => {
  const file = "Date,USD,GBP,\n2026-11-25,1.0842,N/A,\n2026-11-24,1.08,0.83,\n";
  const keysOf = async (query: string) =>
    (await get(`/rates${query}`)).body.rows.map(({ key }: { key: string }) => key);

  test("come in by a file of the bank, once for each idempotency key, and the log has the file's digest", async () => {
    const key = { "Idempotency-Key": "rates-once" };
    const first = await post("/rates/import", { file }, key);
    expect(first.body.data).toMatchObject({ firstDay: "2026-11-24", lastDay: "2026-11-25", rates: 3, added: 3 });
    expect((await post("/rates/import", { file }, key)).status).toBe(200);
    const actions = await listActions(operatorOf(runtime), { verb: "rates.import", subjectId: "2026-11-25", limit: 9 });
    expect(actions).toHaveLength(1);
    const logged = await getAction(operatorOf(runtime), { sequence: String(actions[0]?.sequence) });
    const digest = new Bun.CryptoHasher("sha256").update(file).digest("hex");
    expect(logged.after).toMatchObject({ added: 3, changed: 0, digest });
    expect(await keysOf("")).toEqual(["2026-11-25-USD", "2026-11-24-GBP", "2026-11-24-USD"]);
    expect(await keysOf("?after=2026-11-24-GBP")).toEqual(["2026-11-24-USD"]);
    expect(await keysOf("?currency=usd&day=2026-11-24")).toEqual(["2026-11-24-USD"]);
    expect(await keysOf("?after=none")).toEqual([]);
  });

  test("of a day to come and of no file of the bank are refused, and nothing is recorded", async () => {
    expect((await post("/rates/import", { file: "Date,USD\n2999-01-01,1.1" })).code).toBe("rates.invalid_file");
    expect((await post("/rates/import", { file: `${file}2026-11-23,0,1` })).code).toBe("rates.invalid_file");
    expect((await post("/rates/import", {})).code).toBe("rates.invalid_file");
    expect(await keysOf("")).toHaveLength(3);
  });

  test("are replaced by others of the same day, and a command counts both", async () => {
    const path = join(mkdtempSync(join(tmpdir(), "cardkeep-rates-")), "eurofxref.csv");
    writeFileSync(path, file.replace("0.83", "0.84").replace("N/A", "0.82"));
    const { out, code } = await runCliOn(runtime, "rates", "import", path);
    expect([code, out]).toEqual([0, expect.stringMatching(/New +1\nChanged +1\n/)]);
    expect((await runCliOn(runtime, "rates", "import", `${path}.none`)).code).toBe(1);
    expect((await runCliOn(runtime, "rates", "list", "--currency", "GBP")).out).toMatch(/2026-11-24 +GBP +0.84 /);
  });

  test("of a whole year come in one file", async () => {
    const days = Array.from({ length: 260 }, (_, index) =>
      new Date(Date.UTC(2020, 0, 1 + index)).toISOString().slice(0, 10),
    );
    const currencies = Array.from(
      { length: 30 },
      (_, index) => `A${String.fromCharCode(65 + Math.floor(index / 26), 65 + (index % 26))}`,
    );
    const lines = days.map((day) => [day, ...currencies.map((_, index) => `${index + 1}.2345`)].join(","));
    const { body } = await post("/rates/import", { file: [`Date,${currencies}`, ...lines].join("\n") });
    expect(body.data).toMatchObject({ days: 260, rates: 7_800, added: 7_800 });
  });
});

test("its OpenAPI document is valid, and has each list, row and act of the table", async () => {
  const document = await (await fetch(`${url}/operator/api/openapi.json`)).json();
  expect(await new Validator().validate(document)).toMatchObject({ valid: true });
  const operations = Object.values<Record<string, { operationId: string }>>(document.paths).flatMap((path) =>
    Object.values(path).map(({ operationId }) => operationId),
  );
  const words = deskNouns.flatMap(({ name, show, overview, acts }) => [
    `${name}.list`,
    ...(overview ? [`${name}.overview`] : []),
    ...(show ? [`${name}.show`] : []),
    ...Object.keys(acts).map((act) => `${name}.${act}`),
  ]);
  const others = ["exports.file", "sessions.begin", "sessions.device", "sessions.end", "sessions.show"];
  expect(operations.toSorted()).toEqual([...words, ...others].toSorted());
  expect(new Set(operations).size).toBe(operations.length);
});

test("it answers only statuses that its OpenAPI document has, and takes the parameters that it names", async () => {
  interface Operation {
    parameters?: { name: string; in: string }[];
    responses: Record<string, unknown>;
  }
  const { paths }: { paths: Record<string, Record<string, Operation>> } = (await get("/openapi.json")).body;
  const find = (method: string, path: string): Operation | undefined => {
    const template = Object.keys(paths)
      // A path in words comes before one with a key.
      .toSorted((a, b) => a.split("{").length - b.split("{").length)
      .find((each) =>
        new RegExp(`^${each.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(`/operator/api${path.split("?")[0]}`),
      );
    return paths[template ?? ""]?.[method.toLowerCase()];
  };
  await post("/coupons/create", { code: "TAKEN", percent: 5, reason });
  const broken = async (path: string) => {
    const headers = { Authorization: `Bearer ${development.OPERATOR_API_KEY}` };
    return (await fetch(`${url}/operator/api${path}`, { method: "POST", headers, body: "{" })).status;
  };
  const calls: readonly (readonly [string, string, number, object?])[] = [
    ["GET", "/cards?limit=0", 422],
    ["GET", "/orders?user=unknown", 404],
    ["GET", "/cases?view=values", 200],
    ["GET", "/books/xyz", 422],
    ["GET", "/cases/none?view=values", 404],
    ["POST", "/cards/none/freeze", 404, { reason }],
    ["POST", "/coupons/create", 409, { code: "TAKEN", percent: 5, reason }],
    ["POST", "/coupons/create", 422, { code: "COLOUR", colour: "red", reason }],
    ["POST", "/coupons/create", 413, { code: "A".repeat(5_000_000), percent: 5, reason }],
  ];
  for (const [method, path, status, body] of calls) {
    const found = find(method, path);
    expect([path, (await call(method, path, body)).status]).toEqual([path, status]);
    expect([path, Object.keys(found?.responses ?? {})]).toEqual([path, expect.arrayContaining([String(status)])]);
    const known = (found?.parameters ?? []).filter((each) => each.in === "query").map(({ name }) => name);
    const given = [...new URL(path, "http://localhost").searchParams.keys()];
    expect([path, given.filter((name) => !known.includes(name))]).toEqual([path, []]);
  }
  const status = await broken("/coupons/create");
  expect([status, Object.keys(find("POST", "/coupons/create")?.responses ?? {})]).toEqual([
    400,
    expect.arrayContaining(["400", "408", "500"]),
  ]);
});

describe("the command line with --server", () => {
  const folder = mkdtempSync(join(tmpdir(), "cardkeep-remote-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const type = (...words: string[]) => runCliElsewhere(folder, ...words);
  /** As a separate process. */
  const spawn = (more: Record<string, string>, ...words: string[]) =>
    spawnCli({ XDG_CONFIG_HOME: folder, DATABASE_URL: "postgres://none@127.0.0.1:1/none", ...more }, ...words);

  test("lists and acts through the API alone, and prints what it prints beside the database", async () => {
    const made = await type("coupons", "create", "REMOTE", "--percent", "7", "--reason", reason, "--server", url);
    expect([made.code, made.err]).toEqual([0, ""]);
    expect(made.out).toMatch(/^REMOTE +7 % +0 +- +1 +yes/m);
    const listed = await type("coupons", "list", "--json", `--server=${url}`);
    expect(filled(JSON.parse(listed.out))[0]).toMatchObject({ code: "REMOTE", percent: 7 });
    expect((await type("--server", url, "stops", "list")).out).toMatch(/^card-payments +no/m);
    const users = await spawn({}, "users", "list", "--kyc", "approved", "--server", url);
    expect([users.code, users.out, users.err]).toEqual([0, expect.stringContaining("There are no such users."), ""]);
    const [action] = await listActions(operatorOf(runtime), { subjectId: "REMOTE", limit: 1 });
    expect(action).toMatchObject({ operatorId: "key", reason });
  });

  test("sends an act whose answer was lost again, so that it is done once, and says where its end stays unknown", async () => {
    const gateway = startHttpProxy(url);
    const create = (code: string) =>
      type("coupons", "create", code, "--percent", "7", "--reason", reason, "--server", gateway.url);
    let lost = 0;
    gateway.interceptAll(async (_, forward) => {
      const answer = await forward();
      return ++lost > 2 ? answer : null;
    });
    const made = await create("ONCE");
    expect([made.code, made.err, lost]).toEqual([0, "", 3]);
    expect(await listActions(operatorOf(runtime), { subjectId: "ONCE", limit: 9 })).toHaveLength(1);
    gateway.interceptAll(async () => null);
    const unknown = await create("UNKNOWN");
    expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining("The change may have been made: look")]);
    gateway.stop();
  });

  test("says what the server refuses, that it is away, and that a command needs the database", async () => {
    const closed = await spawn({ OPERATOR_API_KEY: "another-key-of-somewhere" }, "cases", "list", "--server", url);
    expect([closed.code, closed.err]).toEqual([1, expect.stringContaining(`cardkeep: ${url}:`)]);
    const away = await type("cases", "list", "--server", "http://127.0.0.1:1");
    expect([away.code, away.err]).toEqual([1, "cardkeep: http://127.0.0.1:1 does not answer\n"]);
    const other = await type("cases", "list", "--server", "http://192.0.2.1:1");
    const wayIn = "run `cardkeep operators sign-in --server http://192.0.2.1:1`, or set OPERATOR_API_KEY";
    expect([other.code, other.err]).toEqual([1, `cardkeep: nothing opens http://192.0.2.1:1: ${wayIn}\n`]);
    const local = await type("database", "distribute", "--server", url);
    expect([local.code, local.err]).toEqual([1, expect.stringContaining("needs the database")]);
    const wrong = await type("cases", "list", "--server", "nowhere");
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('Invalid value "nowhere" for --server')]);
  });
});
