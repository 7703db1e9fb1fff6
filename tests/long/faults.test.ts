import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { createSandbox } from "@cardkeep/sandbox/app";
import { faultNames, kindOf, type FaultName, type FaultOptions } from "@cardkeep/sandbox/faults/catalogue";
import type { FaultName as PublishedName, FaultOptions as PublishedOptions } from "@cardkeep/testing";
import { keccak256, toHex } from "viem";
import { filled } from "../support/filled.ts";
import { becomeIbanHolder } from "../support/ibans.ts";
import { openNode } from "../support/node.ts";
import { Person } from "../support/person.ts";
import { retry, until } from "../support/poll.ts";
import { type Service, startService } from "../support/service.ts";
import {
  isInTime,
  atIssuer,
  balancesOf,
  becomeCardHolder,
  cent,
  euro,
  follow,
  give,
  historyOf,
  untilSettled,
  use,
  useOnce,
} from "../support/spending.ts";

let service: Service;
let anyone: Person;
beforeAll(async () => {
  service = await startService({ faults: true });
  anyone = new Person(service);
});
afterEach(() => anyone.sandbox("DELETE", "/faults"));
afterAll(() => service.stop());

const set = (name: FaultName, options: object = {}) => anyone.sandbox("PUT", `/faults/${name}`, options);
const end = async (name: FaultName) => (await anyone.sandbox("DELETE", `/faults/${name}`)).body;
const listOn = async () => (await anyone.sandbox("GET", "/faults")).body;

const send = (path: string, init: RequestInit = {}) =>
  fetch(`${service.sandboxUrl}${path}`, { method: "POST", ...init });
async function askNode(method: string, params: unknown[] = []) {
  const answer = await send("/node", { body: JSON.stringify({ jsonrpc: "2.0", id: 7, method, params }) });
  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads whatever the node said
  return answer.ok ? ((await answer.json()) as any).result : answer.status;
}

describe("a fault", () => {
  test("is on with its defaults, counts its hits, and is off after it was switched off", async () => {
    expect((await set("kyc.slow", { ms: 0 })).body).toEqual({ name: "kyc.slow", rate: 1, seed: 1, ms: 0, hits: 0 });
    expect((await set("sms.down", { count: 3 })).status).toBe(200);
    await send("/resources/applicants");
    expect(await listOn()).toMatchObject([
      { name: "kyc.slow", hits: 1 },
      { name: "sms.down", hits: 0 },
    ]);
    expect(await end("kyc.slow")).toMatchObject({ name: "kyc.slow", hits: 1 });
    expect(await end("mail.down")).toEqual({ name: "mail.down", hits: 0 });
    expect((await anyone.sandbox("DELETE", "/faults")).body).toMatchObject([{ name: "sms.down", hits: 0 }]);
    expect(await listOn()).toEqual([]);
  });

  test("is refused in one sentence, and changes nothing: unknown names, options of others, values out of range", async () => {
    // The worker's own calls to the issuer do not hit it.
    await set("issuer.slow", { ms: 1, match: "/none" });
    const refused: [string, unknown, string][] = [
      [
        "issuer.sleep",
        {},
        'There is no fault "issuer.sleep"; there are issuer.down, issuer.error, issuer.slow and issuer.hang',
      ],
      ["__proto__", {}, 'There is no fault "__proto__"; names begin with node, chain, kyc'],
      [
        "issuer.slow",
        { status: 500 },
        'issuer.slow does not take "status"; it takes rate, seconds, count, match, seed and ms',
      ],
      ["worker.kill", { seconds: 1 }, 'worker.kill does not take "seconds"; it takes count'],
      ["chain.reorg", { count: 2 }, "count: must be 1, for chain.reorg happens once"],
      ["issuer.slow", { rate: 1.01 }, "rate: must be a number from 0 to 1"],
      ["issuer.slow", { rate: null }, "rate: must be a number from 0 to 1"],
      ["issuer.slow", { count: 0.5 }, "count: must be a whole number from 1 to 1000000"],
      ["issuer.slow", { seconds: -1 }, "seconds: must be a number from 0.001 to 86400"],
      ["issuer.slow", { match: "" }, "match: must not be empty"],
      ["issuer.slow", { ms: "5" }, "ms: must be a whole number from 0 to 60000"],
      ["issuer.error", { status: 200 }, "status: must be a whole number from 400 to 599"],
      ["chain.reorg", { blocks: 0 }, "blocks: must be a whole number from 1 to 100"],
      ["callbacks.forge", { place: "behind" }, "place: must be `beside` or `instead`"],
      ["issuer.slow", [], "The input is invalid"],
    ];
    for (const [name, options, error] of filled(refused)) {
      const { status, body } = await set(name as FaultName, options as object);
      expect([status, body.error]).toEqual([422, expect.stringContaining(error)]);
    }
    expect((await anyone.sandbox("DELETE", "/faults/issuer.sleep")).status).toBe(422);
    expect(await listOn()).toEqual([{ name: "issuer.slow", rate: 1, seed: 1, match: "/none", ms: 1, hits: 0 }]);
  });

  test("hits the same requests with the same seed, also when others run between them", async () => {
    const play = async (seed: number, between: boolean) => {
      await set("issuer.error", { rate: 0.4, seed, status: 418 });
      const hits: boolean[] = [];
      for (let index = 0; index < 30; index++) {
        if (between) await send(`/v1/issuing/cardholders/ich_${crypto.randomUUID()}`);
        hits.push((await send(`/v1/issuing/cards/ic_${crypto.randomUUID()}`)).status === 418);
      }
      return hits;
    };
    const first = await play(7, false);
    expect(first.filter(Boolean).length).toBeWithin(4, 22);
    expect(await play(7, true)).toEqual(first);
    expect(await play(8, false)).not.toEqual(first);
  });

  test("ends by itself after its hits or its seconds, and hits only what its text matches", async () => {
    await set("kyc.down", { count: 2, match: "POST /resources/accessTokens" });
    const statuses: number[] = [];
    for (const path of ["applicants", "accessTokens/sdk", "accessTokens/sdk", "accessTokens/sdk"])
      statuses.push((await send(`/resources/${path}`)).status);
    expect(statuses).toEqual([401, 503, 503, 401]);
    expect(await listOn()).toEqual([]);
    expect(await end("kyc.down")).toMatchObject({ hits: 2 });
    await set("sms.down", { seconds: 0.05 });
    await until(async () => (await listOn()).length === 0);
  });

  test("has the names and options that the testing package publishes", () => {
    const names: readonly PublishedName[] = faultNames;
    const own: readonly FaultName[] = names;
    const options: Required<PublishedOptions> = {} as Required<FaultOptions>;
    const ownOptions: Required<FaultOptions> = options;
    expect(own).toHaveLength(47);
    expect(ownOptions).toEqual(options);
  });

  test("is in the table of the sandbox's README, with the defaults of its own options", async () => {
    const table = await Bun.file(new URL("../../apps/sandbox/README.md", import.meta.url)).text();
    for (const name of faultNames) {
      const row = table.split("\n").find((line) => line.startsWith("|") && line.includes(`\`${name}\``)) ?? "";
      const { takes, defaults = {} } = kindOf(name);
      const own = takes.filter((option) => ["ms", "status", "blocks", "place"].includes(option));
      const general = { ms: 0, status: 500, blocks: 1, place: "beside", ...defaults };
      const shown = own.map((option) => `\`${option}\` ${general[option as keyof typeof general]}`);
      expect([name, row.split("|").at(-2)?.trim()]).toEqual([name, shown.join(", ")]);
    }
  });

  test("is named on every page of the console, and listed at its desk with its hits", async () => {
    const read = async (desk: string) => (await fetch(`${service.sandboxUrl}/?desk=${desk}`)).text();
    await set("kyc.slow", { ms: 0 });
    await send("/resources/applicants");
    for (const desk of ["people", "chain", "faults"]) expect(await read(desk)).toContain("A fault is on: kyc.slow.");
    expect(await read("faults")).toMatch(/id="fault-kyc.slow">[\s\S]*?rate 1, seed 1, ms 0[\s\S]*?>1<\/td>/);
    await set("sms.down");
    expect(await read("people")).toContain("2 faults are on: kyc.slow, sms.down.");
    await anyone.sandbox("DELETE", "/faults");
    expect(await read("faults")).not.toContain("kyc.slow.");
  });

  test("that happens to processes needs `bun start`", async () => {
    for (const name of ["worker.kill", "postgres.restart"] as const)
      expect((await set(name)).body.error).toStartWith("Only the sandbox of `bun start` can restart the ");
  });

  test("of the node needs the local chain", async () => {
    const { settings } = service.runtime;
    const elsewhere = createSandbox({ ...service.runtime, settings: { ...settings, localChain: false } });
    for (const name of ["node.down", "chain.reorg"]) {
      const request = new Request(`${service.sandboxUrl}/faults/${name}`, { method: "PUT" });
      expect((await elsewhere.fetch(request)).status).toBe(409);
    }
  });
});

describe("a partner", () => {
  const doors = {
    kyc: ["/resources/applicants", { code: 429, description: expect.any(String) }],
    emoney: ["/emoney/api/orders", { code: 429, status: "Too Many Requests", message: expect.any(String) }],
    issuer: ["/v1/issuing/cards", { error: { type: "invalid_request_error", message: expect.any(String) } }],
    mail: ["/mailbox", { error: expect.any(String) }],
    sms: ["/2010-04-01/Accounts/x/Messages.json", { code: 20_429, message: expect.any(String), status: 429 }],
  } as const;

  test.each(["kyc", "emoney", "issuer", "mail", "sms"] as const)(
    "%s is down, answers errors in its own form, is slow, and hangs until the fault is off",
    async (partner) => {
      const [path, errorBody] = doors[partner];
      const usual = (await send(path)).status;
      expect(usual).not.toBe(503);
      await set(`${partner}.down`);
      expect((await send(path)).status).toBe(503);
      await end(`${partner}.down`);
      await set(`${partner}.error`, { status: 429 });
      const refused = await send(path);
      expect([refused.status, await refused.json()]).toEqual([429, expect.objectContaining(errorBody)]);
      await end(`${partner}.error`);
      await set(`${partner}.slow`, { ms: 60 });
      const startedAt = performance.now();
      expect((await send(path)).status).toBe(usual);
      expect(performance.now() - startedAt).toBeGreaterThanOrEqual(55);
      await end(`${partner}.slow`);
      // The worker asks the issuer too.
      await set(`${partner}.hang`, { count: 1, match: path });
      let hung: number | null = null;
      const answered = send(path).then(({ status }) => (hung = status));
      await until(async () => (await listOn()).length === 0);
      expect((await send(path)).status).toBe(usual);
      expect(hung).toBeNull();
      expect(await end(`${partner}.hang`)).toMatchObject({ hits: 1 });
      expect(await answered).toBe(usual);
    },
  );

  test("mail is read while it is down", async () => {
    await set("mail.down");
    expect((await anyone.sandbox("GET", "/mailbox")).status).toBe(200);
  });
});

describe("the node", () => {
  test("is down for the service alone, and for one method only if that is named", async () => {
    const ada = await new Person(service).becomeApproved();
    expect((await anyone.sandbox("GET", "/chain")).body.rpcUrl).toBe(service.rpcUrl);
    await set("node.down", { match: "eth_getBalance" });
    expect([await askNode("eth_getBalance"), await askNode("eth_chainId")]).toEqual([503, "0x64"]);
    await set("node.down");
    const isChainOk = async () => (await (await fetch(`${service.url}/readyz`)).json()).parts.chain.status === "ok";
    await until(async () => !(await isChainOk()));
    expect((await anyone.sandbox("GET", "/chain")).status).toBe(200);
    expect((await ada.call("GET", "/user")).status).toBe(200);
    await end("node.down");
    await until(isChainOk);
  });

  test("is stale: every answer is that of an older block", async () => {
    const getHead = async () => (await anyone.sandbox("GET", "/chain")).body.blockNumber as number;
    const head = await getHead();
    await set("node.stale", { blocks: 50 });
    expect(Number(await askNode("eth_blockNumber"))).toBeLessThan(head);
    const { number } = await askNode("eth_getBlockByNumber", ["latest", false]);
    expect(Number(number)).toBeWithin(head - 50, head);
    expect(await askNode("eth_getBlockByNumber", [toHex(await getHead()), false])).toBeNull();
  });

  test("drops a transaction: it answers the hash and knows nothing of it", async () => {
    await set("node.drop", { match: "eth_sendRawTransaction" });
    const raw = toHex("a transaction");
    expect(await askNode("eth_sendRawTransaction", [raw])).toBe(keccak256(raw));
    expect(await askNode("eth_getTransactionByHash", [keccak256(raw)])).toBeNull();
    expect(await end("node.drop")).toMatchObject({ hits: 1 });
  });

  test("hangs, is slow, and rejects no batch", async () => {
    await set("node.slow", { ms: 60 });
    const startedAt = performance.now();
    await askNode("eth_chainId");
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(55);
    await set("node.hang", { match: "eth_gasPrice" });
    const hung = askNode("eth_gasPrice");
    await until(async () => (await listOn()).some(({ hits }: { hits: number }) => hits > 0));
    await end("node.hang");
    expect(await hung).toStartWith("0x");
    const calls = [1, 2].map((id) => ({ jsonrpc: "2.0", id, method: "eth_chainId", params: [] }));
    expect(await (await send("/node", { body: JSON.stringify(calls) })).json()).toHaveLength(2);
  });

  test("reorganises: the newest blocks are replaced, those before stay", async () => {
    // The node has the state of blocks since its start alone.
    await openNode(service.rpcUrl).client.mine({ blocks: 25 });
    const { number } = await service.runtime.chain.getBlock();
    const hashes = (numbers: bigint[]) =>
      Promise.all(numbers.map(async (each) => (await askNode("eth_getBlockByNumber", [toHex(each), false])).hash));
    const [before, old] = await hashes([number, number - 20n]);
    expect((await set("chain.reorg", { blocks: 10 })).body).toEqual({ name: "chain.reorg", blocks: 10, hits: 1 });
    expect(await hashes([number, number - 20n])).toEqual([expect.not.stringMatching(before), old]);
    expect(await listOn()).toEqual([]);
  });

  test("reorganises also where an empty block could be mined again as it was", async () => {
    const { client } = openNode(service.rpcUrl);
    const { number } = await client.getBlock();
    // The least that empty blocks can have: a higher fee falls with each of them, so that no two are the same.
    await client.setNextBlockBaseFeePerGas({ baseFeePerGas: 0n });
    await client.mine({ blocks: 25 });
    const hashOf = (each: bigint) => client.getBlock({ blockNumber: each }).then(({ hash }) => hash);
    for (const each of filled([number + 10n, number + 9n, number + 8n])) {
      const before = await hashOf(each);
      const head = await client.getBlockNumber({ cacheTime: 0 });
      await set("chain.reorg", { blocks: Number(head - each) + 1 });
      expect(await hashOf(each)).not.toBe(before);
    }
  });
});

describe("a callback", () => {
  interface Arrived {
    headers: Record<string, string>;
    body: string;
  }
  let arrived: Arrived[] = [];
  let receiver: Bun.Server<undefined>;
  let sandbox: ReturnType<typeof createSandbox>;
  let userId = "";
  let statusOf: (attempt: number) => number = () => 200;
  // The sandbox delivers to a receiver that accepts everything unless a test says otherwise.
  beforeAll(async () => {
    receiver = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: async (request) => {
        arrived.push({ headers: request.headers.toJSON(), body: await request.text() });
        return new Response(null, { status: statusOf(arrived.length) });
      },
    });
    const settings = { ...service.runtime.settings, port: receiver.port ?? 0 };
    sandbox = createSandbox({ ...service.runtime, settings });
    userId = (await (await new Person(service).signIn()).signUp()).userId ?? "";
  });
  afterAll(() => receiver.stop(true));
  afterEach(async () => {
    await call("DELETE", "/faults");
    arrived = [];
    statusOf = () => 200;
  });

  const call = (method: string, path: string, body: object = {}) =>
    sandbox.fetch(new Request(`${service.sandboxUrl}${path}`, { method, body: JSON.stringify(body) }));
  const review = (outcome: string) => call("POST", `/kyc/${userId}/review`, { outcome });
  const listTypes = () => arrived.map(({ body }) => JSON.parse(body).type);

  test("is lost, and the partner's own action succeeds; its type can be matched", async () => {
    await call("PUT", "/faults/callbacks.lose", { match: "applicantPending" });
    expect((await review("pending")).status).toBe(200);
    expect((await review("processing")).status).toBe(200);
    expect(listTypes()).toEqual(["applicantPrechecked"]);
  });

  test("arrives twice, side by side or apart", async () => {
    await call("PUT", "/faults/callbacks.duplicate", { count: 1 });
    await review("pending");
    expect(listTypes()).toEqual(["applicantPending", "applicantPending"]);
    expect(new Set(arrived.map(({ body }) => body)).size).toBe(1);
    await call("PUT", "/faults/callbacks.duplicate", { ms: 30 });
    await review("processing");
    expect(arrived).toHaveLength(3);
    await until(() => arrived.length === 4);
  });

  test("arrives after the next one, or alone after its time", async () => {
    await call("PUT", "/faults/callbacks.reorder", { count: 1 });
    await review("pending");
    await review("processing");
    await until(() => arrived.length === 2);
    expect(listTypes()).toEqual(["applicantPrechecked", "applicantPending"]);
    await call("PUT", "/faults/callbacks.reorder", { count: 1, ms: 30 });
    await review("pending");
    expect(arrived).toHaveLength(2);
    await until(() => arrived.length === 3);
  });

  test("arrives in any order, and after the answer of its cause", async () => {
    const sent = ["pending", "processing", "requiresAction", "pending", "processing", "requiresAction"];
    const kinds = ["applicantPending", "applicantPrechecked", "applicantOnHold"];
    const inOrder = [...kinds, ...kinds];
    // Longer than the answers of a busy machine are apart: only callbacks on their way at the same time change places.
    let ms = 150;
    const play = async () => {
      arrived.length = 0;
      ms = Math.min(2 * ms, 5_000);
      await call("PUT", "/faults/callbacks.shuffle", { ms, seed: 5 });
      for (const outcome of sent) expect((await review(outcome)).status).toBe(200);
      const answered = arrived.length;
      await until(() => arrived.length === sent.length);
      expect(listTypes().toSorted()).toEqual(inOrder.toSorted());
      return { isAfter: answered < sent.length, isShuffled: listTypes().join() !== inOrder.join() };
    };
    const played = await retry(play, ({ isAfter, isShuffled }) => isAfter && isShuffled);
    expect(played).toEqual({ isAfter: true, isShuffled: true });
  });

  test("that the service refuses comes again, unchanged, and its cause learns of it", async () => {
    statusOf = (attempt) => [409, 400][attempt - 1] ?? 200;
    const refused = await review("pending");
    expect([refused.status, (await refused.json()).error]).toEqual([422, expect.stringContaining("409")]);
    await until(() => arrived.length === 3);
    expect(new Set(arrived.map(({ body }) => body)).size).toBe(1);
  });

  test("arrives late", async () => {
    await call("PUT", "/faults/callbacks.delay", { ms: 40 });
    await review("pending");
    expect(arrived).toHaveLength(0);
    await until(() => arrived.length === 1);
  });

  test("is forged: the same body with another signature, beside the real one or instead of it", async () => {
    await call("PUT", "/faults/callbacks.forge", { count: 1 });
    await review("pending");
    const [forged, real] = arrived;
    expect(forged?.body).toBe(real?.body ?? "");
    expect(forged?.headers["x-payload-digest"]).toMatch(/^[0-9a-f]{64}$/);
    expect(forged?.headers["x-payload-digest"]).not.toBe(real?.headers["x-payload-digest"] ?? "");
    // This receiver accepts everything, and the fault says so.
    const ended = await (await call("DELETE", "/faults/callbacks.forge")).json();
    expect(ended).toMatchObject({ hits: 1, accepted: 1 });
    await call("PUT", "/faults/callbacks.forge", { place: "instead" });
    await review("processing");
    expect(arrived).toHaveLength(3);
  });
});

describe("the service", () => {
  test("refuses every forged callback of every partner, and accepts the real ones beside them", async () => {
    await set("callbacks.forge");
    const holder = await becomeCardHolder(service, 50n * euro);
    const iban = await becomeIbanHolder(holder.person);
    await anyone.sandbox("POST", "/emoney/incoming", { iban, amount: "3", counterpart: "Bea", memo: "Rent" });
    const { approved, threadId } = await use(holder, 500);
    expect(approved).toBe(true);
    await follow(holder, threadId, "clear");
    const forge = await end("callbacks.forge");
    expect(forge).toMatchObject({ accepted: 0 });
    expect(forge.hits).toBeGreaterThan(4);
  });

  test("decides an authorization once that is requested twice side by side; a lost request is declined", async () => {
    const holder = await becomeCardHolder(service, 50n * euro);
    await set("callbacks.duplicate");
    const { approved, threadId } = await use(holder, 3_000);
    expect(approved).toBe(true);
    expect((await end("callbacks.duplicate")).hits).toBeGreaterThan(0);
    // Held, or spent already: in either case once.
    expect(await balancesOf(holder)).toMatchObject({ spendable: 20n * euro });
    // A busy machine may have been too late for uses before it, which were declined.
    const { results } = await historyOf(holder);
    expect(results.filter((row: { threadId: string }) => row.threadId === threadId)).toHaveLength(1);
    await follow(holder, threadId, "reverse");
    await set("callbacks.lose", { match: "issuing_authorization.request", count: 1 });
    expect(await useOnce(holder, 100)).toMatchObject({ approved: false, reason: "webhook_timeout" });
    const useDelayed = async () => {
      await set("callbacks.delay", { match: "issuing_authorization.request", count: 1, ms: 50 });
      return useOnce(holder, 100);
    };
    expect(await retry(useDelayed, isInTime)).toMatchObject({ approved: true });
    await untilSettled(service);
  });

  test("finds the use of a card whose callbacks were all lost, at its hourly comparison with the issuer", async () => {
    const holder = await becomeCardHolder(service, 50n * euro);
    expect((await use(holder, 500)).approved).toBe(true);
    await set("callbacks.lose", { match: "/callbacks/stripe" });
    await atIssuer(service, "transactions/create_force_capture", { amount: "900", card: holder.cardToken });
    expect((await end("callbacks.lose")).hits).toBeGreaterThan(0);
    expect((await historyOf(holder)).results).toHaveLength(1);
    await anyone.sandbox("POST", "/chain/advance", { seconds: 3_600 });
    // The token was for an hour.
    await holder.person.signIn();
    await until(async () => (await historyOf(holder)).results.length === 2);
    await untilSettled(service);
  });

  test("a journey with card and withdrawal ends right, once and to the unit, under several faults at once", async () => {
    const on: [FaultName, object][] = [
      ["node.down", { rate: 0.1, count: 3 }],
      ["node.slow", { rate: 0.2, ms: 30 }],
      ["node.stale", { rate: 0.1, blocks: 1 }],
      ["kyc.error", { rate: 0.3 }],
      ["issuer.down", { count: 1 }],
      ["sms.error", { count: 1 }],
      ["callbacks.duplicate", {}],
      ["callbacks.forge", {}],
      ["callbacks.delay", { rate: 0.3, ms: 50 }],
      ["callbacks.reorder", { count: 2, ms: 100 }],
    ];
    for (const [name, options] of on) expect((await set(name, options)).status).toBe(200);

    const cy = await (await new Person(service).becomeApproved()).acceptTerms();
    /** Waits, and brings the next try of every job nearer. */
    const advanceUntil = (isDone: () => Promise<boolean>, seconds = 3) =>
      until(
        async () => {
          if (await isDone()) return true;
          await anyone.sandbox("POST", "/chain/advance", { seconds });
          return false;
        },
        { everyMs: 400 },
      );
    /** Sends a request until no fault hits it, as an app does. */
    const insist = async (method: string, path: string, body?: unknown) => {
      let answer = await cy.call(method, path, body);
      await advanceUntil(async () => {
        if (answer.status < 500 && answer.status !== 409) return true;
        answer = await cy.call(method, path, body);
        return false;
      });
      expect([path, answer.status]).toEqual([path, expect.any(Number)]);
      expect(answer.status).toBeLessThan(300);
      return answer.body;
    };
    await until(async () => (await cy.call("GET", "/user")).body.kycStatus === "approved");
    await insist("POST", "/safe/deploy");
    await advanceUntil(async () => (await cy.call("GET", "/safe/deploy")).body.status === "ok");
    const { address } = await insist("GET", "/safe/config");
    await give(cy, address, 80n * euro);

    await insist("POST", "/verification", { phoneNumber: "+4915112345678" });
    const [{ code }] = (await cy.sandbox("GET", "/phones?to=%2B4915112345678")).body;
    await insist("POST", "/verification/check", { code });
    const questions: { question: string; answers: string[] }[] = await insist("GET", "/source-of-funds");
    await insist(
      "POST",
      "/source-of-funds",
      questions.map(({ question, answers: [answer] }) => ({ question, answer })),
    );
    const created = insist("POST", "/cards/virtual");
    await until(async () => (await listOn()).every(({ name }: { name: string }) => name !== "issuer.down"));
    // The job's next try is due at once, while the request still waits.
    await advanceUntil(async () => (await insist("GET", "/cards")).length === 1);
    await created;
    const cards: { cardToken: string }[] = await insist("GET", "/cards");
    expect(cards).toHaveLength(1);
    const holder = { person: cy, safe: address, cardToken: cards[0]?.cardToken ?? "" };
    const { threadId } = await use(holder, 1_250);
    await follow(holder, threadId, "clear");

    const to = "0x000000000000000000000000000000000000dEaD";
    const tokenAddress = "0xcB444e90D8198415266c6a2724b7900fb12FC56E";
    const transfer = { tokenAddress, to, amount: String(20n * euro) };
    const { data } = await insist("GET", `/accounts/withdraw/transaction-data?${new URLSearchParams(transfer)}`);
    const signature = await cy.account.signTypedData(data);
    const { data: delay } = await insist("POST", "/accounts/withdraw", {
      ...transfer,
      signature,
      message: data.message,
    });
    const reaches = (status: string) => until(async () => (await cy.findDelay(delay.id))?.status === status);
    await reaches("WAITING");
    expect((await set("chain.reorg", { blocks: 1 })).status).toBe(200);
    await reaches("WAITING");
    await anyone.sandbox("POST", "/chain/advance", { seconds: 200 });
    // The cooldown begins again if the reorganisation took the operation out of its queue.
    await advanceUntil(async () => (await cy.findDelay(delay.id))?.status === "EXECUTED", 20);

    const ended = await Promise.all(on.map(([name]) => end(name)));
    expect(ended.filter(({ hits }) => hits === 0)).toEqual([]);
    await untilSettled(service);
    await until(async () => (await cy.call("GET", "/account-balances")).status === 200);
    const left = 80n * euro - 1_250n * cent - 20n * euro;
    expect(await balancesOf(holder)).toEqual({ total: left, spendable: left, pending: 0n });
    expect(await service.runtime.chain.getTokenBalance(tokenAddress, to)).toBe(20n * euro);
  }, 60_000);
});
