import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createAssistantServer } from "@cardkeep/cli/mcp/assistantServer";
import { listDeskTools, toData } from "@cardkeep/cli/mcp/deskTools";
import { createRemoteSource } from "@cardkeep/cli/remote";
import { writeSessionSecret } from "@cardkeep/cli/sessionFile";
import { type OperatorRole, operatorRoles } from "@cardkeep/domain/core/actor";
import { deskNouns } from "@cardkeep/desk/nouns";
import { walletTokens } from "@cardkeep/desk/nouns/walletTokens";
import { listAnyWalletTokens } from "@cardkeep/domain/cards/cards/operatorWalletTokens";
import { hasRole } from "@cardkeep/domain/core/operators/requireRole";
import { findVerbRow, type OperatorVerb } from "@cardkeep/domain/core/operators/verbs";
import type { BegunSession } from "@cardkeep/domain/operators/operatorSessions/sessions";
import { createRuntime, type Runtime } from "@cardkeep/runtime/compose";
import { readSettings } from "@cardkeep/runtime/settings";
import { callQuota } from "@cardkeep/server/operator/api/authenticate";
import { formRoutes, pageRoutes } from "@cardkeep/server/operator/routes";
import { createServer } from "@cardkeep/server/server";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { sql } from "drizzle-orm";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCliOn } from "../support/cli.ts";
import { listCommands } from "../support/commands.ts";
import { filled } from "../support/filled.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { beginOperatorSession, operatorOf } from "../support/operator.ts";
import { findFreePorts } from "../support/ports.ts";

let database: TestDatabase;
let runtime: Runtime;
let server: ReturnType<typeof createServer>;
const folder = mkdtempSync(join(tmpdir(), "cardkeep-roles-"));
beforeAll(async () => {
  database = await createTestDatabase();
  const env = { DATABASE_URL: database.url, RPC_URL: "http://127.0.0.1:1", LOG_LEVEL: "silent" };
  runtime = await createRuntime(readSettings({ ...env, XDG_CONFIG_HOME: folder }), "server");
  server = createServer(runtime);
});
afterAll(async () => {
  await runtime.close();
  await database.drop();
  rmSync(folder, { recursive: true });
});

/** A session of a person with one role. */
const begin = (role: OperatorRole, way: "page" | "cli", name: string = role): Promise<BegunSession> =>
  beginOperatorSession(runtime, { name, groups: [`operators-${role}`], way });
const signIn = async (role: OperatorRole, way: "page" | "cli"): Promise<string> => (await begin(role, way)).secret;

/** The secret of a session for each role. */
async function signInAll(way: "page" | "cli"): Promise<Record<OperatorRole, string>> {
  const secrets = operatorRoles.map(async (role) => [role, await signIn(role, way)] as const);
  return Object.fromEntries(await Promise.all(secrets)) as Record<OperatorRole, string>;
}

/** A role that the table refuses a verb and one that it allows, others for the next place. A verb for all roles gets the least. */
function drawRoles(verb: OperatorVerb, place: number): OperatorRole[] {
  const { roles } = findVerbRow(verb);
  const refused = operatorRoles.filter((role) => !roles.includes(role));
  if (refused.length === 0) return ["viewer"];
  return [refused, roles].flatMap((drawn) => drawn[place % drawn.length] ?? []);
}

/** A place that asks for another verb than its own names that one in its refusal. */
const refusalOf = (verb: OperatorVerb): string => `${verb} needs one of these roles`;

interface Route {
  readonly method: string;
  readonly path: string;
  readonly verb: OperatorVerb;
}

/** The routes that answer the drawn roles otherwise than the table says. */
async function findWrong(routes: readonly Route[], ask: (route: Route, role: OperatorRole) => Promise<Response>) {
  const wrong: string[] = [];
  for (const [place, route] of filled(routes).entries())
    for (const role of drawRoles(route.verb, place)) {
      const answer = await ask(route, role);
      const { status } = answer;
      const isRefused = status === 403 && (await answer.text()).includes(refusalOf(route.verb));
      const isRight = hasRole({ roles: [role] }, route.verb) ? status !== 403 : isRefused;
      const isFault = status >= 500 && status !== 503;
      if (!isRight || isFault) wrong.push(`${role} ${route.method} ${route.path} (${route.verb}): ${status}`);
    }
  return wrong;
}

describe("the pages", () => {
  const routes = [
    ...Object.entries(pageRoutes).map(([path, { verb }]) => ({ method: "GET", path, verb })),
    ...Object.entries(formRoutes).map(([path, { verb }]) => ({ method: "POST", path, verb })),
  ];

  test("open to a role that the table allows, and answer 403 to one that it refuses", async () => {
    const secrets = await signInAll("page");
    const { origin, host } = new URL(runtime.settings.publicUrl);
    const wrong = await findWrong(routes, ({ method, path }, role) => {
      const headers = { Cookie: `cardkeep_operator=${secrets[role]}`, Origin: origin, Host: host };
      const body = method === "POST" ? new URLSearchParams({ reason: "The role matrix" }) : null;
      const url = origin + path.replaceAll(/:\w+/g, "none");
      return server.handle(new Request(url, { method, headers, body, redirect: "manual" }));
    });
    expect(wrong).toEqual([]);
  });

  test("of a person show name and phone to those who may act for the person, and to no viewer", async () => {
    await runtime.db
      .execute(sql`insert into users (id, email, first_name, phone, address1, birth_date, kyc_status, created_at)
      values ('grace', 'grace@example.org', 'Grace', '+4915112345678', 'Hopper Street 1', '1986-12-09', 'approved', now())`);
    const shown: OperatorRole[] = [];
    for (const role of operatorRoles) {
      const { origin } = new URL(runtime.settings.publicUrl);
      const headers = { Cookie: `cardkeep_operator=${await signIn(role, "page")}`, Host: new URL(origin).host };
      const text = await (await server.handle(new Request(`${origin}/operator/users/grace`, { headers }))).text();
      expect(text).toContain("grace@example.org");
      expect(text.includes("Grace")).toBe(text.includes("+4915112345678"));
      // The operator's API and the commands show the same.
      const Authorization = `Bearer ${await signIn(role, "cli")}`;
      for (const path of ["users?limit=1", "users/grace?view=values"]) {
        const request = new Request(`${origin}/operator/api/${path}`, { headers: { Authorization } });
        const answer = await (await server.handle(request)).text();
        expect([role, path, answer.includes("Grace")]).toEqual([role, path, text.includes("Grace")]);
        for (const secret of ["+4915112345678", "Hopper Street 1", "1986-12-09"])
          expect(answer.includes(secret)).toBe(text.includes("Grace"));
      }
      if (text.includes("Grace")) shown.push(role);
    }
    expect(shown).not.toContain("viewer");
    expect(shown).toContain("support");
  });
});

test("the name of a device shows to those who may act for its owner, to no viewer, and to no assistant unasked", async () => {
  const name = "Ida Rhodes's iPhone";
  await runtime.db.execute(sql`insert into users (id, email, kyc_status, created_at)
    values ('ida', 'ida@example.org', 'approved', now())`);
  await runtime.db.execute(sql`insert into safes (id, user_id, salt_nonce, address, delay_address, roles_address,
      bouncer_address, first_owner, set_up_by, creator, spender, token_symbol, daily_limit, cooldown_seconds,
      expiration_seconds, status, request_id, created_at, updated_at)
    values ('ida', 'ida', 1, '0x1', '0x2', '0x3', '0x4', '0x5', 'operator', '0x6', '0x7', 'EURe', 1, 180, 1800, 'ok', 'r',
      now(), now())`);
  await runtime.db
    .execute(sql`insert into cards (id, user_id, safe_id, card_token, last_four_digits, virtual, status_code,
      activated_at, expires_at, issuer_status, issuer_synced_status, request_id, created_at, updated_at)
    values ('ida', 'ida', 'ida', 'ida', '4242', true, '1000', now(), now() + interval '1 year', 'active', 'active', 'r',
      now(), now())`);
  await runtime.db
    .execute(sql`insert into wallet_tokens (id, card_id, user_id, status, wallet, network, device_type, device_name,
      request_id, created_at, updated_at)
    values ('intok_ida', 'ida', 'ida', 'active', 'apple_pay', 'visa', 'phone', ${name}, 'r', now(), now())`);
  for (const role of operatorRoles) {
    const headers = { Authorization: `Bearer ${await signIn(role, "cli")}` };
    const { origin } = new URL(runtime.settings.publicUrl);
    for (const query of ["", "?view=values", "?card=ida"]) {
      const request = new Request(`${origin}/operator/api/wallet-tokens${query}`, { headers });
      const answer = await (await server.handle(request)).text();
      expect(answer).toContain("intok_ida");
      expect([role, query, answer.includes("Ida Rhodes")]).toEqual([role, query, role !== "viewer"]);
    }
  }
  const ctx = operatorOf(runtime);
  const [row] = await listAnyWalletTokens(ctx, { card: "ida", after: null, limit: 1 });
  expect(row?.deviceName).toBe(name);
  const cells = row ? walletTokens.describe(row).cells : [];
  const shownOf = (showsPeople: boolean) => JSON.stringify(cells.map((cell) => toData(cell, { showsPeople })));
  expect([shownOf(false).includes("Ida"), shownOf(true).includes("Ida")]).toEqual([false, true]);
});

describe("the operator's API", () => {
  const calls = deskNouns.flatMap(({ name, list, show, acts }) => [
    { method: "GET", path: `/${name}`, verb: list.verb as OperatorVerb },
    ...(show === null ? [] : [{ method: "GET", path: `/${name}/none`, verb: show.verb as OperatorVerb }]),
    ...Object.entries(acts).map(([act, { verb, isOfRow }]) => ({
      method: "POST",
      path: isOfRow ? `/${name}/none/${act}` : `/${name}/${act}`,
      verb: verb as OperatorVerb,
    })),
  ]);

  test("opens to a role that the table allows, and answers 403 to one that it refuses", async () => {
    const secrets = await signInAll("cli");
    const wrong = await findWrong(calls, ({ method, path }, role) => {
      const headers = { Authorization: `Bearer ${secrets[role]}` };
      const body = method === "POST" ? JSON.stringify({ reason: "The role matrix" }) : null;
      const url = `${runtime.settings.publicUrl}/operator/api${path}`;
      return server.handle(new Request(url, { method, headers, body }));
    });
    expect(wrong).toEqual([]);
  });
});

test("an operator makes six hundred calls of the API in a minute, and no other operator has fewer for that", async () => {
  const call = ({ secret }: BegunSession) => {
    const headers = { Authorization: `Bearer ${secret}` };
    return server.handle(new Request(`${runtime.settings.publicUrl}/operator/api/sessions/current`, { headers }));
  };
  const [busy, other] = [await begin("viewer", "cli", "busy"), await begin("viewer", "cli", "other")];
  expect((await call(busy)).status).toBe(200);
  const take = async () => runtime.services.rateLimits.take(callQuota, busy.actor.id);
  for (let taken = 1; taken < 600; taken += 1) await take();
  await expect(take()).rejects.toMatchObject({ code: "request.rate_limited" });
  const refused = await call(busy);
  expect([refused.status, Number(refused.headers.get("retry-after")) > 0]).toEqual([429, true]);
  expect((await call(other)).status).toBe(200);
});

describe("the tools of assistants", () => {
  const options = { allowsChanges: true, showsPeople: false };
  /** No assistant decides about a request, gets a secret that is shown once, erases a person, or opens a way into an account or out for money. */
  const forPeople = [
    "approvals_approve",
    "approvals_reject",
    "exports_run",
    "partners_create",
    "partners_rotate",
    "treasury_allow",
    "treasury_approve",
    "users_add_wallet",
    "users_erase",
    "users_export",
    "users_remove_wallet",
  ];
  const tools = deskNouns.flatMap(({ name, list, show, overview, acts }) =>
    [
      ["list", list] as const,
      ...(overview ? [["overview", overview] as const] : []),
      ...(show ? [["show", show] as const] : []),
      ...Object.entries(acts),
    ].map(([word, { verb }]) => ({ name: `${name}_${word}`.replaceAll("-", "_"), verb })),
  );

  test.each([...operatorRoles])("that the token of a %s opens are those of its verbs, and no others", async (role) => {
    const secret = await signIn(role, "cli");
    const [port = 0] = await findFreePorts(1);
    const remote = createRemoteSource(`http://127.0.0.1:${server.listen(port)}`, () => secret);
    const context = { source: remote, options, operator: await remote.identify() };
    const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
    await createAssistantServer(listDeskTools(context), String).connect(serverSide);
    const client = new Client({ name: "test", version: "1" });
    await client.connect(clientSide);
    const seen = (await client.listTools()).tools.map(({ name }) => name);
    const allowed = tools.filter(({ verb }) => findVerbRow(verb).roles.includes(role)).map(({ name }) => name);
    expect(seen.toSorted()).toEqual(allowed.filter((name) => !forPeople.includes(name)).toSorted());
    const resources = (await client.listResources()).resources.map(({ uri }) => uri.slice("cardkeep://".length));
    const listed = deskNouns.filter(({ list }) => findVerbRow(list.verb).roles.includes(role));
    expect(resources).toEqual(listed.map(({ name }) => name));
    await client.close();
    await server.stop();
  });
});

test("the commands run for a role that the table allows, and refuse one that it refuses", async () => {
  const secrets = await signInAll("cli");
  const wrong: string[] = [];
  for (const [place, { name, words, verbs }] of filled(listCommands(folder)).entries()) {
    const verb = name === "reconcile" ? "reconcile.accept" : verbs[0];
    if (verb === undefined || findVerbRow(verb).isLocal || verb === "operators.sign-in") continue;
    for (const role of drawRoles(verb, place)) {
      writeSessionSecret(runtime.settings, secrets[role]);
      const { code, err } = await runCliOn(runtime, ...words);
      const isRefused = err.includes(refusalOf(verb));
      if (isRefused === hasRole({ roles: [role] }, verb)) wrong.push(`${role} ${name} (${verb}): ${code} ${err}`);
      // A wrong command line is refused before the role: then the example of the help text is wrong.
      if (code === 2) wrong.push(`${name}: ${err}`);
    }
  }
  writeSessionSecret(runtime.settings, null);
  expect(wrong).toEqual([]);
});
