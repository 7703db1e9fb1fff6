/** Operators sign in at an OpenID provider: `oidc-provider`, which the sandbox runs, and one that lies. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { runCommandLine } from "@cardkeep/cli/run";
import { listActions } from "@cardkeep/domain/core/operators/listActions";
import { findOperator } from "@cardkeep/domain/operators/operatorSessions/findOperator";
import { listSessions } from "@cardkeep/domain/operators/operatorSessions/sessions";
import { development } from "@cardkeep/runtime/development";
import { createRuntime, loadOperatorRuntime, type Runtime } from "@cardkeep/runtime/compose";
import { readSettings } from "@cardkeep/runtime/settings";
import { createServer, type Server } from "@cardkeep/server/server";
import { loadKeys } from "@cardkeep/sandbox/identity/keys";
import { signLogoutToken } from "@cardkeep/sandbox/identity/logOut";
import { sql } from "drizzle-orm";
import { SignJWT } from "jose";
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mainOf } from "../support/bundles.ts";
import { hasBrowser, startBrowser } from "../support/browser.ts";
import { runCli, runCliElsewhere } from "../support/cli.ts";
import { startLyingProvider, type LyingProvider } from "../support/lyingProvider.ts";
import { until } from "../support/poll.ts";
import { operatorOf } from "../support/operator.ts";
import { randomBytes } from "node:crypto";
import { OperatorBrowser, pagesOf, signInWithKey } from "../support/operatorPages.ts";
import { type Service, startService } from "../support/service.ts";

const secret = "a secret that both sides have";

let service: Service;
let pages: string;
let second: Server;
let closeSecond: () => Promise<void>;
beforeAll(async () => {
  service = await startService({ worker: false, env: { OIDC_CLIENT_SECRET: secret } });
  pages = pagesOf(service);
  const runtime = await createRuntime(readSettings(service.env), "server");
  second = createServer(runtime);
  closeSecond = runtime.close;
});
afterAll(async () => {
  await closeSecond();
  await service.stop();
});

const ask = async (method: string, path: string, body?: object): Promise<void> => {
  const response = await fetch(`${service.sandboxUrl}${path}`, { method, ...(body && { body: JSON.stringify(body) }) });
  expect([path, response.status]).toEqual([path, 200]);
};
const advance = (seconds: number) => ask("POST", "/chain/advance", { seconds });
/** The status of a page at both servers, for the cookies of a browser. */
const statusesOf = async (browser: OperatorBrowser): Promise<number[]> => {
  const url = `${pages}/operator/jobs`;
  const of = (): Request => new Request(url, { headers: { Cookie: browser.cookieOf(url) } });
  return [(await fetch(of())).status, (await second.handle(of())).status];
};
const signIn = async (operator: string): Promise<OperatorBrowser> => {
  const browser = new OperatorBrowser();
  expect((await browser.signIn(service, operator)).status).toBe(200);
  return browser;
};

describe("a sign-in at the provider", () => {
  test("leads to the page that was asked for, with a short session that only its browser knows", async () => {
    const browser = new OperatorBrowser();
    const asked = await browser.open(`${pages}/operator/jobs`);
    expect([asked.status, asked.text]).toEqual([
      401,
      expect.stringContaining(`Sign in with ${new URL(service.sandboxUrl).host}`),
    ]);
    const page = await browser.signIn(service, "sam-support", "/operator/jobs");
    expect([page.status, page.url]).toEqual([200, `${pages}/operator/jobs`]);
    expect(page.text).toContain("Sam Support");
    expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    const [session] = await listSessions(operatorOf(service.runtime));
    expect(session).toMatchObject({
      mail: "sam@operators.example",
      actor: {
        id: `${service.sandboxUrl}/identity#sam-support`,
        name: "Sam Support",
        proof: "oidc",
        roles: ["support"],
      },
    });
    expect(await statusesOf(browser)).toEqual([200, 200]);
  });

  test("asks the provider with PKCE S256, state and nonce, and keeps the client's secret out of the browser", async () => {
    const { headers } = await new OperatorBrowser().send(`${pages}/operator/sign-in/start`);
    const query = new URL(headers.get("location") ?? "").searchParams;
    expect(query.get("code_challenge_method")).toBe("S256");
    for (const name of ["state", "nonce", "code_challenge"]) expect(query.get(name)).toMatch(/^[\w-]{43}$/);
    expect([...query.keys()]).not.toContain("client_secret");
    expect(headers.get("set-cookie")).toMatch(
      /^cardkeep_sign_in=[\w-]{43}; Max-Age=600; Path=\/operator; HttpOnly; SameSite=Lax$/,
    );
  });

  test("goes on only to a page of ours", async () => {
    for (const next of [
      "https://evil.example.org",
      "//evil.example.org",
      "/\\evil.example.org",
      "/operator/../docs",
      "/docs",
    ])
      expect((await new OperatorBrowser().signIn(service, "vera-viewer", next)).url).toBe(`${pages}/operator`);
  });

  test("gives a new session each time, and ends the one before", async () => {
    const browser = await signIn("vera-viewer");
    const before = new OperatorBrowser();
    const planted = browser.cookieOf(pages);
    await browser.signIn(service, "ada-admin");
    expect(browser.cookieOf(pages)).not.toBe(planted);
    expect((await before.send(`${pages}/operator`, { headers: { Cookie: planted } })).status).toBe(401);
  });

  test("counts once, within ten minutes, and in the browser that began it", async () => {
    const browser = new OperatorBrowser();
    const callback = await browser.beginSignIn(service, "vera-viewer");
    const stranger = new OperatorBrowser();
    await stranger.beginSignIn(service, "vera-viewer");
    expect((await stranger.open(callback)).status).toBe(400);
    const [cookie, page] = [browser.cookieOf(pages), await browser.open(callback)];
    expect(page.status).toBe(200);
    const again = await fetch(callback, { headers: { Cookie: cookie }, redirect: "manual" });
    expect([again.status, await again.text()]).toEqual([400, expect.stringContaining("was used already")]);
    const late = await browser.beginSignIn(service, "vera-viewer");
    await advance(601);
    expect((await browser.open(late)).status).toBe(400);
  });

  test("that the person cancels, or whose answer is damaged, is a page with a sentence", async () => {
    const cancelled = await new OperatorBrowser().signIn(service, "");
    expect([cancelled.status, cancelled.text]).toEqual([403, expect.stringContaining("did not sign you in")]);
    for (const query of ["", "?code=x", "?state=x", "?state=%00&code=%00", `?state=${"x".repeat(5_000)}`, "?error=x"])
      expect([query, (await new OperatorBrowser().open(`${pages}/operator/callback${query}`)).status]).toEqual([
        query,
        400,
      ]);
    const browser = new OperatorBrowser();
    const callback = new URL(await browser.beginSignIn(service, "vera-viewer"));
    callback.searchParams.set("iss", "https://evil.example.org");
    expect((await browser.open(callback.href)).status).toBe(400);
  });

  test("begins in a page of its own alone: what another page embeds begins none and counts for nothing", async () => {
    for (const headers of [{ "Sec-Fetch-Dest": "image" }, { "Sec-Fetch-Dest": "iframe" }]) {
      const answer = await fetch(`${pages}/operator/sign-in/start`, { headers, redirect: "manual" });
      expect([answer.status, answer.headers.get("set-cookie")]).toEqual([403, null]);
    }
  });

  test("is open to a known browser, and to one that comes back, while a neighbour uses up the network's starts", async () => {
    const known = await signIn("vera-viewer");
    const keyed = new OperatorBrowser();
    const typeKey = (key: string) => keyed.send(`${pages}/operator/sign-in`, { form: { key } });
    expect((await typeKey(development.OPERATOR_API_KEY)).status).toBe(303);
    const fresh = new OperatorBrowser();
    const callback = await fresh.beginSignIn(service, "sam-support");
    const start = () => fetch(`${pages}/operator/sign-in/start`, { redirect: "manual" });
    const guess = (key: string, headers: Record<string, string> = {}) =>
      fetch(`${pages}/operator/sign-in`, {
        method: "POST",
        redirect: "manual",
        headers: { Origin: pages, ...headers },
        body: new URLSearchParams({ key }),
      });
    const starts = await Promise.all(Array.from({ length: 90 }, start));
    expect(starts.map(({ status }) => status)).toContain(429);
    const guesses = await Promise.all(Array.from({ length: 20 }, () => guess("wrong")));
    expect(guesses.map(({ status }) => status)).toContain(429);
    const again = await start();
    expect([again.status, again.headers.get("retry-after")]).toEqual([429, expect.stringMatching(/^\d+$/)]);
    expect((await fresh.open(callback)).status).toBe(200);
    await known.send(`${pages}/operator/sign-out`, { form: {} });
    expect(await statusesOf(known)).toEqual([401, 401]);
    const cookie = { Cookie: known.cookieOf(pages) };
    expect((await guess("wrong", cookie)).status).toBe(401);
    expect((await known.signIn(service, "vera-viewer")).status).toBe(200);
    // Who typed the shared key there before is known as well.
    expect((await typeKey("wrong")).status).toBe(401);
    await keyed.send(`${pages}/operator/sign-out`, { form: {} });
    expect((await typeKey(development.OPERATOR_API_KEY)).status).toBe(303);
    // A made-up cookie is a stranger's.
    const made = { Cookie: `cardkeep_known_browser=${"x".repeat(43)}` };
    expect((await guess("wrong", made)).status).toBe(429);
    await advance(61);
    await until(async () => (await start()).status === 303);
  });

  test("of a person in no group with a role is refused", async () => {
    await ask("PUT", "/operators/fin-finance/groups", { groups: ["cooks"] });
    const browser = new OperatorBrowser();
    const page = await browser.signIn(service, "fin-finance");
    expect([page.status, page.text]).toEqual([403, expect.stringContaining("in no group that has a role")]);
    expect(await statusesOf(browser)).toEqual([401, 401]);
    await ask("PUT", "/operators/fin-finance/groups", { groups: ["operators-finance"] });
  });
});

describe("a session ends on every server at once", () => {
  test("by signing out, by another operator, and by itself after an hour", async () => {
    const [one, other, old] = [await signIn("vera-viewer"), await signIn("vera-viewer"), await signIn("ada-admin")];
    await one.send(`${pages}/operator/sign-out`, { form: {} });
    expect(await statusesOf(one)).toEqual([401, 401]);
    const [session] = (await listSessions(operatorOf(service.runtime))).filter(
      ({ actor }) => actor.name === "Vera Viewer",
    );
    const end = `${pages}/operator/operators/${session?.id}/end`;
    expect((await old.send(end, { form: {}, headers: { Origin: "https://evil.example.org" } })).status).toBe(403);
    expect((await old.send(end, { form: {}, headers: { Origin: pages.replace("http:", "https:") } })).status).toBe(403);
    expect(await statusesOf(other)).toEqual([200, 200]);
    expect((await old.send(end, { form: {} })).status).toBe(422);
    expect((await old.send(end, { form: { reason: "left" } })).status).toBe(303);
    expect(await statusesOf(other)).toEqual([401, 401]);
    expect((await old.send(end, { form: { reason: "left" } })).status).toBe(404);
    for (let minutes = 0; minutes < 60; minutes += 20) await advance(1_200);
    expect(await statusesOf(old)).toEqual([401, 401]);
  });

  test("by the provider's logout token, and by no token that is forged, old, or meant for another use", async () => {
    const browser = await signIn("cora-compliance");
    const token = await signLogoutToken(service.runtime, "cora-compliance");
    const [header = "", payload = "", signature = ""] = token.split(".");
    const unsigned = `${Buffer.from(JSON.stringify({ alg: "none" })).toString("base64url")}.${payload}.`;
    const other = Buffer.from(payload, "base64url").toString().replace("cora-compliance", "ada-admin");
    const changed = `${header}.${Buffer.from(other).toString("base64url")}.${signature}`;
    const send = (logout_token: string) =>
      fetch(`${pages}/operator/back-channel-logout`, { method: "POST", body: new URLSearchParams({ logout_token }) });
    for (const wrong of ["", "x", unsigned, changed]) expect((await send(wrong)).status).toBe(400);
    expect(await statusesOf(browser)).toEqual([200, 200]);
    const taken = await send(token);
    expect([taken.status, taken.headers.get("cache-control")]).toEqual([204, "no-store"]);
    expect(await statusesOf(browser)).toEqual([401, 401]);
    const [first, last] = [await signIn("cora-compliance"), await signIn("cora-compliance")];
    const [{ sid } = { sid: "" }] = await service.runtime.db.execute<{ sid: string }>(
      sql`select provider_session as sid from operator_sessions order by started_at desc limit 1`,
    );
    expect((await send(await signLogoutToken(service.runtime, "cora-compliance", "another"))).status).toBe(204);
    expect([...(await statusesOf(first)), ...(await statusesOf(last))]).toEqual([200, 200, 200, 200]);
    await send(await signLogoutToken(service.runtime, "cora-compliance", sid));
    expect([...(await statusesOf(first)), ...(await statusesOf(last))]).toEqual([200, 200, 401, 401]);
    const again = await signIn("cora-compliance");
    await ask("POST", "/operators/cora-compliance/log-out", {});
    expect(await statusesOf(again)).toEqual([401, 401]);
  });
});

describe("within minutes a session follows the provider", () => {
  test("a role that was taken away is gone, and without any role the session ends", async () => {
    const browser = await signIn("sam-support");
    const rolesOf = async () =>
      (await listSessions(operatorOf(service.runtime))).find(({ actor }) => actor.name === "Sam Support")?.actor.roles;
    await ask("PUT", "/operators/sam-support/groups", { groups: ["operators-support", "operators-viewer"] });
    await advance(301);
    expect(await statusesOf(browser)).toEqual([200, 200]);
    expect(await rolesOf()).toEqual(["viewer", "support"]);
    await ask("PUT", "/operators/sam-support/groups", { groups: [] });
    expect(await statusesOf(browser)).toEqual([200, 200]);
    await advance(301);
    expect(await statusesOf(browser)).toEqual([401, 401]);
    await ask("PUT", "/operators/sam-support/groups", { groups: ["operators-support"] });
  });

  test("a disabled person is signed out; many requests at once ask the provider once", async () => {
    const browser = await signIn("vera-viewer");
    await advance(301);
    const all = await Promise.all(Array.from({ length: 8 }, () => statusesOf(browser)));
    expect(new Set(all.flat())).toEqual(new Set([200]));
    await ask("PUT", "/operators/vera-viewer/status", { isDisabled: true });
    await advance(301);
    expect((await statusesOf(browser))[0]).toBe(401);
    await ask("PUT", "/operators/vera-viewer/status", { isDisabled: false });
  });

  test("while the provider is away sessions go on, nobody signs in, and the shared key works", async () => {
    const browser = await signIn("vera-viewer");
    for (const fault of ["identity.down", "identity.error"]) {
      await ask("PUT", `/faults/${fault}`, {});
      await advance(301);
      expect(await statusesOf(browser)).toEqual([200, 200]);
      // A server that starts now does not know the provider's configuration.
      const runtime = await createRuntime(readSettings(service.env), "server");
      const start = new Request(`${pages}/operator/sign-in/start`);
      const answer = await createServer(runtime).handle(start);
      expect([answer.status, await answer.text()]).toEqual([503, expect.stringContaining("does not answer")]);
      await runtime.close();
      const callback = new OperatorBrowser();
      await ask("DELETE", `/faults/${fault}`);
      const address = await callback.beginSignIn(service, "vera-viewer");
      await ask("PUT", `/faults/${fault}`, {});
      expect((await callback.open(address)).status).toBe(503);
      expect(await signInWithKey(service.url)).toStartWith("cardkeep_operator=");
      await ask("DELETE", "/faults");
    }
    await advance(61);
    expect(await statusesOf(browser)).toEqual([200, 200]);
  });
});

const api = () => `${pages}/operator/api`;
/** An access token of the provider, for the credentials of a program of the sandbox. */
const getProgramToken = async (client: string, resource = api()): Promise<Record<string, string>> => {
  const response = await fetch(`${service.sandboxUrl}/identity/token`, {
    method: "POST",
    headers: { Authorization: `Basic ${btoa(`${client}:sandbox-program-secret`)}` },
    body: new URLSearchParams({ grant_type: "client_credentials", ...(resource !== "" && { resource }) }),
  });
  return response.json();
};

describe("a program", () => {
  const call = async (method: string, path: string, token: string | null, body?: object) => {
    const response = await fetch(`${api()}${path}`, {
      method,
      headers: token === null ? {} : { Authorization: `Bearer ${token}` },
      ...(body && { body: JSON.stringify(body) }),
    });
    // oxlint-disable-next-line typescript/no-explicit-any -- an answer is read as its readers do
    return { status: response.status, body: (await response.json()) as any };
  };
  const begin = (accessToken: string | undefined) => call("POST", "/sessions", null, { accessToken });

  test("gets a session for its access token, with the roles of its groups, until it ends it", async () => {
    const { access_token } = await getProgramToken("program-finance");
    const { status, body } = await begin(access_token);
    expect([status, body.name, body.roles]).toEqual([200, "program-finance", ["finance"]]);
    expect((await call("GET", "/payments", body.token)).status).toBe(200);
    expect((await call("POST", "/users/none/deactivate", body.token, { reason: "A test" })).status).toBe(403);
    await call("POST", "/coupons/create", body.token, { code: "PROGRAM", percent: 5, reason: "A test" });
    const [action] = await listActions(operatorOf(service.runtime), { subjectId: "PROGRAM", limit: 1 });
    // It is no person, so it counts for no approval.
    expect(action).toMatchObject({ via: "api", proof: "machine", operatorName: "program-finance" });
    expect((await call("DELETE", "/sessions/current", body.token)).body).toEqual({ ended: 1 });
    expect((await call("GET", "/payments", body.token)).status).toBe(401);
  });

  test("is refused for a token of another audience, type or group, and its session ends with the token", async () => {
    const opaque = await getProgramToken("program-finance", "");
    expect((await begin(opaque["access_token"])).status).toBe(401);
    expect((await getProgramToken("program-finance", "https://other.example.org"))["error"]).toBe("invalid_target");
    const { jwk } = await loadKeys(service.runtime);
    const sign = (typ: string, audience: string, groups: string[]): Promise<string> =>
      new SignJWT({ groups, client_id: "program" })
        .setProtectedHeader({ alg: jwk.alg, kid: jwk.kid, typ })
        .setIssuer(`${service.sandboxUrl}/identity`)
        .setSubject("program")
        .setAudience(audience)
        .setIssuedAt()
        .setExpirationTime("1 minute")
        .sign(jwk);
    const admin = ["operators-admin"];
    // An ID token is signed by the same keys for another purpose.
    expect((await begin(await sign("JWT", api(), admin))).status).toBe(401);
    expect((await begin(await sign("at+jwt", "cardkeep", admin))).status).toBe(401);
    expect((await begin(await sign("at+jwt", api(), []))).status).toBe(403);
    const short = await begin(await sign("at+jwt", api(), admin));
    // The service's clock is ahead of the provider's here: what counts is the time that the token has left.
    const now = await service.runtime.clock.now(service.runtime.db);
    expect(Date.parse(short.body.endsAt) - now.getTime()).toBeLessThanOrEqual(60_000);
    expect((await call("GET", "/payments", short.body.token)).status).toBe(200);
    await advance(61);
    expect((await call("GET", "/payments", short.body.token)).status).toBe(401);
    const { body } = await begin((await getProgramToken("program-viewer"))["access_token"]);
    expect(body.roles).toEqual(["viewer"]);
    expect((await call("POST", "/sessions", null, { device: "none" })).status).toBe(401);
    expect((await call("POST", "/sessions", null, {})).status).toBe(422);
  });
});

test("a sign-in of another device uses the secrets that the server has now", async () => {
  const runtime = await createRuntime(readSettings(service.env), "server");
  const server = createServer(runtime);
  await runtime.refresh(readSettings({ ...service.env, SECRETS_KEYS: randomBytes(32).toString("base64") }));
  const answer = await server.handle(new Request(`${service.url}/operator/api/sessions/device`, { method: "POST" }));
  const { device } = await answer.json();
  expect([answer.status, await runtime.services.secrets.unseal("operator-device", device)]).toEqual([
    200,
    expect.any(String),
  ]);
  await runtime.close();
});

/** Agrees to a sign-in of another device, as a person in a browser. */
async function agree(address: string, operator: string, ...decision: string[]): Promise<void> {
  const browser = new OperatorBrowser();
  const asked = await browser.open(address);
  const [xsrf = "", code = ""] = ["xsrf", "user_code"].map(
    (name) => new RegExp(`name="${name}" value="([^"]*)"`).exec(asked.text)?.[1],
  );
  const form = { xsrf, user_code: code };
  const confirmed = await browser.open(asked.url, { form });
  expect(confirmed.text).toContain(code);
  const choice = await browser.open(confirmed.url, {
    form: { ...form, confirm: "yes", ...(decision[0] && { abort: "yes" }) },
  });
  if (decision[0] === undefined) await browser.open(choice.url, { form: { operator } });
}

describe("a terminal", () => {
  const folder = mkdtempSync(join(tmpdir(), "cardkeep-terminal-"));
  const env = () => ({ ...service.env, XDG_CONFIG_HOME: folder });
  const run = (...words: string[]) => runCli(env(), ...words);
  const person = (...words: string[]) => runCli({ ...env(), OPERATOR_CLI: "person" }, ...words);
  const coupon = (code: string) => ["coupons", "create", code, "--percent", "5"];
  const readActor = async (): Promise<object> =>
    JSON.parse((await run("actions", "list", "--json", "--limit", "1")).out)[0] ?? {};
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Signs in at the terminal, and as a person in a browser. */
  const signInAs = async (operator: string, ...decision: string[]) => {
    let opened: Promise<unknown> | null = null;
    const err = (text: string): void => {
      const [, address] = /^Open (\S+)/.exec(text) ?? [];
      if (address !== undefined) opened = agree(address, operator, ...decision);
    };
    const output = await runCommandLine(["operators", "sign-in"], async () => loadOperatorRuntime(env()), {
      out: () => {},
      err,
    });
    await opened;
    return output;
  };

  test("acts as its machine until a person signs in, and then as that person with that person's roles", async () => {
    expect((await run(...coupon("MACHINE"))).code).toBe(0);
    expect(await readActor()).toMatchObject({ via: "cli", proof: "machine", verb: "coupons.create" });
    const signedIn = await signInAs("fin-finance");
    expect([signedIn.code, signedIn.out]).toEqual([0, "Signed in as Fin Finance: finance\n"]);
    expect(statSync(join(folder, "cardkeep", "sessions.json")).mode & 0o777).toBe(0o600);
    expect((await run(...coupon("PERSON"))).code).toBe(0);
    expect(await readActor()).toMatchObject({ via: "cli", proof: "oidc", operatorName: "Fin Finance" });
    const refused = await run("partners", "disable", "sandbox");
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("Fin Finance has finance")]);
    expect((await run("operators", "list")).code).toBe(1);
    expect((await person(...coupon("PERSON2"))).code).toBe(0);
  });

  test("signs in at a server elsewhere, acts there as that person, and signs out", async () => {
    // Outside of production the key that everybody knows would open it.
    const elsewhere = join(folder, "elsewhere");
    const type = (...words: string[]) => runCliElsewhere(elsewhere, ...words, "--server", pages);
    const spawn = (...words: string[]) =>
      Bun.spawn([process.execPath, mainOf("cli"), ...words, "--server", pages], {
        cwd: folder,
        env: { PATH: process.env["PATH"] ?? "", XDG_CONFIG_HOME: elsewhere },
        stdout: "pipe",
        stderr: "pipe",
      });
    const signingIn = spawn("operators", "sign-in");
    let said = "";
    for await (const part of signingIn.stderr.pipeThrough(new TextDecoderStream())) {
      said += part;
      const [, address] = /^Open (\S+)/.exec(said) ?? [];
      if (address === undefined) continue;
      await agree(address, "fin-finance");
      said = "";
    }
    expect(await new Response(signingIn.stdout).text()).toBe("Signed in as Fin Finance: finance\n");
    expect((await type(...coupon("ELSEWHERE"), "--reason", "A test")).code).toBe(0);
    expect(await readActor()).toMatchObject({ via: "api", proof: "oidc", operatorName: "Fin Finance" });
    expect((await type("operators", "sign-out")).code).toBe(0);
    const closed = spawn("coupons", "list");
    expect(await new Response(closed.stderr).text()).toStartWith(
      `cardkeep: you signed out of ${pages}: run \`cardkeep operators sign-in --server ${pages}\``,
    );
    expect(await closed.exited).toBe(1);
  });

  test("stops at once when its session ends, and does not go on as its machine", async () => {
    const [session] = await listSessions(operatorOf(service.runtime));
    expect(session?.actor).toMatchObject({ name: "Fin Finance", via: "cli" });
    const other = { ...service.env, XDG_CONFIG_HOME: join(folder, "other") };
    const listed = await runCli(other, "operators", "list");
    expect(listed.out).toContain("Fin Finance");
    expect((await runCli(other, "operators", "end", session?.id ?? "", "--reason", "left")).code).toBe(0);
    const ended = await run(...coupon("ENDED"));
    expect([ended.code, ended.err]).toEqual([1, expect.stringContaining("your sign-in has ended")]);
    expect((await run("operators", "sign-out")).out).toBe("Signed out.\n");
    expect((await run("jobs", "list")).code).toBe(0);
  });

  test("changes nothing without a person where the settings ask for one", async () => {
    const refused = await person(...coupon("NOBODY"));
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("changes need a person here")]);
    expect((await person("jobs", "list")).code).toBe(0);
  });

  test("says why it could not sign in", async () => {
    const denied = await signInAs("fin-finance", "abort");
    expect([denied.code, denied.err]).toEqual([1, expect.stringContaining("did not sign you in")]);
    await ask("PUT", "/faults/identity.down", {});
    const away = await run("operators", "sign-in");
    expect([away.code, away.err]).toEqual([1, expect.stringContaining("does not answer")]);
    await ask("DELETE", "/faults");
    chmodSync(join(folder, "cardkeep", "sessions.json"), 0o644);
    expect((await run("jobs", "list")).err).toContain("is open to other users");
    chmodSync(join(folder, "cardkeep", "sessions.json"), 0o600);
  });

  test("signs a program in at a server elsewhere by its access token, and acts there as that program", async () => {
    const home = join(folder, "program");
    const type = (...words: string[]) => runCliElsewhere(home, ...words, "--server", pages);
    const signIn = ["operators", "sign-in", "--access-token"];
    const wrong = join(folder, "wrong-token");
    writeFileSync(wrong, "eyJ.no.token");
    expect(await type(...signIn, wrong)).toMatchObject({ code: 1, out: "" });
    const token = (await getProgramToken("program-finance"))["access_token"] ?? "";
    const child = Bun.spawn([process.execPath, mainOf("cli"), ...signIn, "-", "--server", pages], {
      cwd: folder,
      env: { PATH: process.env["PATH"] ?? "", XDG_CONFIG_HOME: home },
      stdin: Buffer.from(`${token}\n`),
      stdout: "pipe",
      stderr: "pipe",
    });
    expect(await new Response(child.stdout).text()).toBe("Signed in as program-finance: finance\n");
    expect([await child.exited, await new Response(child.stderr).text()]).toEqual([0, ""]);
    expect((await type(...coupon("BYPROGRAM"), "--reason", "A test")).code).toBe(0);
    expect(await readActor()).toMatchObject({ via: "api", proof: "machine", operatorName: "program-finance" });
  });
});

describe("a provider that lies signs nobody in:", () => {
  let liar: LyingProvider;
  let server: Server;
  let runtime: Runtime;
  beforeAll(async () => {
    liar = await startLyingProvider("cardkeep");
    const env = { ...service.env, OIDC_CLIENT_SECRET: "", OIDC_ISSUER: liar.issuer, OPERATOR_ROLES: "crew=viewer" };
    runtime = await createRuntime(readSettings(env), "server");
    server = createServer(runtime);
  });
  afterAll(async () => {
    await runtime.close();
    await liar.stop();
  });

  /** Plays a sign-in against the liar, up to the answer of our callback. */
  const play = async (lie: Parameters<LyingProvider["tell"]>[0]): Promise<Response> => {
    const started = await server.handle(new Request(`${pages}/operator/sign-in/start`));
    const query = new URL(started.headers.get("location") ?? "").searchParams;
    liar.tell({ nonce: query.get("nonce") ?? "", ...lie });
    const callback = `${pages}/operator/callback?${new URLSearchParams({ code: "c", state: query.get("state") ?? "" })}`;
    const Cookie = started.headers.get("set-cookie")?.split(";", 1)[0] ?? "";
    return server.handle(new Request(callback, { headers: { Cookie } }));
  };
  const now = Math.floor(Date.now() / 1000);

  test("an honest answer signs in, with a mail address only if it is verified", async () => {
    const honest = await play({});
    expect([honest.status, honest.headers.get("location")]).toEqual([303, "/operator"]);
    await play({ claims: { name: "Una Verified", email: "una@example.org", email_verified: false } });
    const context = operatorOf(service.runtime);
    const una = (await listSessions(context)).find(({ actor }) => actor.name === "Una Verified");
    expect(una).toMatchObject({ mail: null });
  });

  test.each([
    ["another issuer", { claims: { iss: "https://evil.example.org" } }, 400],
    ["another audience", { claims: { aud: "another" } }, 400],
    ["several audiences without us as the party", { claims: { aud: ["cardkeep", "another"], azp: "another" } }, 400],
    ["another nonce", { claims: { nonce: "another" } }, 400],
    ["no nonce", { claims: { nonce: undefined } }, 400],
    ["no subject", { claims: { sub: undefined } }, 400],
    ["an expired token", { claims: { exp: now - 60 } }, 400],
    ["a token from the future", { claims: { iat: now + 3_600, exp: now + 7_200 } }, 400],
    ["a token that is not valid yet", { claims: { nbf: now + 3_600 } }, 400],
    ["a signature of another key", { signature: "foreign" }, 400],
    ["a token without a signature", { signature: "none" }, 400],
    ["a signature with the client's id as its key", { signature: "symmetric" }, 400],
    ["no token", { signature: "missing" }, 400],
    ["no groups", { claims: { groups: undefined } }, 403],
    ["groups that are no texts", { claims: { groups: [{ name: "crew" }, 7, null] } }, 403],
    ["a group with a blank more", { claims: { groups: ["crew "] } }, 403],
    ["groups of an own field", { claims: { groups: ["__proto__", "constructor"] } }, 403],
    ["a subject with a null character", { claims: { sub: "u\0na" } }, 400],
    ["a name with a null character", { claims: { name: "U\0na" } }, 400],
    ["a name with an unpaired surrogate", { claims: { name: "U\ud800na" } }, 400],
    ["a group with a null character", { claims: { groups: ["crew", "c\0rew"] } }, 400],
    ["a session with a null character", { claims: { sid: "s\0" } }, 400],
    ["a used code", { token: { status: 400, body: { error: "invalid_grant" } } }, 400],
    ["a refused client", { token: { status: 401, body: { error: "invalid_client" } } }, 503],
    ["an error without a form", { token: { status: 418, body: "<html>" } }, 400],
    ["a failure", { token: { status: 500, body: {} } }, 503],
    ["a redirect", { token: { status: 302, body: {} } }, 400],
    ["no JSON", { token: { status: 200, body: "<html>" } }, 400],
  ] as const)("%s", async (_, lie, status) => {
    const answer = await play(lie);
    expect(answer.status).toBe(status);
    expect(answer.headers.get("set-cookie")).not.toContain("cardkeep_operator=");
    expect(await answer.text()).toContain(`role="alert"`);
  });

  test("a logout token whose person has a null character is refused", async () => {
    const events = { "http://schemas.openid.net/event/backchannel-logout": {} };
    const logOut = async (sub: string) => {
      const body = new URLSearchParams({ logout_token: await liar.sign("logout+jwt", { sub, jti: "j", events }) });
      const request = new Request(`${pages}/operator/back-channel-logout`, { method: "POST", body });
      return (await server.handle(request)).status;
    };
    expect([await logOut("u\0na"), await logOut("nobody")]).toEqual([400, 204]);
  });

  test.each([
    ["another person", { sub: "another" }],
    ["a group with a null character", { groups: ["crew", "c\0rew"] }],
  ])("a session ends when the provider names %s at a refresh", async (_, claims) => {
    const open = await beginSession("Changeling");
    expect(await open()).toBe(200);
    liar.tell({ nonce: "", claims: { ...claims, nonce: undefined } });
    await advance(301);
    expect(await open()).toBe(401);
  });

  test("a person whom the provider dismissed at one session is nobody in a newer one that was not due", async () => {
    const dismissed = { sub: "dora", name: "Dora Dismissed" };
    const older = await beginSession("Dora", dismissed);
    await advance(200);
    const newer = await beginSession("Dora", dismissed);
    expect([await older(), await newer()]).toEqual([200, 200]);
    liar.tell({ nonce: "", claims: { ...dismissed, groups: [], nonce: undefined } });
    await advance(101);
    expect([await older(), await newer()]).toEqual([401, 401]);
  });

  test("of a dismissed person no session answers for an approval, also where the newest is the one that was due", async () => {
    const dismissed = { sub: "dan", name: "Dan Dismissed" };
    const id = `${liar.issuer}#dan`;
    await beginSession("Dan", dismissed);
    await beginSession("Dan", dismissed);
    expect(await findOperator(operatorOf(runtime), id)).toMatchObject({ id, roles: ["viewer"] });
    const [newest] = await listSessions(operatorOf(runtime));
    const makeDue = sql`update operator_sessions set refresh_at = now() - interval '1 second' where id = ${newest?.id}`;
    await runtime.db.execute(makeDue);
    liar.tell({ nonce: "", claims: { ...dismissed, groups: [], nonce: undefined } });
    expect(await findOperator(operatorOf(runtime), id)).toBeNull();
  });

  /** Signs a person in, and answers how a page is opened in that session, as its HTTP status. */
  async function beginSession(name: string, claims: object = {}): Promise<() => Promise<number>> {
    const signedIn = await play({ refreshToken: "r", claims: { name, ...claims } });
    const lines = signedIn.headers.getSetCookie();
    const Cookie = lines.find((line) => line.startsWith("cardkeep_operator="))?.split(";", 1)[0] ?? "";
    return async () => (await server.handle(new Request(`${pages}/operator/jobs`, { headers: { Cookie } }))).status;
  }
});

test("tokens count by the provider's own spelling of its name, whose last slash the setting leaves out", async () => {
  const provider = await startLyingProvider("cardkeep", "/");
  const env = { ...service.env, OIDC_CLIENT_SECRET: "", OIDC_ISSUER: provider.issuer, OPERATOR_ROLES: "crew=viewer" };
  const { services, close } = await createRuntime(readSettings(env), "server");
  try {
    const events = { "http://schemas.openid.net/event/backchannel-logout": {} };
    const logoutToken = (iss: object) => provider.sign("logout+jwt", { sub: "una", jti: "j", events, ...iss });
    const accessToken = (iss: object) => provider.sign("at+jwt", { sub: "p", client_id: "p", ...iss });
    expect(await services.openid?.readLogoutToken(await logoutToken({}))).toEqual({
      subject: "una",
      providerSession: null,
    });
    // Identities are stored by the setting, as before.
    expect(await services.openid?.readAccessToken(await accessToken({}), "cardkeep")).toMatchObject({
      identity: { issuer: provider.issuer, subject: "p" },
    });
    const foreign = { iss: "http://127.0.0.1:9/" };
    await expect(services.openid?.readLogoutToken(await logoutToken(foreign))).rejects.toThrow("The token is invalid");
    await expect(services.openid?.readAccessToken(await accessToken(foreign), "cardkeep")).rejects.toThrow(
      "The token is invalid",
    );
  } finally {
    await close();
    await provider.stop();
  }
});

test.skipIf(!hasBrowser)(
  "a browser signs in over the provider's redirects, and is signed out from the sandbox's console",
  async () => {
    const browser = await startBrowser();
    const reaches = (text: string) => browser.waitFor(`document.body?.innerText.includes(${JSON.stringify(text)})`);
    try {
      await browser.open(`${pages}/operator/jobs`);
      await browser.click(`.sign-in a`);
      await reaches("Choose who you are");
      await browser.click(`button[value="ada-admin"]`);
      await browser.waitFor(`location.pathname === "/operator/jobs" && document.body.innerText.includes("Ada Admin")`);
      await browser.open(`${service.sandboxUrl}/?desk=operators`);
      await browser.click(`#operator-ada-admin form[data-path$="log-out"] button`);
      await reaches("The service ended the sessions.");
      await browser.open(`${pages}/operator/jobs`);
      await reaches("Use the shared key");
    } finally {
      await browser.close();
    }
  },
);
