import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { findDelay } from "@cardkeep/db/queries/accounts/delays/delays";
import { timeline } from "@cardkeep/domain/accounts/delays/timeline";
import { createRuntime } from "@cardkeep/runtime/compose";
import { startWorker, type Worker } from "@cardkeep/worker/worker";
import { encodeFunctionData, parseAbi } from "viem";
import { askCli, runCli, runCliOn } from "../support/cli.ts";
import { filled } from "../support/filled.ts";
import { openNode } from "../support/node.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { startRpcProxy } from "../support/rpcProxy.ts";
import { type Service, startService } from "../support/service.ts";
import { eure } from "../support/tokens.ts";

const destination = "0x000000000000000000000000000000000000bEEF";
const euro = 10n ** 18n;
const delayAbi = parseAbi([
  "function executeNextTx(address to, uint256 value, bytes data, uint8 operation)",
  "function invalidate(bytes32 hash)",
]);

interface Entry {
  step: string;
  at: string | null;
  purpose?: string;
  hash?: string | null;
  refusal?: string | null;
  by?: { isOurs: boolean; address: string | null };
}
interface Shown {
  operation: { id: string; status: string; queueNonce: string | null; requestId: string };
  queue: { position: number; length: number } | null;
  entries: Entry[];
  jobs: { task: string; state: string }[];
  chainFault: string | null;
}

let service: Service;
let ada: Person;
let safe: `0x${string}`;
let worker: Worker | null = null;
const resume = async () => (worker ??= await startWorker(service.runtime));
const pause = async () => {
  await worker?.stop();
  worker = null;
};
beforeAll(async () => {
  service = await startService({ worker: false });
  await resume();
  ada = new Person(service);
  safe = await ada.becomeAccountHolder();
  await ada.sandbox("POST", "/chain/faucet", { address: safe, token: "EURe", amount: String(100n * euro) });
});
afterAll(async () => {
  await pause();
  await service.stop();
});

const cli = (...words: string[]) => runCliOn(service.runtime, ...words);
const show = (id: string) => askCli<Shown>(service, "delays", "show", id);
const stepsOf = ({ entries }: Shown) => entries.map(({ step }) => step);
const submit = async (amount: bigint, requestId: string): Promise<string> => {
  const signed = await ada.signWithdrawal({ tokenAddress: eure, to: destination, amount: String(amount) });
  const { body } = await ada.call("POST", "/accounts/withdraw", signed, { "X-Request-Id": requestId });
  return body.data.id;
};
const getRow = async (id: string) => {
  const row = await findDelay(service.runtime.db, id);
  if (!row) throw new Error(`no row ${id}`);
  return row;
};
const reaches = (id: string, status: string) => until(async () => (await getRow(id)).status === status);
const advance = (seconds: number) => ada.sandbox("POST", "/chain/advance", { seconds });

describe("an operation's timeline", () => {
  test("of a withdrawal through the service shows every step with its instant, sender and hash", async () => {
    const id = await submit(40n * euro, "journey-1");
    await reaches(id, "WAITING");
    const waiting = await show(id);
    expect(waiting).toMatchObject({
      operation: { status: "WAITING", requestId: "journey-1", safeAddress: safe },
      queue: { position: 0, length: 1 },
      jobs: [{ task: "delay.dispatch", state: "scheduled" }],
      chainFault: null,
    });
    expect(stepsOf(waiting)).toEqual(["accepted", "signed", "broadcast", "mined", "queued", "ready"]);
    await advance(181);
    await reaches(id, "EXECUTED");

    const shown = await show(id);
    const further = ["signed", "broadcast", "mined", "executed", "published"];
    expect(stepsOf(shown)).toEqual([...stepsOf(waiting), ...further]);
    expect(shown).toMatchObject({ operation: { status: "EXECUTED" }, queue: null, jobs: [], chainFault: null });
    expect(shown.entries.every(({ at }) => at !== null)).toBe(true);
    const { enqueuedHash, executedHash, readyAt } = await getRow(id);
    const find = (step: string) => shown.entries.filter((entry) => entry.step === step);
    expect(find("mined").map(({ purpose = null, hash = null }) => [purpose, hash])).toEqual([
      ["delay.enqueue", enqueuedHash],
      ["delay.dispatch", executedHash],
    ]);
    const [queued] = find("queued");
    const receipt = await service.runtime.chain.findReceipt(enqueuedHash ?? "0x");
    const block = await service.runtime.chain.getBlockAt(receipt?.blockNumber ?? 0n);
    expect(queued).toMatchObject({
      at: new Date((block?.timestamp ?? 0) * 1000).toISOString(),
      by: { isOurs: true, address: receipt?.from },
    });
    expect(find("ready")).toEqual([{ step: "ready", at: readyAt?.toISOString() ?? "" }]);
    expect(find("published")).toMatchObject([{ eventType: "account.withdrawal.completed" }]);

    const { code, out, err } = await cli("delays", "show", id);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/^Withdraws +40 EURe \(40000000000000000000 base units\)$/m);
    expect(out).toMatch(/^Recipient +0x000000000000000000000000000000000000bEEF$/m);
    expect(out).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z +executed +block \d+, by us, 0x/m);
    expect(out).toContain(executedHash ?? "");
    expect(Math.max(...out.split("\n").map((line) => line.length))).toBeLessThanOrEqual(120);
  });

  test("of one that strangers relayed and executed names them, and says so where the chain does not answer", async () => {
    await pause();
    const id = await submit(1n, "journey-2");
    const { delayAddress, enqueueData, to, value, data } = await getRow(id);
    const node = openNode(service.rpcUrl);
    const relayedHash = await node.send({ to: delayAddress, data: enqueueData });
    await resume();
    await reaches(id, "WAITING");
    await pause();
    await advance(181);
    const args = [to, value, data, 0] as const;
    const execution = encodeFunctionData({ abi: delayAbi, functionName: "executeNextTx", args });
    const executedHash = await node.send({ to: delayAddress, data: execution });
    await resume();
    await reaches(id, "EXECUTED");

    const stranger = (await service.runtime.chain.findReceipt(executedHash))?.from;
    const shown = await show(id);
    expect(shown.entries.filter(({ by }) => by)).toMatchObject([
      { step: "queued", hash: relayedHash, at: expect.any(String), by: { isOurs: false, address: stranger } },
      { step: "executed", hash: executedHash, at: expect.any(String), by: { isOurs: false, address: stranger } },
    ]);
    const blind = await runCli({ ...service.env, RPC_URL: "http://127.0.0.1:1" }, "delays", "show", id);
    expect([blind.code, blind.err]).toEqual([0, ""]);
    expect(blind.out).toMatch(/^- +executed +block \d+, by a stranger, unknown while the chain does not answer$/m);
    expect(blind.out).toMatch(/^Parts that need the chain are missing: eth_getTransactionReceipt: /m);
  });

  test("of a failed operation ends with the reason, and with the error that its owner got", async () => {
    await pause();
    const id = await submit(2n, "journey-3");
    const { delayAddress, messageHash } = await getRow(id);
    const invalidation = encodeFunctionData({ abi: delayAbi, functionName: "invalidate", args: [messageHash] });
    await openNode(service.rpcUrl).sendAs(ada.account.address, { to: delayAddress, data: invalidation });
    await resume();
    await reaches(id, "FAILED");
    const shown = await show(id);
    expect(shown.entries.slice(-2)).toMatchObject([
      { step: "failed", reason: "The signer invalidated the signed message" },
      { step: "published", eventType: "account.withdrawal.failed" },
    ]);
    expect((await cli("delays", "show", id)).out).toMatch(
      /^Status +FAILED: The signer invalidated the signed message$/m,
    );
  });

  test("shows the error of a node that rejects our bytes, until it accepts them", async () => {
    await pause();
    const proxy = startRpcProxy(service.rpcUrl);
    let isRefusing = true;
    const refuse = async () => {
      if (isRefusing) proxy.intercept("eth_sendRawTransaction", refuse);
      return Response.json({ jsonrpc: "2.0", id: 1, error: { code: -32000, message: "insufficient funds for gas" } });
    };
    proxy.intercept("eth_sendRawTransaction", refuse);
    const { settings } = service.runtime;
    const runtime = await createRuntime({ ...settings, rpcUrl: proxy.url }, "worker");
    const id = await submit(3n, "journey-4");
    const hindered = await startWorker(runtime);
    const getAttempt = async () => (await show(id)).entries.find(({ step }) => step === "broadcast");
    await until(async () => (await getAttempt())?.refusal != null);
    expect(await getAttempt()).toMatchObject({ at: null, refusal: expect.stringContaining("insufficient funds") });
    isRefusing = false;
    await reaches(id, "WAITING");
    expect(await getAttempt()).toMatchObject({ at: expect.any(String), refusal: null });
    await hindered.stop();
    await runtime.close();
    proxy.stop();
    await resume();
  });

  test("exists for existing operations only", async () => {
    expect(await cli("delays", "show", "nothing")).toEqual({
      code: 1,
      out: "",
      err: "cardkeep: There is no such operation. `cardkeep delays list` lists what there is\n",
    });
    const { services } = service.runtime;
    expect(await timeline(services, { id: "x" }).catch((error: unknown) => error)).toMatchObject({ status: 404 });
  });
});

test("operations are listed newest first, open ones alone, or one Safe's alone", async () => {
  interface Row {
    createdAt: string;
    status: string;
  }
  const all = await askCli<Row[]>(service, "delays", "list");
  expect(all.length).toBeGreaterThan(1);
  expect(all.map(({ createdAt }) => createdAt)).toEqual(
    all
      .map(({ createdAt }) => createdAt)
      .toSorted()
      .reverse(),
  );
  const open = await askCli<Row[]>(service, "delays", "list", "--open");
  expect(open).toEqual(all.filter(({ status }) => !["EXECUTED", "FAILED"].includes(status)));
  expect(await askCli<Row[]>(service, "delays", "list", "--safe", safe.toLowerCase())).toEqual(all);
  expect(await askCli<Row[]>(service, "delays", "list", "--safe", destination)).toEqual([]);
  expect((await askCli<Row[]>(service, "delays", "list", "--limit", "2")).length).toBe(2);
  const { out } = await cli("delays", "list");
  expect(out).toMatch(/^[0-9a-f-]{36} {2}EXECUTED +40\.00 EURe .*\d+ min ago$/m);
  expect((await cli("delays", "list", "--exact")).out).toMatch(/ {2}EXECUTED +40 EURe .*\d{4}-/);
});

test("relayers are listed with our nonces, the chain's, and the number of operations that their funds pay for", async () => {
  const relayers = await askCli<Record<string, string | number>[]>(service, "relayers", "list");
  expect(relayers.map(({ address }) => address)).toEqual([...service.runtime.services.policy.relayerAddresses]);
  for (const relayer of filled(relayers)) {
    const count = await service.runtime.chain.getTransactionCount(relayer["address"] as `0x${string}`, "latest");
    expect(relayer).toMatchObject({ chainNonce: String(count), nonceGap: "0" });
    expect(Number(relayer["operationsFunded"])).toBeGreaterThan(1_000);
  }
  expect((await cli("relayers", "list")).out).toMatch(/^0x\w{40} +active +\d+ +\d+ +\d+ +0 +≈ 9999\.\d\d +\d+$/m);
  expect(await cli("relayer", "list")).toMatchObject({ code: 0, out: expect.stringMatching(/^0x/m) });
  const away = await runCli({ ...service.env, RPC_URL: "http://127.0.0.1:1" }, "relayers", "list");
  expect([away.code, away.err]).toEqual([1, expect.stringContaining("set RPC_URL")]);
});
