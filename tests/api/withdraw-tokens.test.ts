import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createChainReader } from "@cardkeep/chain/reader";
import { tokens } from "@cardkeep/chain/tokens";
import { delayTransactions } from "@cardkeep/db/schema/tables";
import { type Hex, parseAbi } from "viem";
import { connectStranger, deployTestContract } from "../support/contracts.ts";
import { filled } from "../support/filled.ts";
import { openNode } from "../support/node.ts";
import { Person } from "../support/person.ts";
import { expectWithin, until } from "../support/poll.ts";
import { type Service, startService } from "../support/service.ts";

const native = "0x0000000000000000000000000000000000000000";
const destination = "0x000000000000000000000000000000000000bEEF";
const tokenAbi = parseAbi(["function mint(address to, uint256 amount)"]);

let service: Service;
let ada: Person;
let safe: Hex;
beforeAll(async () => {
  service = await startService();
  ada = new Person(service);
  safe = await ada.becomeAccountHolder();
});
afterAll(() => service.stop());

const shortOf = ({ status, body }: { status: number; body: unknown }) => ({ status, body });
const countRows = async () => (await service.runtime.db.select().from(delayTransactions)).length;

/** A token of the test contracts; the Safe holds 100 of it. */
async function issue(name: string): Promise<Hex> {
  const address = await deployTestContract(service.rpcUrl, name);
  const stranger = connectStranger(service.rpcUrl);
  const mint = { address, abi: tokenAbi, functionName: "mint", args: [safe, 100n], chain: null } as const;
  await openNode(service.rpcUrl).waitForReceipt(await stranger.writeContract(mint));
  return address;
}

const withdraw = async (tokenAddress: string, amount = "40", to = destination) =>
  ada.call("POST", "/accounts/withdraw", await ada.signWithdrawal({ tokenAddress, to, amount }));

async function sees(id: string): Promise<void> {
  await until(async () => (await ada.findDelay(id))?.status === "WAITING");
  await ada.sandbox("POST", "/chain/advance", { seconds: 181 });
  await until(async () => (await ada.findDelay(id))?.status === "EXECUTED");
}

describe("a withdrawal of", () => {
  test("a token that returns no data, like USDT, is executed", async () => {
    const token = await issue("SilentToken");
    const { status, body } = await withdraw(token.toLowerCase());
    expect(status).toBe(200);
    await sees(body.data.id);
    const { chain } = service.runtime;
    expect(await chain.getTokenBalance(token, destination)).toBe(40n);
    expect(await chain.getTokenBalance(token, safe)).toBe(60n);
  });

  test("a token that is not the Safe's own, or is unknown to us, counts only its own queued operations", async () => {
    const [one, other] = [await issue("SilentToken"), await issue("SilentToken")];
    expect((await withdraw(one, "60")).status).toBe(200);
    expect(shortOf(await withdraw(one, "60"))).toEqual({ status: 422, body: { error: "Insufficient balance" } });
    expect((await withdraw(other, "60")).status).toBe(200);
    expect((await ada.call("GET", "/account-balances")).body).toEqual({ total: "0", spendable: "0", pending: "0" });
  });

  const refused = { status: 422, body: { error: "The token refuses this transfer" } };
  test.each(["FalseToken", "PausedToken", "LoopingToken", "WastefulToken"])(
    "a %s is refused at the door, in little time, and nothing is written",
    async (name) => {
      const token = await issue(name);
      const before = await countRows();
      await expectWithin(5_000, async () => {
        const startedAt = performance.now();
        expect(shortOf(await withdraw(token))).toEqual(refused);
        return performance.now() - startedAt;
      });
      expect(await countRows()).toBe(before);
    },
  );

  test("any token to its own contract is refused, since the contract would keep it", async () => {
    const token = await issue("SilentToken");
    const { status, body } = await withdraw(token, "40", token);
    expect([status, body.error]).toEqual([422, "Invalid to address"]);
  });

  test("an address that is not a token is refused as an empty balance", async () => {
    const before = await countRows();
    for (const address of [destination, ada.account.address, safe, "0xcA11bde05977b3631167028862bE2a173976CA11"]) {
      expect(shortOf(await withdraw(address, "1"))).toEqual({ status: 422, body: { error: "Insufficient balance" } });
    }
    expect(await countRows()).toBe(before);
  });

  test("a token whose balance loops is refused as an empty balance, and no node spends more than its bound on it", async () => {
    const token = await issue("LoopingBalance");
    expect(shortOf(await withdraw(token))).toEqual({ status: 422, body: { error: "Insufficient balance" } });
    const asked: unknown[] = [];
    const recording = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: async (request) => {
        const body = await request.text();
        asked.push(JSON.parse(body).params[0].gas);
        return fetch(service.rpcUrl, { method: "POST", headers: { "Content-Type": "application/json" }, body });
      },
    });
    const reader = createChainReader({ rpcUrl: recording.url.href, chainId: 100, timeoutMs: 5_000 });
    expect(await reader.getTokenBalance(token, safe)).toBe(0n);
    for (const { symbol, address, decimals } of filled(Object.values(tokens))) {
      await ada.sandbox("POST", "/chain/faucet", { address: safe, token: symbol, amount: "7" });
      expect(await reader.getTokenDecimals(address)).toBe(decimals);
      expect(await reader.getTokenBalance(address, safe)).toBe(7n);
    }
    expect(asked).toEqual(asked.map(() => "0xf4240"));
    await recording.stop(true);
  });

  test("native coins to a contract that refuses them is refused, to a wallet executed", async () => {
    await ada.sandbox("POST", "/chain/faucet", { address: safe, token: "native", amount: "100" });
    const contract = await deployTestContract(service.rpcUrl, "SilentToken");
    expect(shortOf(await withdraw(native, "40", contract))).toEqual(refused);
    const { status, body } = await withdraw(native, "40");
    expect(status).toBe(200);
    await sees(body.data.id);
    expect(await service.runtime.chain.getNativeBalance(destination)).toBe(40n);
    expect(shortOf(await withdraw(native, "61"))).toEqual({ status: 422, body: { error: "Insufficient balance" } });
  });
});
