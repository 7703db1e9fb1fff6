import { beforeAll, describe, expect, test } from "bun:test";
import { predictModules } from "@cardkeep/chain/predictAccount";
import { parseModuleCall } from "@cardkeep/chain/delay";
import { delayTransactions } from "@cardkeep/db/schema/tables";
import {
  createInnerAddOwnerTransaction,
  createInnerLimitTransaction,
  getTransactionRequest,
  populateLimitEnqueue,
} from "@gnosispay/account-kit";
import { inArray } from "drizzle-orm";
import { decodeFunctionData, type Hex, parseAbi, parseUnits } from "viem";
import { filled } from "../support/filled.ts";
import { Person } from "../support/person.ts";
import type { RunningService } from "../support/service.ts";
import { shareService } from "../support/shareService.ts";

const rolesAbi = parseAbi([
  "function setAllowance(bytes32 key, uint128 balance, uint128 maxRefill, uint128 refill, uint64 period, uint64 timestamp)",
]);
const chainId = 100;
const day = 86_400;

let service: RunningService;
let ada: Person;
let bob: Person;
let unsafe: Person;
const safes: Record<"ada" | "bob", `0x${string}`> = { ada: "0x", bob: "0x" };
beforeAll(async () => {
  service = await shareService();
  [ada, bob, unsafe] = [new Person(service), new Person(service), new Person(service)];
  [safes.ada, safes.bob] = await Promise.all([
    ada.becomeAccountHolder(),
    bob.becomeAccountHolder({ country: "BR" }),
    unsafe.becomeApproved(),
  ]);
});

const shortOf = ({ status, body }: { status: number; body: unknown }) => ({ status, body });
const countRows = () => {
  const userIds = [ada, bob, unsafe].map(({ userId }) => userId ?? "");
  return service.runtime.db.$count(delayTransactions, inArray(delayTransactions.userId, userIds));
};
const refused = (error: string) => ({ status: 422, body: { error } });
const limits = "/accounts/daily-limit";
const older = "/accounts/onchain-daily-limit";
const badLimits = [0, -1, 8_001, 1.5, "500", null, [500], 1e21];
const badTexts = ["0", "-1", "8001", "1.5", "1e3", " 5", "5 ", "0500", "", "１00", "9".repeat(1_000)];

/** The output of account-kit's own helper for the deprecated endpoint, with salt and signature. */
async function enqueueByKit(person: Person, account: string, refill: bigint, timestamp?: number): Promise<Hex> {
  const config = { refill, period: day, ...(timestamp !== undefined && { timestamp }) };
  const { data } = await populateLimitEnqueue({ account, chainId }, config, ({ domain, types, message }) =>
    person.account.signTypedData({ domain, types, primaryType: "ModuleTx", message } as Parameters<
      typeof person.account.signTypedData
    >[0]),
  );
  return data as Hex;
}

describe("every daily limit endpoint", () => {
  const authorization = { signature: "0x01", message: { salt: `0x${"00".repeat(32)}`, data: "0x" } };
  const endpoints: [string, string, unknown?][] = [
    ["GET", limits],
    ["GET", `${limits}/transaction-data?newLimit=500`],
    ["PUT", limits, { newLimit: 500, ...authorization }],
    ["GET", older],
    ["GET", `${older}/transaction-data?onchainDailyLimit=500`],
    ["PUT", older, { onchainDailyLimit: 500, signature: "0x01" }],
  ];

  test("answers 401 without a token", async () => {
    for (const [method, path, body] of endpoints) {
      expect(shortOf(await new Person(service).call(method, path, body))).toEqual({
        status: 401,
        body: { error: "Unauthorized" },
      });
    }
  });

  test("answers 404 to a user without a Safe", async () => {
    for (const [method, path, body] of endpoints) {
      expect(shortOf(await unsafe.call(method, path, body))).toEqual({
        status: 404,
        body: { error: "Couldn't find associated Safe for the user" },
      });
    }
  });

  test("if deprecated, names its successor, on errors too", async () => {
    const successors: Record<string, string> = {
      [`GET ${older}`]: `/api/v1${limits}`,
      [`GET ${older}/transaction-data?onchainDailyLimit=500`]: `/api/v1${limits}/transaction-data`,
      [`PUT ${older}`]: `/api/v1${limits}`,
    };
    for (const person of [ada, new Person(service)]) {
      for (const [method, path, body] of endpoints) {
        const { headers, status } = await person.call(method, path, body);
        const successor = successors[`${method} ${path}`];
        if (successor) expect(headers.get("link")).toStartWith(`<${successor}>; rel="successor-version", `);
        else expect(headers.has("link")).toBe(status >= 400);
        expect(headers.has("deprecation")).toBe(successor !== undefined);
      }
    }
    const document = await (await fetch(`${service.url}/openapi.json`)).json();
    for (const [path, methods] of [
      [older, ["get", "put"]],
      [`${older}/transaction-data`, ["get"]],
    ] as const) {
      for (const method of filled(methods)) expect(document.paths[`/api/v1${path}`][method].deprecated).toBe(true);
    }
  });
});

describe("the limit is shown in whole units", () => {
  test("of a token with 18 decimals and of one with 6", async () => {
    const expected = { data: { dailyLimit: 350, dailyRemaining: 350 } };
    for (const person of [ada, bob]) {
      expect(shortOf(await person.call("GET", limits))).toEqual({ status: 200, body: expected });
      expect((await person.call("GET", older)).body).toEqual({
        data: { onchainDailyLimit: 350, onchainDailyRemaining: 350 },
      });
    }
    expect((await bob.call("GET", "/safe/config")).body.tokenSymbol).toBe("USDCe");
  });

  test("and requested in the token's base units on chain, with days from midnight UTC", async () => {
    const cases: [Person, "ada" | "bob", number][] = [
      [ada, "ada", 18],
      [bob, "bob", 6],
    ];
    for (const [person, name, decimals] of cases) {
      const safe = safes[name];
      const refill = parseUnits("1500", decimals);
      const { body } = await person.call("GET", `${limits}/transaction-data?newLimit=1500`);
      const { call } = parseModuleCall(body.data.message.data) ?? {};
      if (!call) throw new Error("no call");
      const { args } = decodeFunctionData({ abi: rolesAbi, data: call.data });
      const timestamp = Number(args[5]);
      expect(timestamp % day).toBe(0);
      // The chain of a shared service may be a day ahead.
      const { timestamp: now } = await service.runtime.chain.getBlock();
      expect(timestamp).toBeWithin(now - 2 * day, now + 1);
      const { to, data } = createInnerLimitTransaction(safe, { refill, period: day, timestamp });
      expect(call).toEqual({ to: predictModules(safe).bouncer, value: 0n, data: data as Hex });
      const inner = await person.call("GET", `${older}/transaction-data?onchainDailyLimit=1500`);
      expect(inner.body).toEqual({ data: { transaction: { to, value: 0, data } } });
    }
  });
});

describe("a limit is refused, and nothing is written,", () => {
  test("that is not an integer from 1 to 8000", async () => {
    const newLimit = refused("newLimit must be an integer between 1 and 8000");
    const onchainDailyLimit = refused("onchainDailyLimit must be an integer between 1 and 8000");
    const signed = await ada.signLimit(500);
    for (const bad of badLimits) {
      expect(shortOf(await ada.call("PUT", limits, { ...signed, newLimit: bad }))).toEqual(newLimit);
      expect(shortOf(await ada.call("PUT", older, { signature: "0x01", onchainDailyLimit: bad }))).toEqual(
        onchainDailyLimit,
      );
    }
    for (const bad of badTexts) {
      const text = encodeURIComponent(bad);
      expect(shortOf(await ada.call("GET", `${limits}/transaction-data?newLimit=${text}`))).toEqual(newLimit);
      expect(shortOf(await ada.call("GET", `${older}/transaction-data?onchainDailyLimit=${text}`))).toEqual(
        onchainDailyLimit,
      );
    }
    const missing = refused("newLimit is missing");
    expect(shortOf(await ada.call("GET", `${limits}/transaction-data`))).toEqual(missing);
    expect(shortOf(await ada.call("PUT", limits, { ...signed, newLimit: undefined }))).toEqual(missing);
    expect(await countRows()).toBe(0);
  });

  test("that differs from the signed one, has another signer, or names another Safe", async () => {
    const signed = await ada.signLimit(500);
    const ofBob = await bob.signLimit(500);
    const mismatch = refused("Signed message does not match the request");
    const invalid = refused("Invalid signature");
    const bodies: [Person, object, ReturnType<typeof refused>][] = [
      [ada, { ...signed, newLimit: 501 }, mismatch],
      [ada, { ...signed, message: { ...signed.message, data: "0x" } }, mismatch],
      [ada, { ...signed, message: (await ada.signNewOwner(bob.account.address)).message }, mismatch],
      [ada, { ...signed, message: { ...signed.message, salt: `0x${"12".repeat(32)}` } }, invalid],
      [ada, { ...signed, signature: ofBob.signature }, invalid],
      [ada, { ...signed, smartWalletAddress: safes.ada }, invalid],
      [bob, signed, mismatch],
      [bob, { ...ofBob, signature: signed.signature }, invalid],
      [bob, { ...ofBob, smartWalletAddress: safes.ada }, invalid],
    ];
    for (const [who, body, answer] of bodies) expect(shortOf(await who.call("PUT", limits, body))).toEqual(answer);
    expect(await countRows()).toBe(0);
  });

  test("in the older form, that is not exactly such an enqueue by an owner", async () => {
    const made = await enqueueByKit(ada, safes.ada, parseUnits("500", 18));
    const ofBob = await enqueueByKit(bob, safes.bob, parseUnits("500", 6));
    const mismatch = refused("Signed message does not match the request");
    const invalid = refused("Invalid signature");
    const { data: ownerData } = await signByKit(ada, safes.ada);
    const bodies: [Person, object, ReturnType<typeof refused>][] = [
      [ada, { onchainDailyLimit: 501, signature: made }, mismatch],
      [ada, { onchainDailyLimit: 500, signature: ownerData }, mismatch],
      [ada, { onchainDailyLimit: 500, signature: ofBob }, mismatch],
      [ada, { onchainDailyLimit: 500, signature: `${made}00` }, mismatch],
      [ada, { onchainDailyLimit: 500, signature: `0x${made.slice(-130)}` }, invalid],
      [ada, { onchainDailyLimit: 500, signature: "0x01" }, invalid],
      [ada, { onchainDailyLimit: 500, signature: `${made.slice(0, -130)}${ofBob.slice(-130)}` }, invalid],
      [ada, { onchainDailyLimit: 500, signature: "0x" }, refused("signature is missing")],
      [ada, { onchainDailyLimit: 500 }, refused("signature is missing")],
      [bob, { onchainDailyLimit: 500, signature: made }, mismatch],
    ];
    for (const [who, body, answer] of bodies) expect(shortOf(await who.call("PUT", older, body))).toEqual(answer);
    expect(await countRows()).toBe(0);
  });

  /** A valid enqueue by the right owner, for another call. */
  async function signByKit(person: Person, account: `0x${string}`) {
    const { message, signature } = await person.signNewOwner(bob.account.address);
    const transaction = createInnerAddOwnerTransaction(account, bob.account.address);
    return getTransactionRequest({ account, transaction, message, signature });
  }
});

describe("a limit is accepted", () => {
  test("once per signed message, in parallel too; several different ones may wait", async () => {
    const signed = await ada.signLimit(500);
    const answers = await Promise.all(Array.from({ length: 10 }, () => ada.call("PUT", limits, signed)));
    const [accepted, ...more] = answers.filter(({ status }) => status === 200);
    expect(more).toEqual([]);
    expect(accepted?.body.data).toMatchObject({
      status: "QUEUING",
      safeAddress: safes.ada,
      transactionData: parseModuleCall(signed.message.data)?.call.data,
    });
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(9);
    expect(shortOf(await ada.call("PUT", limits, signed))).toEqual({
      status: 409,
      body: { error: "This signed message was already submitted" },
    });
    expect((await ada.call("PUT", limits, await ada.signLimit(600))).status).toBe(200);
    expect(await countRows()).toBe(2);
  });

  test("as account-kit builds it, with its own days or ours, in both forms, and once over both", async () => {
    const refill = parseUnits("700", 6);
    const made = await enqueueByKit(bob, safes.bob, refill);
    const answer = await bob.call("PUT", older, { onchainDailyLimit: 700, signature: made });
    expect(shortOf(answer)).toEqual({ status: 200, body: { data: { requestedOnchainDailyLimit: 700 } } });
    const [data, salt, signature] = [made.slice(0, -194), `0x${made.slice(-194, -130)}`, `0x${made.slice(-130)}`];
    expect(await bob.call("PUT", limits, { newLimit: 700, message: { data, salt }, signature })).toMatchObject({
      status: 409,
    });
    const { body } = await bob.call("GET", `${older}/transaction-data?onchainDailyLimit=700`);
    const { args } = decodeFunctionData({ abi: rolesAbi, data: body.data.transaction.data });
    const offered = await enqueueByKit(bob, safes.bob, refill, Number(args[5]));
    expect((await bob.call("PUT", older, { onchainDailyLimit: 700, signature: offered })).status).toBe(200);
    const elsewhen = await enqueueByKit(bob, safes.bob, refill, 4_102_444_800);
    expect(shortOf(await bob.call("PUT", older, { onchainDailyLimit: 700, signature: elsewhen }))).toEqual(
      refused("Signed message does not match the request"),
    );
  });
});
