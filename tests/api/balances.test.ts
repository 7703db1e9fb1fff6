import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { buildDispatch, buildSkipExpired } from "@cardkeep/chain/delay";
import { insertSeenBlocks } from "@cardkeep/db/queries/chain/blocks";
import type { Address } from "@cardkeep/contract/core/primitives";
import { delayTransactions, movements } from "@cardkeep/db/schema/tables";
import { createRuntime } from "@cardkeep/runtime/compose";
import { readSettings } from "@cardkeep/runtime/settings";
import { createServer } from "@cardkeep/server/server";
import { startWorker, type Worker } from "@cardkeep/worker/worker";
import { eq } from "drizzle-orm";
import { encodeFunctionData, erc20Abi, getAddress, parseAbi } from "viem";
import { deployTestContract } from "../support/contracts.ts";
import { openNode } from "../support/node.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { findFreePorts } from "../support/ports.ts";
import { type Service, startService } from "../support/service.ts";
import { eure } from "../support/tokens.ts";
import { listSettingsFaults } from "../support/settings.ts";
import { readInbox, registerPartner, subscribe } from "../support/webhooks.ts";

const gbpe = "0x5Cb9073902F2035222B9749F8fB0c9BFe5527108";
const usdce = "0x2a22f9c3b484c3629090FeED35F17Ff8F88f76F0";
const native = "0x0000000000000000000000000000000000000000";
const destination = "0x000000000000000000000000000000000000bEEF";

let service: Service;
let node: ReturnType<typeof openNode>;
let worker: Worker | null = null;
beforeAll(async () => {
  service = await startService({ worker: false });
  node = openNode(service.rpcUrl);
  await resume();
});
afterAll(async () => {
  await worker?.stop();
  await service.stop();
});

async function resume(): Promise<void> {
  worker ??= await startWorker(service.runtime);
}
async function pause(): Promise<void> {
  await worker?.stop();
  worker = null;
}

const balances = async (person: Person) => (await person.ask("GET", "/account-balances")).body;
const give = (person: Person, address: string, token: string, amount: string) =>
  person.sandbox("POST", "/chain/faucet", { address, token, amount });
const advance = (person: Person, seconds: number) => person.sandbox("POST", "/chain/advance", { seconds });
async function withdraw(person: Person, tokenAddress: string, amount: string): Promise<string> {
  const signed = await person.signWithdrawal({ tokenAddress, to: destination, amount });
  const { status, body } = await person.ask("POST", "/accounts/withdraw", signed);
  expect(status).toBe(200);
  return body.data.id;
}
const getRow = async (id: string) => {
  const [row] = await service.runtime.db.select().from(delayTransactions).where(eq(delayTransactions.id, id));
  if (!row) throw new Error(`no row ${id}`);
  return row;
};
const reaches = (id: string, status: string) => until(async () => (await getRow(id)).status === status);
const amounts = (total: string, spendable: string, pending: string) => ({ total, spendable, pending });

async function openAccount(country: string, token: string, amount: string): Promise<{ person: Person; safe: string }> {
  const person = new Person(service);
  const safe = await person.becomeAccountHolder({ country });
  await give(person, safe, token, amount);
  return { person, safe };
}

describe("GET /account-balances", () => {
  test("total is spendable plus pending, and pending is the sum of queued operations in the Safe's own token", async () => {
    const { person: ada, safe } = await openAccount("DE", "EURe", "1000");
    expect(await balances(ada)).toEqual(amounts("1000", "1000", "0"));
    await give(ada, safe, "GBPe", "77");
    await give(ada, safe, "native", "55");
    const ids = [await withdraw(ada, eure, "100"), await withdraw(ada, eure, "30"), await withdraw(ada, eure, "7")];
    expect(await balances(ada)).toEqual(amounts("1000", "863", "137"));
    await withdraw(ada, gbpe, "70");
    await withdraw(ada, native, "50");
    expect(await balances(ada)).toEqual(amounts("1000", "863", "137"));
    await Promise.all(ids.map((id) => reaches(id, "WAITING")));
    expect(await balances(ada)).toEqual(amounts("1000", "863", "137"));
    expect(await ada.trpc().accounts.balances.query()).toEqual(amounts("1000", "863", "137"));
  });

  test("the spendable amount is the same while withdrawals are queued, cool down and execute", async () => {
    const { person: ada } = await openAccount("DE", "EURe", "1000");
    const ids = await Promise.all(["1", "20", "300"].map((amount) => withdraw(ada, eure, amount)));
    const seen = new Set<string>();
    const hasExecuted = async () => {
      const { total, spendable, pending } = await balances(ada);
      expect(BigInt(total)).toBe(BigInt(spendable) + BigInt(pending));
      seen.add(spendable);
      return pending === "0";
    };
    const advanced = Promise.all(ids.map((id) => reaches(id, "WAITING"))).then(() => advance(ada, 181));
    await until(hasExecuted, { timeoutMs: 30_000, everyMs: 25 });
    await advanced;
    await Promise.all(ids.map((id) => reaches(id, "EXECUTED")));
    await hasExecuted();
    expect([...seen]).toEqual(["679"]);
    expect(await balances(ada)).toEqual(amounts("679", "679", "0"));
  }, 60_000);

  test("money that left by a stranger's execution, or never will leave, is not pending", async () => {
    const { person: ada } = await openAccount("DE", "EURe", "100");
    const gone = await withdraw(ada, eure, "10");
    await reaches(gone, "WAITING");
    await pause();
    await advance(ada, 181);
    const { delayAddress: delay, to, value, data } = await getRow(gone);
    await node.send(buildDispatch({ delay, call: { to, value, data }, operation: "CALL" }));
    expect((await getRow(gone)).status).not.toBe("EXECUTED");
    expect(await balances(ada)).toEqual(amounts("90", "90", "0"));
    await resume();
    await reaches(gone, "EXECUTED");

    const expired = await withdraw(ada, eure, "20");
    await reaches(expired, "WAITING");
    await pause();
    await advance(ada, 180 + 1_800 + 60);
    expect(await balances(ada)).toEqual(amounts("90", "70", "20"));
    await node.send(buildSkipExpired(delay));
    expect(await balances(ada)).toEqual(amounts("90", "90", "0"));
    await resume();
    await reaches(expired, "FAILED");
    expect(await balances(ada)).toEqual(amounts("90", "90", "0"));
  });

  test("if more is queued than the balance, all of it is pending and nothing is spendable", async () => {
    const { person: ada, safe } = await openAccount("DE", "EURe", "100");
    const id = await withdraw(ada, eure, "60");
    await reaches(id, "WAITING");
    const transfer = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [destination, 70n] });
    await node.sendAs(safe as `0x${string}`, { to: eure, data: transfer });
    expect(await balances(ada)).toEqual(amounts("30", "0", "30"));
  });

  test("a Brazilian's balance has six decimals, and a Briton's is in pounds", async () => {
    const { person: bia } = await openAccount("BR", "USDCe", "1500000");
    await withdraw(bia, usdce, "250000");
    expect(await balances(bia)).toEqual(amounts("1500000", "1250000", "250000"));
    const { person: tom, safe } = await openAccount("GB", "GBPe", "9");
    await give(tom, safe, "EURe", "1000");
    expect(await balances(tom)).toEqual(amounts("9", "9", "0"));
  });

  test("needs a token and a Safe in service", async () => {
    const noSafe = { status: 404, body: { error: "Couldn't find associated Safe for the user" } };
    const shortOf = ({ status, body }: { status: number; body: unknown }) => ({ status, body });
    const ada = new Person(service);
    expect(shortOf(await ada.call("GET", "/account-balances"))).toEqual({
      status: 401,
      body: { error: "Unauthorized" },
    });
    await ada.becomeApproved();
    expect(shortOf(await ada.call("GET", "/account-balances"))).toEqual(noSafe);
    await ada.call("POST", "/account", { chainId: "100" });
    await ada.call("POST", "/safe/set-currency");
    expect(shortOf(await ada.call("GET", "/account-balances"))).toEqual(noSafe);
  });

  test("is 503 with Retry-After while the node is down, never an old or invented number", async () => {
    const { person: ada } = await openAccount("DE", "EURe", "100");
    const [port = 0, deadPort] = await findFreePorts(2);
    const settings = readSettings({ ...service.env, RPC_URL: `http://127.0.0.1:${deadPort}` });
    const runtime = await createRuntime(settings, "server");
    const server = createServer(runtime);
    server.listen(port);
    const cutOff = new Person({ url: `http://127.0.0.1:${port}`, sandboxUrl: service.sandboxUrl });
    cutOff.token = ada.token;
    for (const path of ["/account-balances", "/safe/config"]) {
      const { status, body, headers } = await cutOff.call("GET", path);
      expect([path, status, body]).toEqual([path, 503, { error: "Internal server error" }]);
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    }
    await server.stop();
    await runtime.close();
    expect(await balances(ada)).toEqual(amounts("100", "100", "0"));
  });
});

test("a process with START_BLOCK reads no log of an earlier block", async () => {
  const { safe } = await openAccount("DE", "EURe", "100");
  const range = { fromBlock: 0n, toBlock: (await node.client.getBlock()).number };
  const readFrom = async (START_BLOCK: string) => {
    const runtime = await createRuntime(readSettings({ ...service.env, START_BLOCK }), "server");
    const logs = await runtime.services.chain.getLogs({ addresses: [getAddress(safe)], ...range });
    await runtime.close();
    return logs.map(({ blockNumber }) => blockNumber);
  };
  const blocks = await readFrom("0");
  const last = blocks.at(-1) ?? 0n;
  expect(await readFrom(String(last))).toEqual(blocks.filter((block) => block === last));
  expect(await readFrom(String(last + 1n))).toEqual([]);
  expect(listSettingsFaults({ START_BLOCK: "-1" })).toEqual([expect.stringContaining("START_BLOCK")]);
});

/** A person who has this much, and a check whether their partner has heard of a total. */
async function openHeardAccount(amount: string, partner: string) {
  const account = await openAccount("DE", "EURe", amount);
  await registerPartner(account.person, partner);
  await subscribe(account.person, partner);
  const hasHeard = async (total: string) =>
    (await readInbox(account.person, partner)).some(
      ({ body }) => body.includes("balance.changed") && body.includes(`"${total}"`),
    );
  return { ...account, hasHeard };
}

test("a balance that changed before a block that a job recorded first still causes its event", async () => {
  const { person, safe, hasHeard } = await openHeardAccount("100", "accountant");
  await give(person, safe, "EURe", "11");
  await until(() => hasHeard("111"));
  await pause();
  await give(person, safe, "EURe", "22");
  await node.client.mine({ blocks: 1 });
  const { number, hash } = await node.client.getBlock();
  await service.runtime.db.transaction((tx) =>
    insertSeenBlocks(tx, [{ blockNumber: number, blockHash: hash, isFollowed: false }], null),
  );
  await resume();
  await until(() => hasHeard("133"));
});

test("many transfers to a Safe while no worker ran are recorded, and hold up no event about another one", async () => {
  const { db } = service.runtime;
  const [{ safe: dusted }, { person, safe, hasHeard }] = [
    await openAccount("DE", "EURe", "100"),
    await openHeardAccount("100", "bystander"),
  ];
  await give(person, safe, "EURe", "11");
  await until(() => hasHeard("111"));
  await pause();
  const sender = await deployTestContract(service.rpcUrl, "DustSender");
  await give(person, sender, "EURe", "100");
  const data = encodeFunctionData({
    abi: parseAbi(["function send(address token, address to, uint256 times)"]),
    args: [eure, dusted as Address, 100n],
  });
  await node.send({ to: sender, data, gas: 15_000_000n });
  await give(person, safe, "EURe", "22");
  await resume();
  await until(() => hasHeard("133"), { timeoutMs: 30_000 });
  expect(await db.$count(movements, eq(movements.party, sender))).toBe(100);
}, 60_000);
