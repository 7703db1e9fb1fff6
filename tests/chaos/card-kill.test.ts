import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { buildTransferTopics } from "@cardkeep/chain/spending";
import { tokens } from "@cardkeep/chain/tokens";
import type { Address } from "@cardkeep/contract/core/primitives";
import { type AppProcess, spawnApp } from "../support/process.ts";
import { type RpcProxy, startRpcProxy } from "../support/rpcProxy.ts";
import { type Service, startService } from "../support/service.ts";
import {
  balancesOf,
  becomeCardHolder,
  type CardHolder,
  cent,
  euro,
  follow,
  untilSettled,
  use,
} from "../support/spending.ts";

setDefaultTimeout(60_000);

const token = tokens.EURe.address;
let service: Service;
let proxy: RpcProxy;
let ada: CardHolder;
let worker: AppProcess;
beforeAll(async () => {
  service = await startService({ worker: false });
  proxy = startRpcProxy(service.rpcUrl);
  worker = await spawnApp("worker", { ...service.env, RPC_URL: proxy.url });
  ada = await becomeCardHolder(service, 100n * euro);
});
afterAll(async () => {
  worker.kill("SIGKILL");
  await worker.exited;
  proxy.stop();
  await service.stop();
});

/** Kills the worker at its next broadcast, before or after the node received it, and starts another one. */
function killAtBroadcast(moment: "before" | "after"): Promise<void> {
  const killed = new Promise<void>((resolve) => {
    proxy.intercept("eth_sendRawTransaction", async (forward) => {
      if (moment === "after") await forward();
      worker.kill("SIGKILL");
      resolve();
      return null;
    });
  });
  return killed.then(async () => {
    await worker.exited;
    worker = await spawnApp("worker", { ...service.env, RPC_URL: proxy.url });
  });
}

async function countTransfers(sides: { from: Address; to: Address }): Promise<number> {
  const { chain } = service.runtime;
  const { number: toBlock } = await chain.getBlock();
  return (await chain.getLogs({ addresses: [token], topics: buildTransferTopics(sides), fromBlock: 0n, toBlock }))
    .length;
}

test.each(["before", "after"] as const)(
  "kill -9 of the worker %s the node took a spend, and then a return: each is on chain once",
  async (moment) => {
    const safe = ada.safe as Address;
    const settlement = service.runtime.settings.policy.settlementAddress;
    const before = await balancesOf(ada);
    const counts = async () => [
      await countTransfers({ from: safe, to: settlement }),
      await countTransfers({ from: settlement, to: safe }),
    ];
    const [spends = 0, returns = 0] = await counts();
    const spent = killAtBroadcast(moment);
    const { threadId } = await use(ada, 2_000);
    await spent;
    await untilSettled(service, 40_000);
    expect(await counts()).toEqual([spends + 1, returns]);
    const returned = killAtBroadcast(moment);
    await follow(ada, threadId, "clear", { amount: 1_500 });
    await returned;
    await untilSettled(service, 40_000);
    expect(await counts()).toEqual([spends + 1, returns + 1]);
    expect((await balancesOf(ada)).total).toBe(before.total - 1_500n * cent);
  },
);
