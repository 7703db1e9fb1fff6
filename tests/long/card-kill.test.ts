import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { buildTransferTopics } from "@cardkeep/chain/spending";
import { tokens } from "@cardkeep/chain/tokens";
import type { Address } from "@cardkeep/contract/core/primitives";
import type { Close } from "@cardkeep/domain/books/closes/closes";
import type { ShownMove } from "@cardkeep/domain/treasury/moves/showMove";
import { listEmoneyRecords } from "@cardkeep/db/sandbox/emoneyRecords";
import { BookPoller, byKey } from "../support/bookPoller.ts";
import { askCli } from "../support/cli.ts";
import { filled } from "../support/filled.ts";
import { type HttpProxy, startHttpProxy } from "../support/httpProxy.ts";
import { until } from "../support/poll.ts";
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
  give,
  untilSettled,
  use,
} from "../support/spending.ts";

setDefaultTimeout(60_000);

const token = tokens.EURe.address;
let service: Service;
let proxy: RpcProxy;
let institution: HttpProxy;
let ada: CardHolder;
let worker: AppProcess;
let books: BookPoller;
let endPolling: () => Promise<void>;
const startWorker = () =>
  spawnApp("worker", { ...service.env, RPC_URL: proxy.url, EMONEY_URL: `${institution.url}/emoney/api` });
beforeAll(async () => {
  service = await startService({ worker: false });
  proxy = startRpcProxy(service.rpcUrl);
  institution = startHttpProxy(service.sandboxUrl);
  worker = await startWorker();
  ada = await becomeCardHolder(service, 100n * euro);
  books = await BookPoller.start(ada.person);
  endPolling = books.poll(100);
});
afterAll(async () => {
  worker.kill("SIGKILL");
  await worker.exited;
  proxy.stop();
  institution.stop();
  await service.stop();
});

/** Kills the worker at its next call of a kind, before or after the other side received it, and starts another one. */
function killAt(front: Pick<RpcProxy | HttpProxy, "intercept">, call: string, moment: "before" | "after") {
  const killed = new Promise<void>((resolve) => {
    front.intercept(call, async (forward) => {
      if (moment === "after") await forward();
      worker.kill("SIGKILL");
      resolve();
      return null;
    });
  });
  return killed.then(async () => {
    await worker.exited;
    worker = await startWorker();
  });
}
const killAtBroadcast = (moment: "before" | "after") => killAt(proxy, "eth_sendRawTransaction", moment);

async function countTransfers(sides: { from: Address; to: Address }): Promise<number> {
  const { chain } = service.runtime;
  const { number: toBlock } = await chain.getBlock();
  return (await chain.getLogs({ addresses: [token], topics: buildTransferTopics(sides), fromBlock: 0n, toBlock }))
    .length;
}

test("kill -9 of the worker after the node took a spend, and before it took a return: each is on chain once", async () => {
  const safe = ada.safe as Address;
  const settlement = service.runtime.settings.policy.settlementAddress;
  const before = await balancesOf(ada);
  const counts = async () => [
    await countTransfers({ from: safe, to: settlement }),
    await countTransfers({ from: settlement, to: safe }),
  ];
  const [spends = 0, returns = 0] = await counts();
  const spent = killAtBroadcast("after");
  const { threadId } = await use(ada, 2_000);
  await spent;
  await untilSettled(service, 40_000);
  expect(await counts()).toEqual([spends + 1, returns]);
  const returned = killAtBroadcast("before");
  await follow(ada, threadId, "clear", { amount: 1_500 });
  await returned;
  await untilSettled(service, 40_000);
  expect(await counts()).toEqual([spends + 1, returns + 1]);
  expect((await balancesOf(ada)).total).toBe(before.total - 1_500n * cent);
});

test("a program that polled meanwhile has exactly the service's card transactions", async () => {
  await endPolling();
  await books.visit();
  const { results } = (await ada.person.call("GET", "/cards/transactions?limit=500")).body;
  expect(results).toHaveLength(1);
  expect(byKey([...books.copy.values()])).toEqual(byKey(results));
});

test("kill -9 of the worker once the institution took a redeem: one order, one top-up, and books that agree with every witness", async () => {
  const { chain, settings, db } = service.runtime;
  const { treasuryAddress } = settings.policy;
  await give(ada.person, treasuryAddress, 30n * euro);
  const before = await chain.getTokenBalance(token, treasuryAddress);
  const orders = async () => (await listEmoneyRecords(db, "order")).length;
  const ordersBefore = await orders();
  const killed = killAt(institution, "POST /emoney/api/orders", "after");
  const { id } = await askCli<ShownMove>(service, "treasury", "redeem", "20", "--reason", "weekly");
  await killed;
  const list = () => askCli<ShownMove[]>(service, "treasury", "list", "--kind", "fund");
  await until(async () => (await list()).some(({ causeId, status }) => causeId === id && status === "DONE"));
  expect([await orders(), await list()]).toEqual([ordersBefore + 1, [expect.objectContaining({ amount: "20" })]]);
  expect(await chain.getTokenBalance(token, treasuryAddress)).toBe(before - 20n * euro);
  await ada.person.sandbox("POST", "/chain/advance", { seconds: 86_400 });
  const { items, comparisons } = await askCli<Close>(service, "books", "close");
  expect(items).toEqual([]);
  for (const { witness, account, difference } of filled(comparisons))
    expect([witness, account, difference]).toEqual([witness, account, "0"]);
});
