import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createRuntime } from "@cardkeep/runtime/compose";
import { readSettings } from "@cardkeep/runtime/settings";
import { createServer } from "@cardkeep/server/server";
import { parseProxies } from "@cardkeep/runtime/settings/proxies";
import { findSourceAddress, networkOf } from "@cardkeep/server/sourceAddress";
import { type Answer, Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { findFreePorts } from "../support/ports.ts";
import { type Service, startService } from "../support/service.ts";

const quotas = {
  READS_PER_MINUTE: "60",
  WRITES_PER_MINUTE: "25",
  OPEN_REQUESTS_PER_MINUTE: "40",
  CODE_REQUESTS_PER_MINUTE: "3",
};

let service: Service;
/** Three servers on one database; the third one trusts 127.0.0.1 as a proxy. */
let urls: readonly string[];
const stops: (() => Promise<void>)[] = [];
beforeAll(async () => {
  service = await startService({ worker: false, env: quotas });
  const more = [{}, { TRUSTED_PROXIES: "127.0.0.0/8, fd00::/8" }].map(async (change) => {
    const [port = 0] = await findFreePorts(1);
    const runtime = await createRuntime(readSettings({ ...service.env, ...change, PORT: String(port) }), "server");
    const server = createServer(runtime);
    server.listen(port);
    stops.push(server.stop, runtime.close);
    return `http://127.0.0.1:${port}`;
  });
  urls = [service.url, ...(await Promise.all(more))];
});
afterAll(async () => {
  for (const stop of stops) await stop();
  await service.stop();
});

const at = (person: Person, url: string): Person =>
  Object.assign(new Person({ ...service, url }), { token: person.token, userId: person.userId });
const countOf = (answers: readonly Answer[], status: number) => answers.filter((a) => a.status === status).length;
const ask = (url: string, path: string, headers: Record<string, string> = {}) =>
  fetch(`${url}/api/v1${path}`, { headers });

describe("requests of one user", () => {
  test("share one quota over three servers and many tokens, exactly; reads and writes are separate", async () => {
    const ada = await (await new Person(service).signIn()).signUp();
    const again = await at(ada, urls[1] ?? "").call("POST", "/auth/challenge", await ada.signMessage());
    const people = urls.map((url) => at(ada, url));
    const [, second] = people;
    if (second) second.token = again.body.token;
    const reads = await Promise.all(
      Array.from({ length: 150 }, (_, index) => people[index % 3]?.call("GET", "/user/terms") ?? Promise.reject()),
    );
    expect([countOf(reads, 200), countOf(reads, 429)]).toEqual([60, 90]);
    const refused = reads.find(({ status }) => status === 429);
    expect(refused?.body).toEqual({ error: "Too many requests" });
    const wait = refused?.headers.get("retry-after") ?? "";
    expect(Number(wait)).toBeWithin(1, 61);
    expect(refused?.headers.get("ratelimit")).toBe(`"reads";r=0;t=${wait}`);
    expect(refused?.headers.get("ratelimit-policy")).toBe('"reads";q=60;w=60');
    expect(refused?.headers.get("ratelimit-limit")).toBe("60");
    expect(refused?.headers.get("ratelimit-remaining")).toBe("0");
    expect(refused?.headers.get("ratelimit-reset")).toBe(wait);

    const writes = await Promise.all(
      Array.from({ length: 50 }, (_, index) => people[index % 3]?.call("POST", "/user/terms", {}) ?? Promise.reject()),
    );
    expect([countOf(writes, 422), countOf(writes, 429)]).toEqual([25, 25]);

    const bob = await (await new Person(service).signIn()).signUp();
    expect((await bob.call("GET", "/user/terms")).status).toBe(200);
    await ada.sandbox("POST", "/chain/advance", { seconds: 61 });
    await until(async () => (await ada.call("GET", "/user/terms")).status === 200);
  });

  test("by programs share one quota of reads, however many tokens come and go; the user's own reads stay apart", async () => {
    const ada = await (await new Person(service).signIn()).signUp();
    const readBy = async (count: number): Promise<readonly number[]> => {
      const { body } = await ada.call("POST", "/tokens", { name: "Books", scopes: ["transactions"] });
      const program = Object.assign(new Person(service), { token: body.token });
      const answers = await Promise.all(
        Array.from({ length: count }, () => program.call("GET", "/cards/transactions")),
      );
      expect((await ada.call("DELETE", `/tokens/${body.id}`)).status).toBe(200);
      return [countOf(answers, 200), countOf(answers, 429)];
    };
    expect([await readBy(40), await readBy(40), await readBy(1)]).toEqual([
      [40, 0],
      [20, 20],
      [0, 1],
    ]);
    expect((await ada.call("GET", "/user/terms")).status).toBe(200);
  });

  test("are counted one by one in a tRPC batch, with Retry-After", async () => {
    const ada = await (await new Person(service).signIn()).signUp();
    const batch = Array.from({ length: 10 }, () => "users.terms").join(",");
    const answers: Response[] = [];
    for (let turn = 0; turn < 7; turn++) {
      answers.push(
        await fetch(`${service.url}/trpc/${batch}?batch=1&input=%7B%7D`, {
          headers: { Authorization: `Bearer ${ada.token}` },
        }),
      );
    }
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200, 429]);
    const [last] = answers.slice(-1);
    const [first] = (await last?.json()) ?? [];
    expect(first.error.data).toMatchObject({ error: "request.rate_limited", httpStatus: 429 });
    expect(last?.headers.get("retry-after")).toMatch(/^\d+$/);
  });

  test("of a partner's changes are separate from its reads too", async () => {
    const shop = new Person(service);
    shop.token = (await shop.sandbox("POST", "/partners", { name: "shop", domains: [] })).body.apiKey;
    const writes = await Promise.all(Array.from({ length: 30 }, () => shop.call("POST", "/partners/card-rules", {})));
    expect([countOf(writes, 422), countOf(writes, 429)]).toEqual([25, 5]);
    expect(writes.find(({ status }) => status === 429)?.headers.get("ratelimit-policy")).toBe('"writes";q=25;w=60');
    expect((await shop.call("GET", "/partners/card-rules")).status).toBe(200);
  });

  test("with a wallet that never signs up are limited too", async () => {
    const stranger = await new Person(service).signIn();
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => stranger.call("POST", "/auth/signup", { authEmail: "nope" })),
    );
    expect([countOf(answers, 422), countOf(answers, 429)]).toEqual([25, 5]);
  });
});

describe("requests without a user", () => {
  test("are limited by network and operation, for any header", async () => {
    const spoofed = async (index: number) =>
      (
        await ask(urls[index % 2] ?? "", "/terms", {
          "X-Forwarded-For": `203.0.113.${index}`,
          Forwarded: `for=203.0.113.${index}`,
          "X-Real-IP": `203.0.113.${index}`,
        })
      ).status;
    const statuses = await Promise.all(Array.from({ length: 100 }, (_, index) => spoofed(index)));
    expect(statuses.filter((status) => status === 200)).toHaveLength(40);
    expect(statuses.filter((status) => status === 429)).toHaveLength(60);
    expect((await ask(service.url, "/auth/nonce")).status).toBe(200);
  });

  test("are separated by the address that a trusted proxy reports, and only by that", async () => {
    const [, , behindProxy = ""] = urls;
    const from = async (forwardedFor: string) =>
      (await ask(behindProxy, "/auth/nonce", { "X-Forwarded-For": forwardedFor })).status;
    const statuses = await Promise.all(Array.from({ length: 50 }, (_, index) => from(`203.0.113.${index}`)));
    expect(statuses.every((status) => status === 200)).toBe(true);
    const chained = await Promise.all(
      Array.from({ length: 50 }, (_, index) => from(`198.51.100.${index}, 203.0.113.99, 127.0.0.2`)),
    );
    expect(chained.filter((status) => status === 200)).toHaveLength(40);
  });

  test("that send mail are few, for any recipient", async () => {
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        new Person(service).call("POST", "/auth/signup/otp", { email: `mail-${index}@example.org` }),
      ),
    );
    expect([countOf(answers, 200), countOf(answers, 429)]).toEqual([3, 3]);
  });

  test("are unlimited for machines: health, metrics, documents, callbacks", async () => {
    for (const path of ["/livez", "/metrics", "/openapi.json", "/.well-known/jwks.json"]) {
      const statuses = await Promise.all(
        Array.from({ length: 45 }, async () => (await fetch(`${service.url}${path}`)).status),
      );
      expect(statuses.every((status) => status === 200)).toBe(true);
    }
    const callback = () => fetch(`${service.url}/callbacks/sumsub`, { method: "POST", body: "{}" });
    const statuses = await Promise.all(Array.from({ length: 45 }, async () => (await callback()).status));
    expect(statuses.every((status) => status === 401)).toBe(true);
  });
});

test("an IPv6 customer is one network, an IPv4 address is itself in any spelling", () => {
  expect(networkOf("2001:db8:1:2:3:4:5:6")).toBe("2001:db8:1:2::/64");
  expect(networkOf("2001:db8:1:2:ffff::9")).toBe("2001:db8:1:2::/64");
  expect(networkOf("2001:db8::1")).toBe("2001:db8:0:0::/64");
  expect(networkOf("::1")).toBe("0:0:0:0::/64");
  for (const wrapped of ["::ffff:192.0.2.1", "::FFFF:192.0.2.1", "::ffff:c000:201", "0:0:0:0:0:ffff:c000:0201"])
    expect(networkOf(wrapped)).toBe("192.0.2.1");
  for (const translated of ["64:ff9b::192.0.2.1", "64:FF9B::C000:201", "64:ff9b:0:0:0:0:c000:0201"])
    expect(networkOf(translated)).toBe("192.0.2.1");
  expect(networkOf("64:ff9b::203.0.113.9")).not.toBe(networkOf("64:ff9b::192.0.2.1"));
  expect(networkOf("64:ff9b:0:1::192.0.2.1")).toBe("64:ff9b:0:1::/64");
  expect(networkOf("2001:0DB8:0000:0000::9%eth0")).toBe("2001:db8:0:0::/64");
  expect(networkOf("192.0.2.1")).toBe("192.0.2.1");
});

test("a proxy of ours is believed up to the first address that is no proxy of ours, and a text that is none is not", () => {
  const isTrusted = parseProxies("127.0.0.0/8, fd00::/8") ?? (() => false);
  const from = (peer: string, forwardedFor: string | null) => findSourceAddress(peer, forwardedFor, isTrusted);
  expect(from("203.0.113.1", "198.51.100.7")).toBe("203.0.113.1");
  expect(from("127.0.0.1", null)).toBe("127.0.0.1");
  expect(from("::ffff:127.0.0.1", " 198.51.100.7 , 203.0.113.9 ,fd00::2,127.0.0.2")).toBe("203.0.113.9");
  expect(from("fd00::1", "198.51.100.7, ::ffff:203.0.113.9")).toBe("::ffff:203.0.113.9");
  for (const text of ["", "unknown", "198.51.100.7, unknown"]) expect(from("127.0.0.1", text)).toBe("127.0.0.1");
  expect(from("unknown", "198.51.100.7")).toBe("unknown");
});
