import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  createWebhookSender,
  type Resolve,
  WebhookRefused,
  type WebhookSender,
} from "@cardkeep/providers/webhooks/send";
import { createServer, type Server } from "node:net";
import type { AddressInfo } from "node:net";
import { findFreePorts } from "../support/ports.ts";

/** Every connection to it is a fault. */
let canary: Server;
let port = 0;
let connections = 0;
beforeAll(async () => {
  canary = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((listening) => canary.listen(0, () => listening()));
  port = (canary.address() as AddressInfo).port;
});
afterAll(() => canary.close());

const senderOf = (resolve: Resolve = async () => [], isProduction = false) =>
  createWebhookSender({ isProduction, inboxOrigin: null, ownPorts: [], timeoutMs: 1_000, resolve });

/** A developer's receiver; refused in production alone. */
const local = ["localhost", "LOCALHOST"];

const hosts = [
  ..."127.0.0.1 127.0.0.2 127.1 127.0.1 0 0.0.0.0 2130706433 0x7f.1 0x7f000001 017700000001 0177.0.0.1 127.0.0.1.".split(
    " ",
  ),
  ..."localhost. a.localhost printer.local db.internal intranet".split(" "),
  ..."[::1] [::] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1] [::ffff:7f00:1] [::127.0.0.1] [64:ff9b::7f00:1]".split(" "),
  ..."[2002:7f00:1::] [2001::1] [fd00::1] [fc00::1] [fe80::1] [ff02::1] [2001:db8::1]".split(" "),
  ..."10.0.0.1 10.255.255.255 172.16.0.1 172.31.255.255 192.168.1.1 100.64.0.1 100.127.255.255".split(" "),
  ..."169.254.169.254 0xa9fea9fe 192.0.0.1 192.0.2.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 240.0.0.1".split(
    " ",
  ),
  "255.255.255.255",
];

describe("where deliveries go", () => {
  const refuses = async (host: string, sender: WebhookSender) => {
    for (const url of [`http://${host}:${port}/hook`, `https://${host}:${port}/hook`]) {
      expect(await sender.accepts(url, { inbox: true })).toBe(false);
      await expect(sender.open(url)).rejects.toThrow(WebhookRefused);
    }
    expect(connections).toBe(0);
  };

  test.each(hosts)("%s is refused at registration and at sending, without a connection", async (host) => {
    await refuses(host, senderOf());
    await refuses(host, senderOf(undefined, true));
  });

  test.each(local)("%s is refused in production, and elsewhere where a part of this program listens", async (host) => {
    await refuses(host, senderOf(undefined, true));
    const options = { isProduction: false, inboxOrigin: null, ownPorts: [port], timeoutMs: 1_000 };
    await refuses(host, createWebhookSender(options));
    expect(await senderOf().accepts(`http://${host}:5432/hook`, { inbox: false })).toBe(false);
    const inside = senderOf(async () => ["10.0.0.1"]);
    expect(await inside.accepts(`http://${host}.evil.example:${port}/hook`, { inbox: false })).toBe(false);
    expect(await senderOf().accepts(`http://me@${host}:${port}/hook`, { inbox: false })).toBe(false);
  });

  test.each(["127.0.0.1", "::1"])(
    "localhost is a receiver of the developer outside production, also one that listens on %s alone",
    async (address) => {
      // Of a port that the system gives, the other address may be another program's.
      const [port = 0] = await findFreePorts(1);
      const server = Bun.serve({ port, hostname: address, fetch: () => new Response("seen", { status: 201 }) });
      const url = `http://localhost:${server.port}/hook`;
      expect(await senderOf().accepts(url, { inbox: false })).toBe(true);
      const endpoint = await senderOf().open(url);
      const answer = await endpoint.post({ headers: {}, body: "{}", signal: new AbortController().signal });
      endpoint.close();
      await server.stop(true);
      expect(answer.status).toBe(201);
    },
  );

  test.each([
    ["ftp://example.org/hook", false],
    ["http://example.org/hook", true],
    ["https://user:password@example.org/hook", false],
    ["https://example.org/hook", false],
    ["not a url", false],
  ])("%s is refused in production, for lack of https or for what it carries", async (url, isOkOutside) => {
    const resolve = async () => ["93.184.216.34"];
    const isAccepted = await senderOf(resolve, true).accepts(url, { inbox: true });
    expect(isAccepted).toBe(url === "https://example.org/hook");
    if (isOkOutside) expect(await senderOf(resolve).accepts(url, { inbox: true })).toBe(true);
  });

  test("a port of another service is refused, at registration and at sending", async () => {
    const sender = senderOf(async () => ["93.184.216.34"]);
    for (const allowed of ["", ":80", ":443", ":8080", ":8443", ":65535"])
      expect(await sender.accepts(`https://example.org${allowed}/hook`, { inbox: false })).toBe(true);
    for (const refused of [
      0, 1, 22, 25, 53, 110, 587, 993, 2049, 3306, 5060, 5432, 6379, 6667, 8545, 9200, 11211, 27017,
    ]) {
      const url = `https://example.org:${refused}/hook`;
      expect([refused, await sender.accepts(url, { inbox: false })]).toEqual([refused, false]);
      await expect(sender.open(url)).rejects.toThrow(WebhookRefused);
    }
  });

  test("blanks, control characters and invisible ones are refused, not removed", async () => {
    const sender = senderOf(async () => ["93.184.216.34"]);
    for (const odd of [
      " ",
      "\t",
      "\n",
      "\r",
      "\0",
      "\u007f",
      "\u0085",
      "\u00a0",
      "\u00ad",
      "\u200b",
      "\u2028",
      "\ufeff",
    ]) {
      const urls = [`${odd}https://example.org/`, `https://exa${odd}mple.org/`, `https://example.org/a${odd}b`];
      for (const url of [...urls, `https://example.org/${odd}`, `ht${odd}tps://example.org/`]) {
        expect([url, await sender.accepts(url, { inbox: false })]).toEqual([url, false]);
        await expect(sender.open(url)).rejects.toThrow(WebhookRefused);
      }
    }
  });

  test("a name that leads to this machine, like those of nip.io, is refused, even beside a public address", async () => {
    for (const addresses of [["127.0.0.1"], ["93.184.216.34", "10.0.0.1"], ["::ffff:10.0.0.1"]]) {
      const sender = senderOf(async () => addresses);
      expect(await sender.accepts("https://127.0.0.1.nip.io/hook", { inbox: false })).toBe(false);
      await expect(sender.open("https://127.0.0.1.nip.io/hook")).rejects.toThrow(WebhookRefused);
    }
  });

  test("a name whose answer changed after its registration gets no connection", async () => {
    let addresses = ["93.184.216.34"];
    const sender = senderOf(async () => addresses);
    const url = `http://rebinds.example.org:${port}/hook`;
    expect(await sender.accepts(url, { inbox: false })).toBe(true);
    addresses = ["127.0.0.1"];
    await expect(sender.open(url)).rejects.toThrow(WebhookRefused);
    expect(connections).toBe(0);
  });

  test("a name is resolved once before a connection, which then uses exactly the checked address", async () => {
    let asked = 0;
    // From the documentation's range, so that no such host answers; the second answer would be the canary.
    const sender = senderOf(async () => (asked++ === 0 ? ["93.184.216.34"] : ["127.0.0.1"]));
    const endpoint = await sender.open(`http://rebinds.example.org:${port}/hook`);
    const signal = new AbortController().signal;
    const answer = await endpoint.post({ headers: {}, body: "{}", signal });
    endpoint.close();
    expect(answer.status).toBeNull();
    expect(asked).toBe(1);
    expect(connections).toBe(0);
  });
});

describe("a receiver", () => {
  const post = async (respond: (request: Request) => Response | Promise<Response>, timeoutMs = 5_000) => {
    const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: respond });
    const inboxOrigin = `http://127.0.0.1:${server.port}`;
    const sender = createWebhookSender({ isProduction: false, inboxOrigin, ownPorts: [server.port ?? 0], timeoutMs });
    const endpoint = await sender.open(`http://localhost:${server.port}/inbox/x`);
    const answer = await endpoint.post({ headers: { "X-One": "1" }, body: "{}", signal: new AbortController().signal });
    endpoint.close();
    await server.stop(true);
    return answer;
  };

  test("that redirects is not followed", async () => {
    const seen: string[] = [];
    const answer = await post((request) => {
      seen.push(new URL(request.url).pathname);
      return Response.redirect("/elsewhere", 307);
    });
    expect(answer.status).toBe(307);
    expect(seen).toEqual(["/inbox/x"]);
  });

  test("that answers too late, too much or not at all delays no other", async () => {
    const late = await post(async () => {
      await Bun.sleep(2_000);
      return new Response("");
    }, 500);
    expect(late).toMatchObject({ status: null, error: "no answer within 0.5 s" });
    const endless = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(32 * 1024)) });
    expect(await post(() => new Response(endless))).toMatchObject({ status: 200 });
  });

  test("states how long to wait, in seconds or as an instant", async () => {
    const asked = (text: string) => post(() => new Response("", { status: 429, headers: { "Retry-After": text } }));
    expect((await asked("120")).retryAfterSeconds).toBe(120);
    const { retryAfterSeconds } = await asked(new Date(Date.now() + 60_000).toUTCString());
    expect(retryAfterSeconds).toBeGreaterThan(55);
    expect((await asked("soon")).retryAfterSeconds).toBeNull();
  });

  test("of the sandbox is its inbox alone, and only on its own port", async () => {
    const sender = createWebhookSender({
      isProduction: false,
      inboxOrigin: "http://127.0.0.1:3001",
      ownPorts: [3001],
      timeoutMs: 500,
    });
    const isAccepted = (url: string, inbox = true) => sender.accepts(url, { inbox });
    expect(await isAccepted("http://127.0.0.1:3001/inbox/x")).toBe(true);
    expect(await isAccepted("http://localhost:3001/inbox/x")).toBe(true);
    expect(await isAccepted("http://127.0.0.1:3001/inbox/x", false)).toBe(false);
    for (const url of [
      "http://127.0.0.1:3001/mailbox",
      "http://127.0.0.1:3001/inbox/../mailbox",
      "http://127.0.0.1:54329/inbox/x",
    ])
      expect(await isAccepted(url)).toBe(false);
  });
});
