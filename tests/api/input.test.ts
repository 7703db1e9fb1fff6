import { beforeAll, describe, expect, test } from "bun:test";
import { createRuntime } from "@cardkeep/runtime/compose";
import { readSettings } from "@cardkeep/runtime/settings";
import { createServer } from "@cardkeep/server/server";
import { Person } from "../support/person.ts";
import { pour, talk, talkUntil } from "../support/rawClient.ts";
import type { RunningService } from "../support/service.ts";
import { shareService } from "../support/shareService.ts";

let service: RunningService;
let person: Person;
beforeAll(async () => {
  service = await shareService({ worker: false });
  person = await (await new Person(service).signIn()).signUp();
});

const shortOf = ({ status, body }: { status: number; body: unknown }) => ({ status, body });
const post = (path: string, body: BodyInit, headers: Record<string, string> = {}) =>
  fetch(`${service.url}${path}`, { method: "POST", body, headers: { "Content-Type": "application/json", ...headers } });

describe("bad input", () => {
  test("malformed JSON is 400, before authentication", async () => {
    const deep = `${"[".repeat(30_000)}${"]".repeat(30_000)}`;
    for (const text of ["{", "{]", "nul", '{"a":1}x', "[".repeat(60_000), deep, `{"message":${deep}}`]) {
      const answer = await new Person(service).call("POST", "/auth/challenge", text);
      expect(shortOf(answer)).toEqual({ status: 400, body: { error: "Invalid JSON" } });
    }
  });

  test("a body over 64 KiB is 413, with a length and chunked, on REST and tRPC", async () => {
    const big = JSON.stringify({ message: "x".repeat(70_000) });
    const chunked = () =>
      new ReadableStream({
        start(controller) {
          for (let i = 0; i < 8; i++) controller.enqueue(new TextEncoder().encode("x".repeat(16_384)));
          controller.close();
        },
      });
    for (const path of ["/api/v1/auth/challenge", "/trpc/auth.challenge"]) {
      expect((await post(path, big)).status).toBe(413);
      expect((await post(path, chunked())).status).toBe(413);
    }
  });

  test("a body of any size is 413 with its code, takes no memory, and the client reads the answer", async () => {
    const bytes = 256 * 1024 * 1024;
    const before = process.memoryUsage.rss();
    for (const path of ["/api/v1/auth/challenge", "/trpc/auth.challenge", "/callbacks/monerium"]) {
      const begin = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${bytes}\r\n\r\n`;
      const said = await talkUntil(service.url, begin, (text) => text.includes("Request body too large"));
      expect(said).toStartWith("HTTP/1.1 413");
      expect(said).toContain("request.too_large");
      for (const chunked of [false, true]) expect(await pour(service.url, path, { bytes, chunked })).toBe(413);
    }
    for (const chunked of [false, true])
      expect(await pour(service.url, "/api/v1/nowhere", { bytes, chunked })).toBe(404);
    expect(process.memoryUsage.rss() - before).toBeLessThan(bytes / 2);
  }, 60_000);

  test("a callback that is not authentic is 401 with its code", async () => {
    const forged = { sumsub: "{}", stripe: "{}", monerium: "{}" };
    for (const [name, body] of Object.entries(forged)) {
      const refused = await post(`/callbacks/${name}`, body);
      expect([refused.status, await refused.json()]).toEqual([401, { error: "Unauthorized" }]);
      expect(refused.headers.get("x-error-code")).toBe("auth.invalid_signature");
    }
  });

  test("tRPC errors of its own have codes of the catalogue too", async () => {
    const ask = async (path: string, init: RequestInit = {}) => {
      const { error } = await (
        await fetch(`${service.url}/trpc/${path}`, { headers: { "Content-Type": "application/json" }, ...init })
      ).json();
      return [error.data.httpStatus, error.data.error, error.message];
    };
    expect(await ask("nothing.here")).toEqual([404, "request.not_found", "Not found"]);
    expect(await ask("auth.challenge", { method: "POST", body: "{" })).toEqual([
      400,
      "request.invalid_json",
      "Invalid JSON",
    ]);
    const wrongMethod = [405, "request.method_not_allowed", "Method not allowed"];
    expect(await ask("auth.challenge")).toEqual(wrongMethod);
    for (const method of ["PUT", "PATCH", "DELETE"]) expect(await ask("terms.list", { method })).toEqual(wrongMethod);
    expect(await ask("terms.list?connectionParams=1")).toEqual([400, "request.invalid_json", "Invalid JSON"]);
  });

  test("a body is JSON for any content type, and invalid UTF-8 is rejected, on REST and tRPC", async () => {
    for (const path of ["/api/v1/auth/challenge", "/trpc/auth.challenge"]) {
      const types = ["text/plain", "multipart/form-data; boundary=x", "application/octet-stream", ""];
      for (const type of types) {
        const answers = [await post(path, '{"message":"x","signature":"0x"}'), await post(path, "a=b")];
        const said = await post(path, '{"message":"x","signature":"0x"}', { "Content-Type": type });
        expect([said.status, await said.text()]).toEqual([answers[0]?.status ?? 0, (await answers[0]?.text()) ?? ""]);
        expect((await post(path, "a=b", { "Content-Type": type })).status).toBe(400);
      }
      expect((await post(path, new Uint8Array([0x22, 0xff, 0xfe, 0x22]))).status).toBe(400);
      expect((await post(path, Buffer.from('{"message":"x"}', "utf16le"))).status).toBe(400);
    }
  });

  test("an invalid Host header, or none as in HTTP/1.0, causes no failure and no error page", async () => {
    const ofParameters: Record<string, number[]> = {};
    for (const head of ["Host: a b%%", "Host: [::", "Host: a@b:c@d", "Host: localhost:99999", "Host:", "X-None: 1"]) {
      const version = head.startsWith("Host") ? "1.1" : "1.0";
      const statusOf = async (path: string) => {
        const text = await talk(service.url, `GET ${path} HTTP/${version}\r\n${head}\r\nConnection: close\r\n\r\n`);
        expect(text).not.toContain("<html");
        return Number(text.split(" ")[1]);
      };
      expect(await statusOf("/livez")).toBe(200);
      expect(await statusOf("/api/v1/terms")).toBe(200);
      for (const path of ["/api/v1/nowhere?a=b", "//api/v1/nowhere"]) expect(await statusOf(path)).toBe(404);
      ofParameters[head] = [
        await statusOf("/trpc/terms.list?input=%7B%7D"),
        await statusOf("/callbacks/monerium/oauth?state=x"),
      ];
    }
    // The framework finds no route with parameters below an address that cannot be parsed.
    expect(ofParameters).toEqual({
      "Host: a b%%": [200, 400],
      "Host: [::": [404, 400],
      "Host: a@b:c@d": [200, 400],
      "Host: localhost:99999": [200, 400],
      "Host:": [200, 400],
      "X-None: 1": [200, 400],
    });
  });

  test("an unknown route is 404 and a wrong method 405", async () => {
    expect(shortOf(await person.call("GET", "/nothing/here"))).toEqual({ status: 404, body: { error: "Not found" } });
    expect(shortOf(await person.call("PUT", "/auth/challenge"))).toEqual({
      status: 405,
      body: { error: "Method not allowed" },
    });
    expect(shortOf(await person.call("DELETE", "/safe/config"))).toEqual({
      status: 405,
      body: { error: "Method not allowed" },
    });
    for (const [method, path, allowed] of [
      ["POST", "/livez", "GET"],
      ["GET", "/callbacks/sumsub", "POST"],
      ["DELETE", "/openapi.json", "GET"],
    ] as const) {
      const { status, headers } = await fetch(`${service.url}${path}`, { method });
      expect([path, status, headers.get("allow")]).toEqual([path, 405, allowed]);
    }
  });

  test("every answer has a request id, the client's own if it is valid", async () => {
    const own = await person.call("GET", "/user", undefined, { "X-Request-Id": "abc-123" });
    expect(own.headers.get("x-request-id")).toBe("abc-123");
    const evil = await person.call("GET", "/nowhere", undefined, { "X-Request-Id": "a b<script>" });
    expect(evil.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("a post without body or content type, or with the type alone, is an empty body", async () => {
    const variants: Record<string, string>[] = [{}, { "Content-Type": "application/json" }];
    for (const headers of variants) {
      const answer = await person.call("POST", "/safe/deploy", undefined, headers);
      expect(shortOf(answer)).toEqual({ status: 422, body: { error: "User needs to complete KYC successfully" } });
    }
  });

  test("unknown fields are ignored, and a query never supplies a field of a mutation", async () => {
    const other = await new Person(service).signIn();
    expect((await other.call("POST", "/auth/signup?authEmail=query@example.org", {})).status).toBe(422);
    expect(
      (await other.call("POST", "/auth/signup", { authEmail: "unknown-fields@example.org", isAdmin: true })).status,
    ).toBe(201);
  });

  test.each(["EN", "e", "en-GB", "..", "eng"])("language %p is refused", async (language) => {
    expect((await person.call("GET", `/kyc/integration?language=${language}`)).status).toBe(400);
  });

  test("a token without a user is 401 on all routes except sign-up", async () => {
    const stranger = await new Person(service).signIn();
    for (const path of ["/user", "/user/terms", "/kyc/integration"]) {
      expect(shortOf(await stranger.call("GET", path))).toEqual({ status: 401, body: { message: "Unauthorized" } });
    }
    for (const path of ["/safe/deploy", "/safe/config", "/account-balances", "/delay-relay", "/eoa-accounts"]) {
      expect(shortOf(await stranger.call("GET", path))).toEqual({ status: 401, body: { error: "Unauthorized" } });
    }
  });

  test("a user without a Safe gets a 404", async () => {
    const noSafe = { status: 404, body: { error: "Couldn't find associated Safe for the user" } };
    expect(shortOf(await person.call("GET", "/account-balances"))).toEqual(noSafe);
    const query = `amount=1&to=${person.account.address}&tokenAddress=${person.account.address}`;
    expect(shortOf(await person.call("GET", `/accounts/withdraw/transaction-data?${query}`))).toEqual(noSafe);
    expect((await person.call("GET", "/delay-relay")).body).toEqual([]);
  });

  test("terms of another version, or unknown ones, are 422 and change nothing", async () => {
    expect(
      (await person.call("POST", "/user/terms", { terms: "general-tos", version: "TOS_GENERAL_VERSION_0" })).status,
    ).toBe(422);
    const unknown = await person.call("POST", "/user/terms", { terms: "PROVIDER-privacy-policy", version: "x" });
    expect(unknown.status).toBe(422);
    expect(unknown.body).toHaveProperty("message");
    const { body } = await person.call("GET", "/user/terms");
    expect(body.terms.some((item: { accepted: boolean }) => item.accepted)).toBe(false);
  });

  test("every document of the terms can be opened", async () => {
    const { body } = await person.call("GET", "/terms");
    expect(body.terms).toHaveLength(5);
    for (const { url, name } of body.terms) {
      expect(await (await fetch(url.replace("localhost", "127.0.0.1"))).text()).toStartWith(name);
    }
    expect((await fetch(`${service.url}/terms/nothing`)).status).toBe(404);
  });

  test("browsers on localhost may call, others may not", async () => {
    const preflight = (origin: string) =>
      fetch(`${service.url}/api/v1/owners`, {
        method: "OPTIONS",
        headers: { Origin: origin, "Access-Control-Request-Method": "DELETE" },
      });
    const allowed = await preflight("http://localhost:5173");
    expect(allowed.status).toBe(204);
    expect(allowed.headers.get("x-request-id")).toMatch(/^[\w-]+$/);
    expect(allowed.headers.get("access-control-allow-origin")).toBe("http://localhost:5173");
    expect(allowed.headers.get("access-control-allow-methods")).toContain("DELETE");
    const refused = await preflight("https://evil.test");
    expect([refused.status, await refused.text()]).toEqual([204, ""]);
    expect(refused.headers.get("access-control-allow-origin")).toBeNull();
  });

  test("the log names an origin whose pages may not read answers, once a minute, and few origins", async () => {
    const origins: unknown[] = [];
    const log = { ...service.runtime.log, info: ({ origin }: { origin?: string }) => void origins.push(origin) };
    const { publicUrl } = service.runtime.settings;
    const { handle } = createServer({ ...service.runtime, log });
    const ask = (Origin: string) => handle(new Request(`${service.url}/api/v1/terms`, { headers: { Origin } }));
    for (const origin of ["https://shop.example.org", "https://shop.example.org", "http://localhost:5173", publicUrl])
      await ask(origin);
    expect(origins).toEqual(["https://shop.example.org"]);
    for (let count = 0; count < 100; count++) await ask(`https://${count}.${"x".repeat(60)}.example.org`);
    expect(origins.length).toBeLessThanOrEqual(20);
  });

  test("a browser gets the same answers as other clients, on every surface, and its page may read them", async () => {
    for (const path of ["/api/v1/terms", "/api/v1/user", "/api/v1/nowhere", "/trpc/terms.list", "/openapi.json"]) {
      const plain = await fetch(service.url + path);
      const body = await plain.text();
      for (const [origin, allowed] of [
        ["http://localhost:5173", "http://localhost:5173"],
        ["https://evil.test", null],
        ["null", null],
      ] as const) {
        const answer = await fetch(service.url + path, { headers: { Origin: origin } });
        expect([answer.status, await answer.text()]).toEqual([plain.status, body]);
        expect(answer.headers.get("access-control-allow-origin")).toBe(allowed);
        expect(answer.headers.get("vary")).toContain("Origin");
        expect(answer.headers.get("access-control-expose-headers")?.includes("X-Request-Id") ?? false).toBe(!!allowed);
      }
    }
  });
});

describe("every answer", () => {
  const routesOfAllKinds = [
    "/api/v1/auth/nonce",
    "/api/v1/user",
    "/trpc/terms.list",
    "/livez",
    "/readyz",
    "/metrics",
    "/openapi.json",
    "/docs",
    "/terms/nothing",
    "/.well-known/jwks.json",
    "/nowhere",
  ];
  test.each(routesOfAllKinds)("of %s has a request id and security headers", async (path) => {
    const { headers } = await fetch(service.url + path, { headers: { "X-Request-Id": "given" } });
    expect(headers.get("x-request-id")).toBe("given");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(headers.get("cache-control")).toMatch(/no-store|no-cache/);
    expect(headers.get("strict-transport-security")).toBeNull();
  });

  test("requires TLS for later requests if clients use it", async () => {
    const settings = readSettings({
      ...service.env,
      PUBLIC_URL: "https://api.example.org",
      ALLOW_DEVELOPMENT_KEYS: "true",
    });
    const runtime = await createRuntime(settings, "server");
    const answer = await createServer(runtime).handle(new Request("http://localhost/api/v1/terms"));
    await runtime.close();
    expect(answer.headers.get("strict-transport-security")).toBe("max-age=31536000");
  });
});
