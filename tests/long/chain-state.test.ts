import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { deployments } from "@cardkeep/chain/deployments";
import { type Chain, startChain } from "@cardkeep/local/chain";
import { connectNode } from "@cardkeep/local/node";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import type { Address, Hash } from "viem";
import { createRandom } from "../lives/random.ts";
import { until } from "../support/poll.ts";
import { testSeed } from "../support/seed.ts";

const cacheDirectory = fileURLToPath(new URL("../../.cardkeep/cache", import.meta.url));
const rich: Address = "0x00000000000000000000000000000000000000Ad";
const payer: Address = "0xa0Ee7A142d267C1f36714E4a8F75612F20a79720";

let folder: string;
let stateFile: string;
let chain: Chain | null = null;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "cardkeep-chain-"));
});
afterEach(async () => {
  await chain?.stop();
  chain = null;
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const start = async (name: string, port?: number) => {
  stateFile = join(folder, name, "chain.json");
  chain = await startChain({ cacheDirectory, stateFile, ...(port !== undefined && { port }) });
  return { chain, node: connectNode(chain.rpcUrl) };
};
type Node = Awaited<ReturnType<typeof start>>["node"];

/** Pays 5 wei to the rich account in a transaction of its own. */
async function pay(node: Node): Promise<Hash> {
  const hash = await node.sendTransaction({ account: payer, chain: null, to: rich, value: 5n });
  await node.waitForTransactionReceipt({ hash });
  return hash;
}

/** A slow save is followed by a pause of 20 times its length. */
const untilSaved = (hash: Hash) => until(() => isSaved(hash), { timeoutMs: 45_000 });
const isSaved = async (hash: Hash): Promise<boolean> => {
  const saved = `${stateFile}.saved`;
  return existsSync(saved) && gunzipSync(await Bun.file(saved).bytes()).includes(hash);
};

test("a chain killed while it writes its state starts again at its port, with every transaction up to a second before", async () => {
  const first = await start("killed");
  const hashes = [await pay(first.node), await pay(first.node)];
  await untilSaved(hashes[1] ?? "0x");
  process.kill(first.chain.pid, "SIGKILL");
  await first.chain.ended;
  const text = await Bun.file(stateFile).text();
  await Bun.write(stateFile, text.slice(0, text.length / 2));
  const { node } = await start("killed", first.chain.port);
  expect(await node.getBalance({ address: rich })).toBe(10n);
  for (const hash of hashes) expect((await node.getTransactionReceipt({ hash })).status).toBe("success");
});

test("each state that is saved under load lists every transaction whose effects it has", async () => {
  const { node } = await start("loaded");
  const senders = (await node.getAddresses()).slice(0, 6);
  /** How many transactions the accounts have sent beyond the listed ones. */
  const countUnlisted = (gzip: Uint8Array<ArrayBuffer>): number => {
    const { accounts, blocks } = JSON.parse(new TextDecoder().decode(gunzipSync(gzip)));
    const listed = blocks.flatMap(({ transactions }: { transactions: unknown[] }) => transactions).length;
    return senders.reduce((sum, sender) => sum + Number(accounts[sender.toLowerCase()]?.nonce ?? 0), -listed);
  };
  const atRest = countUnlisted(Buffer.from((await node.dumpState()).slice(2), "hex"));
  const random = createRandom(testSeed);
  let isLoaded = true;
  const load = senders.map(async (account) => {
    while (isLoaded) {
      await node.sendTransaction({ account, chain: null, to: rich, value: 1n });
      await Bun.sleep(random(200));
    }
  });
  const unlisted = new Map<number, number>();
  const look = async () => {
    const file = Bun.file(`${stateFile}.saved`);
    if ((await file.exists()) && !unlisted.has(file.lastModified))
      unlisted.set(file.lastModified, countUnlisted(await file.bytes()));
    return unlisted.size > 1;
  };
  await until(look, { everyMs: 20, timeoutMs: 45_000 }).finally(() => (isLoaded = false));
  await Promise.all(load);
  await until(() => node.getAutomine());
  expect([testSeed, ...unlisted.values()]).toEqual([testSeed, ...[...unlisted.keys()].map(() => atRest)]);
});

test("a chain that was told to mine for no transaction stays so when its state is saved", async () => {
  const { node } = await start("still");
  await until(() => existsSync(`${stateFile}.saved`));
  await until(() => node.getAutomine());
  await node.setAutomine(false);
  const hash = await node.sendTransaction({ account: payer, chain: null, to: rich, value: 5n });
  await node.mine({ blocks: 1 });
  await untilSaved(hash);
  expect(await node.getAutomine()).toBe(false);
});

test("a chain with another version's contracts is refused, with their names", async () => {
  const first = await start("other");
  await first.node.setCode({ address: deployments.delayMastercopy, bytecode: "0x00" });
  await first.chain.stop();
  await expect(start("other")).rejects.toThrow("(delayMastercopy). Start with an empty CARDKEEP_HOME.");
});

test("a chain that is stopped starts again with unsaved transactions too", async () => {
  const first = await start("stopped");
  await first.node.setBalance({ address: rich, value: 7n });
  await first.chain.stop();
  const { node } = await start("stopped");
  expect(await node.getBalance({ address: rich })).toBe(7n);
});

test("a chain with a state file mines a block each second, and answers at the latest block while others are mined", async () => {
  const { node } = await start("blocks");
  const head = await node.getBlockNumber();
  let isOver = false;
  const asked = (async () => {
    while (!isOver) await node.getBalance({ address: rich });
  })();
  for (let count = 0; count < 200; count++) await node.mine({ blocks: 1 });
  isOver = true;
  await asked;
  await until(async () => (await node.getBlockNumber()) > head + 201n);
});

test("a chain with a state file keeps no old states, and a restart keeps no old empty blocks", async () => {
  const first = await start("long");
  const hash = await pay(first.node);
  for (let part = 0; part < 5; part++) await first.node.mine({ blocks: 400 });
  const head = await first.node.getBlockNumber();
  await expect(first.node.getBalance({ address: rich, blockNumber: head - 1_500n })).rejects.toThrow(/BlockOutOfRange/);
  await first.chain.stop();
  const { node } = await start("long");
  expect(await node.getBlockNumber()).toBeGreaterThan(head);
  await expect(node.getBlock({ blockNumber: head - 1_500n })).rejects.toThrow(/could not be found/);
  expect((await node.getBlock({ blockNumber: head - 500n })).number).toBe(head - 500n);
  expect((await node.getTransactionReceipt({ hash })).status).toBe("success");
  expect(await node.getBalance({ address: rich })).toBe(5n);
});
