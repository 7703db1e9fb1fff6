import { beforeAll, describe, expect, test } from "bun:test";
import { fail } from "@cardkeep/contract/core/errors";
import { listRoutes, type Route } from "@cardkeep/contract/core/route";
import { tokenScopes } from "@cardkeep/contract/core/scopes";
import { routes } from "@cardkeep/contract/routes";
import { tokenPattern } from "@cardkeep/contract/users/tokens";
import { recordTokenUse } from "@cardkeep/db/queries/users/tokens";
import { userTokens } from "@cardkeep/db/schema/tables";
import { createRuntime } from "@cardkeep/runtime/compose";
import { readSettings } from "@cardkeep/runtime/settings";
import { type Caller, isAdmitted } from "@cardkeep/server/admission";
import { createServer } from "@cardkeep/server/server";
import { eq } from "drizzle-orm";
import { crc32 } from "node:zlib";
import { askCli } from "../support/cli.ts";
import { filled } from "../support/filled.ts";
import { type Answer, Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import type { RunningService } from "../support/service.ts";
import { shareService } from "../support/shareService.ts";

let service: RunningService;
beforeAll(async () => {
  service = await shareService({ worker: false });
});

const signedUp = async (): Promise<Person> => (await new Person(service).signIn()).signUp();

/** A program with a token of a person. */
function programOf(person: Person, token: string): Person {
  const program = new Person(person.service, undefined);
  program.token = token;
  return program;
}

async function makeToken(person: Person, fields: Record<string, unknown> = {}): Promise<{ id: string; token: string }> {
  const { status, body } = await person.call("POST", "/tokens", { name: "Books", scopes: ["transactions"], ...fields });
  if (status !== 201) throw new Error(`POST /tokens answers ${status}: ${JSON.stringify(body)}`);
  return body;
}

const codeOf = ({ headers }: Answer): string | null => headers.get("x-error-code");

async function askRest(program: Person, route: Route): Promise<{ status: number; code: string | null }> {
  const path = route.path.replaceAll(/\{\w+\}/g, "unknown");
  const answer = await program.call(route.method, path, route.method === "GET" ? undefined : {});
  return { status: answer.status, code: codeOf(answer) };
}

async function askTrpc(program: Person, name: string, route: Route): Promise<{ status: number; code: string | null }> {
  const response = await fetch(`${service.url}/trpc/${name}`, {
    method: route.method === "GET" ? "GET" : "POST",
    headers: {
      "Content-Type": "application/json",
      ...(program.token !== null && { Authorization: `Bearer ${program.token}` }),
    },
    ...(route.method !== "GET" && { body: "{}" }),
  });
  const body = (await response.json()) as { error?: { data: { error: string } } };
  return { status: response.status, code: body.error?.data.error ?? null };
}

describe("a token reads what its scopes name, and nothing else", () => {
  test("every scope on every route of the table, on REST and tRPC", async () => {
    const ada = await signedUp();
    for (const scope of tokenScopes) {
      const program = programOf(ada, (await makeToken(ada, { scopes: [scope] })).token);
      const wrong: unknown[] = [];
      for (const { name, route } of filled(listRoutes(routes))) {
        const answers = [await askRest(program, route), await askTrpc(program, name, route)];
        const stranger = new Person(service);
        const expected = await expectedOf(stranger, name, route, scope);
        if (!answers.every(({ status, code }) => expected(status, code))) wrong.push([scope, name, answers]);
      }
      expect(wrong).toEqual([]);
    }
  }, 60_000);

  async function expectedOf(stranger: Person, name: string, route: Route, scope: string) {
    if (route.access === "partner") return (status: number) => status === 401;
    if (route.access === "public") {
      // As for a caller without any token.
      const { code } = await askTrpc(stranger, name, route);
      return (_: number, found: string | null) => found === code;
    }
    if (route.method === "GET" && route.scope === scope)
      return (_: number, code: string | null) => code === null || !code.startsWith("auth.");
    return (status: number, code: string | null) => status === 403 && code === "auth.scope_missing";
  }

  test("a route that changes something stays closed, also where it names a scope of the token", async () => {
    const grant = { tokenId: "t", scopes: [...tokenScopes] };
    const caller = Object.assign(Object.create(null), {
      authenticate: async () => ({ userId: "u", grant }),
    }) as Caller;
    const { route } =
      listRoutes(routes).find(({ route: { scope } }) => scope === "balances") ?? fail("server.internal");
    expect(await isAdmitted(caller, route)).toBe(true);
    expect(await isAdmitted(caller, { ...route, method: "POST" })).toBe(false);
  });

  test("several scopes open the routes of each", async () => {
    const ada = await signedUp();
    const program = programOf(ada, (await makeToken(ada, { scopes: ["transactions", "balances", "balances"] })).token);
    expect((await program.call("GET", "/cards/transactions")).status).toBe(200);
    expect(codeOf(await program.call("GET", "/account-balances"))).toBe("safes.not_found");
    expect((await program.call("GET", "/user")).status).toBe(403);
    const [listed] = (await ada.call("GET", "/tokens")).body;
    expect(listed.scopes).toEqual(["transactions", "balances"]);
  });

  test("it makes no tokens, revokes none and subscribes no partner in its user's name", async () => {
    const ada = await signedUp();
    const made = await makeToken(ada, { scopes: [...tokenScopes] });
    const program = programOf(ada, made.token);
    const attempts = await Promise.all([
      program.call("POST", "/tokens", { name: "More", scopes: ["balances"] }),
      program.call("GET", "/tokens"),
      program.call("DELETE", `/tokens/${made.id}`),
      program.call("POST", "/cards/virtual", {}, { "Idempotency-Key": "from-a-token" }),
      program.call("POST", "/auth/signup", { authEmail: "token@example.org" }),
    ]);
    expect(attempts.map((attempt) => [attempt.status, codeOf(attempt)])).toEqual(
      attempts.map(() => [403, "auth.scope_missing"]),
    );
    expect((await ada.call("GET", "/tokens")).body).toHaveLength(1);
  });
});

describe("POST /tokens", () => {
  test("shows the token once; its checksum is the CRC-32 of its random part, and the database has a hash alone", async () => {
    const ada = await signedUp();
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const { status, body } = await ada.call("POST", "/tokens", {
      name: "Bookkeeping",
      scopes: ["statements", "transactions"],
      expiresAt,
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      name: "Bookkeeping",
      scopes: ["statements", "transactions"],
      createdAt: expect.stringMatching(/Z$/),
      expiresAt,
      token: expect.stringMatching(tokenPattern),
    });
    const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    const [random, checksum] = [body.token.slice(3, 35), body.token.slice(35)];
    const value = [...checksum].reduce((sum: number, digit) => sum * 62 + digits.indexOf(digit), 0);
    expect(value).toBe(crc32(random));
    const listed = await ada.call("GET", "/tokens");
    const { token: _, ...rest } = body;
    expect(listed.body).toEqual([{ ...rest, status: "active", lastUsedAt: null }]);
    const rows = await service.runtime.db.select().from(userTokens).where(eq(userTokens.id, body.id));
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(random);
  });

  test.each([
    { name: "", scopes: ["balances"] },
    { name: "a\nb", scopes: ["balances"] },
    { name: "x".repeat(65), scopes: ["balances"] },
    { name: "No scope", scopes: [] },
    { name: "Unknown scope", scopes: ["cards"] },
    { name: "Not a list", scopes: "balances" },
    { scopes: ["balances"] },
    { name: "Bad date", scopes: ["balances"], expiresAt: "tomorrow" },
    { name: "Past", scopes: ["balances"], expiresAt: "2020-01-01T00:00:00.000Z" },
  ])("%p is 422, and no token is made", async (body) => {
    const ada = await signedUp();
    const answer = await ada.call("POST", "/tokens", body);
    expect([answer.status, typeof answer.body.error]).toEqual([422, "string"]);
    expect((await ada.call("GET", "/tokens")).body).toEqual([]);
  });

  test("an unknown scope is refused with the scopes that there are", async () => {
    const ada = await signedUp();
    const answer = await ada.call("POST", "/tokens", { name: "Books", scopes: ["balances", "cards"] });
    expect(answer.body.error).toBe(`scopes.1 must be one of ${tokenScopes.join(", ")}`);
  });

  test("a user has twenty tokens at most, also when many are made at once; a revoked one makes room", async () => {
    const ada = await signedUp();
    const make = () => ada.call("POST", "/tokens", { name: "Many", scopes: ["balances"] });
    const answers = await Promise.all(Array.from({ length: 25 }, make));
    const made = answers.filter(({ status }) => status === 201);
    expect(made).toHaveLength(20);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(5);
    await ada.call("DELETE", `/tokens/${made[0]?.body.id}`);
    expect((await make()).status).toBe(201);
  });
});

test("GET /tokens lists the newest first, also those that have ended", async () => {
  const ada = await signedUp();
  const ids: string[] = [];
  for (const name of ["first", "second", "third"]) ids.unshift((await makeToken(ada, { name })).id);
  const [third] = ids;
  await ada.call("DELETE", `/tokens/${third}`);
  const { body } = await ada.call("GET", "/tokens");
  expect(body.map(({ id }: { id: string }) => id)).toEqual(ids);
  expect(body[0].status).toBe("revoked");
});

test("beside a hundred newer tokens that ended, GET /tokens lists the one that works", async () => {
  const ada = await signedUp();
  const { id } = await makeToken(ada);
  const { db } = service.runtime;
  const [row] = await db.select().from(userTokens).where(eq(userTokens.id, id));
  const ended = Array.from({ length: 120 }, (_, index) => ({
    ...row,
    id: `${id}-${index}`,
    hash: `${id}-${index}`,
    createdAt: new Date(Date.now() + 1_000 + index),
    endsAt: new Date(),
    end: "revoked",
  }));
  await db.insert(userTokens).values(ended as (typeof userTokens.$inferInsert)[]);
  const listed = (await ada.call("GET", "/tokens")).body.map((token: { id: string }) => token.id);
  expect(listed).toHaveLength(100);
  expect(listed.slice(-2)).toEqual([`${id}-21`, id]);
});

describe("a token ends", () => {
  /** A second server beside the service's, which remembers nothing of the first. */
  async function withOtherServer(work: (url: string) => Promise<void>): Promise<void> {
    const runtime = await createRuntime(readSettings(service.env), "server");
    const other = createServer(runtime);
    try {
      await work(`http://127.0.0.1:${other.listen(0)}`);
    } finally {
      await other.stop();
      await runtime.close();
    }
  }

  test("by its user, for the next request on every server", async () => {
    await withOtherServer(async (url) => {
      const ada = await signedUp();
      const { id, token } = await makeToken(ada);
      const programs = [programOf(ada, token), programOf(new Person({ ...service, url }), token)];
      for (const program of programs) expect((await program.call("GET", "/cards/transactions")).status).toBe(200);
      expect(await ada.call("DELETE", `/tokens/${id}`)).toMatchObject({ status: 200, body: { id } });
      for (const program of programs) {
        const refused = await program.call("GET", "/cards/transactions");
        expect([refused.status, codeOf(refused)]).toEqual([401, "auth.token_invalid"]);
      }
      expect((await ada.call("DELETE", `/tokens/${id}`)).status).toBe(200);
      expect((await ada.call("GET", "/tokens")).body).toMatchObject([{ id, status: "revoked" }]);
    });
  });

  test("by its finder, who needs nothing else; unknown texts are answered and end nothing", async () => {
    const ada = await signedUp();
    const { id, token } = await makeToken(ada);
    const finder = new Person(service);
    const report = (text: unknown) => finder.call("POST", "/tokens/report", { token: text });
    const last = token.endsWith("0") ? "1" : "0";
    for (const text of ["ck_", "none", token.slice(0, -1) + last])
      expect((await report(text)).body).toEqual({ revoked: false });
    expect((await report(7)).status).toBe(422);
    expect((await programOf(ada, token).call("GET", "/cards/transactions")).status).toBe(200);
    expect(await report(token)).toMatchObject({ status: 200, body: { revoked: true } });
    expect((await report(token)).body).toEqual({ revoked: false });
    expect((await programOf(ada, token).call("GET", "/cards/transactions")).status).toBe(401);
    expect((await ada.call("GET", "/tokens")).body).toMatchObject([{ id, status: "reported" }]);
  });

  test("an expiry that no database keeps is refused, and nothing is made", async () => {
    const ada = await signedUp();
    const make = (expiresAt: string) =>
      ada.call("POST", "/tokens", { name: "Books", scopes: ["transactions"], expiresAt });
    for (const expiresAt of ["9999-12-31T23:59:59-14:00", "0000-01-01T00:00:00Z", "0001-01-01T00:00:00+14:00"])
      expect(await make(expiresAt)).toMatchObject({ status: 422, body: { error: "expiresAt is invalid" } });
    expect((await ada.call("GET", "/tokens")).body).toEqual([]);
    expect((await make("9999-12-31T23:59:59Z")).status).toBe(201);
  });

  test("at its expiry", async () => {
    const ada = await signedUp();
    const { id, token } = await makeToken(ada, { expiresAt: new Date(Date.now() + 3_600_000).toISOString() });
    const program = programOf(ada, token);
    expect((await program.call("GET", "/cards/transactions")).status).toBe(200);
    await service.runtime.db.update(userTokens).set({ expiresAt: new Date() }).where(eq(userTokens.id, id));
    expect((await program.call("GET", "/cards/transactions")).status).toBe(401);
    expect((await ada.call("GET", "/tokens")).body).toMatchObject([{ status: "expired" }]);
  });

  test("with the sign-in of the wallet that made it, and no later request of that wallet makes another", async () => {
    const [ada, second] = [await signedUp(), new Person(service)];
    const { body: wallet } = await ada.call("POST", "/eoa-accounts", { address: second.account.address });
    await second.signIn();
    const own = programOf(ada, (await makeToken(ada)).token);
    const ofSecond = programOf(ada, (await makeToken(second)).token);
    const [, late] = await Promise.all([
      ada.call("DELETE", `/eoa-accounts/${wallet.id}`),
      second.call("POST", "/tokens", { name: "Late", scopes: ["transactions"] }),
    ]);
    expect((await ofSecond.call("GET", "/cards/transactions")).status).toBe(401);
    expect((await own.call("GET", "/cards/transactions")).status).toBe(200);
    if (late.status === 201)
      expect((await programOf(ada, late.body.token).call("GET", "/cards/transactions")).status).toBe(401);
    else expect(late.status).toBe(401);
  });

  test("while its user is deactivated, and for good when an operator ends the user's access or erases the user", async () => {
    const ada = await signedUp();
    const program = programOf(ada, (await makeToken(ada)).token);
    const read = async () => (await program.call("GET", "/cards/transactions")).status;
    const run = (...words: string[]) => askCli(service, "users", ...words);
    await run("deactivate", ada.userId ?? "");
    expect(await read()).toBe(401);
    await run("activate", ada.userId ?? "");
    expect(await read()).toBe(200);
    await run("end-access", ada.userId ?? "");
    expect(await read()).toBe(401);
    const bea = await signedUp();
    const ofBea = programOf(bea, (await makeToken(bea, { name: "Named by Bea" })).token);
    const copy = await run("export", bea.userId ?? "");
    expect(JSON.stringify(copy)).toContain("Named by Bea");
    await run("erase", bea.userId ?? "");
    expect((await ofBea.call("GET", "/cards/transactions")).status).toBe(401);
    const { db } = service.runtime;
    expect(
      await db
        .select()
        .from(userTokens)
        .where(eq(userTokens.userId, bea.userId ?? "")),
    ).toEqual([]);
  });

  test("not for another user: a foreign id is like an unknown one", async () => {
    const [ada, eve] = [await signedUp(), await signedUp()];
    const { id, token } = await makeToken(ada);
    for (const path of [id, "unknown", "%00"])
      expect(await eve.call("DELETE", `/tokens/${path}`)).toMatchObject({
        status: 404,
        body: { error: "Token not found" },
      });
    expect((await programOf(ada, token).call("GET", "/cards/transactions")).status).toBe(200);
  });
});

test("the last use of a token is written once a minute at most", async () => {
  const ada = await signedUp();
  const { id, token } = await makeToken(ada);
  const program = programOf(ada, token);
  await program.call("GET", "/cards/transactions");
  const used = async (): Promise<string> => (await ada.call("GET", "/tokens")).body[0].lastUsedAt;
  const first = await used();
  expect(first).toMatch(/Z$/);
  await program.call("GET", "/cards/transactions");
  expect(await used()).toBe(first);
  const { db } = service.runtime;
  const now = new Date(Date.parse(first) + 30_000);
  await recordTokenUse(db, { id, now, before: new Date(now.getTime() - 60_000) });
  expect(await used()).toBe(first);
});

test("a partner's key opens the routes of its scopes alone, its successor too, and ends at its expiry", async () => {
  const run = <T>(...words: string[]) => askCli<T>(service, "partners", ...words);
  const { apiKey } = await run<{ apiKey: string }>("create", "--name", "Scoped", "--id", "scoped");
  const rotate = async (...words: string[]) => (await run<{ key: string }>("rotate", "scoped", "--api", ...words)).key;
  const asked = listRoutes(routes).filter(({ route }) => route.access === "partner");
  const refusedBy = async (key: string): Promise<string[]> => {
    const program = new Person(service);
    program.token = key;
    const refused: string[] = [];
    for (const { name, route } of filled(asked)) {
      const answers = [await askRest(program, route), await askTrpc(program, name, route)];
      if (answers.every(({ status, code }) => status === 403 && code === "auth.scope_missing")) refused.push(name);
      else expect([name, answers.some(({ status }) => status === 401 || status === 403)]).toEqual([name, false]);
    }
    return refused;
  };
  const others = asked.filter(({ route }) => route.scope !== "events").map(({ name }) => name);
  expect(await refusedBy(apiKey)).toEqual([]);
  expect(await refusedBy(await rotate("--scope", "events"))).toEqual(others);
  expect(await refusedBy(await rotate())).toEqual(others);
  expect(await refusedBy(await rotate("--scope", "events", "--scope", "rules"))).toEqual([]);
  const soon = () => new Date(Date.now() + 1_500).toISOString();
  const ended = await rotate("--scope", "events", "--expires", soon());
  const isRefused = async (key: string) =>
    (await programOf(new Person(service), key).call("GET", "/partners/events")).status === 401;
  await until(() => isRefused(ended));
  // The key of all scopes is still valid beside it, and the ended one was the newest.
  expect(await refusedBy(await rotate())).toEqual(others);
  const last = await rotate("--overlap-hours", "0", "--expires", soon());
  await until(() => isRefused(last));
  expect(await refusedBy(await rotate())).toEqual(others);
  await expect(rotate("--expires", "2020-01-01T00:00:00Z")).rejects.toThrow("ended already");
});
