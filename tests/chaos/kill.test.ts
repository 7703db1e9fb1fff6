import { afterAll, beforeAll, expect, test } from "bun:test";
import { delayTransactions, relayTransactions } from "@cardkeep/db/schema/tables";
import { eq } from "drizzle-orm";
import { createPublicClient, http, parseAbiItem } from "viem";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { type AppProcess, spawnApp } from "../support/process.ts";
import { type RpcProxy, startRpcProxy } from "../support/rpcProxy.ts";
import { type Service, startService } from "../support/service.ts";
import { eure } from "../support/tokens.ts";

const destination = "0x000000000000000000000000000000000000bEEF";

let service: Service;
let proxy: RpcProxy;
let ada: Person;
let worker: AppProcess;
beforeAll(async () => {
  service = await startService({ worker: false });
  proxy = startRpcProxy(service.rpcUrl);
  worker = await spawnApp("worker", { ...service.env, RPC_URL: proxy.url });
  ada = new Person(service);
  const address = await ada.becomeAccountHolder();
  await ada.sandbox("POST", "/chain/faucet", { address, token: "EURe", amount: "1000" });
});
afterAll(async () => {
  worker.kill("SIGKILL");
  await worker.exited;
  proxy.stop();
  await service.stop();
});

async function countEnqueues(delay: `0x${string}`): Promise<number> {
  const client = createPublicClient({ transport: http(service.rpcUrl) });
  const event = parseAbiItem(
    "event TransactionAdded(uint256 indexed queueNonce, bytes32 indexed txHash, address to, uint256 value, bytes data, uint8 operation)",
  );
  return (await client.getLogs({ address: delay, event, fromBlock: 0n })).length;
}

for (const moment of ["after the node took the transaction", "before the node saw the transaction"] as const) {
  test(`kill -9 of the worker ${moment}: one enqueue on chain, and the withdrawal executes`, async () => {
    const killed = new Promise<void>((resolve) => {
      proxy.intercept("eth_sendRawTransaction", async (forward) => {
        if (moment.startsWith("after")) await forward();
        worker.kill("SIGKILL");
        resolve();
        return null;
      });
    });
    const before = await service.runtime.db.select().from(delayTransactions);
    const submitted = await ada.ask(
      "POST",
      "/accounts/withdraw",
      await ada.signWithdrawal({ tokenAddress: eure, to: destination, amount: "7" }),
    );
    expect(submitted.status).toBe(200);
    await killed;
    await worker.exited;
    worker = await spawnApp("worker", { ...service.env, RPC_URL: proxy.url });
    const { id } = submitted.body.data;
    await until(async () => (await ada.findDelay(id))?.status === "WAITING");
    const [row] = await service.runtime.db.select().from(delayTransactions).where(eq(delayTransactions.id, id));
    if (!row) throw new Error("the withdrawal has no row");
    expect(await countEnqueues(row.delayAddress)).toBe(before.length + 1);
    expect(
      await service.runtime.db.select().from(relayTransactions).where(eq(relayTransactions.subjectId, id)),
    ).toHaveLength(1);
    await ada.sandbox("POST", "/chain/advance", { seconds: 181 });
    await until(async () => (await ada.findDelay(id))?.status === "EXECUTED");
    expect(await service.runtime.chain.getTokenBalance(eure, destination)).toBe(BigInt(7 * (before.length + 1)));
  });
}
