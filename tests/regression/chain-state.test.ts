import { afterAll, beforeAll, expect, test } from "bun:test";
import { startChain } from "@cardkeep/local/chain";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createTestClient, http, publicActions } from "viem";
import { until } from "../support/poll.ts";

const cacheDirectory = fileURLToPath(new URL("../../.cardkeep/cache", import.meta.url));
const rich = "0x00000000000000000000000000000000000000Ad";

let folder: string;
let stateFile: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "cardkeep-chain-"));
  stateFile = join(folder, "chain.json");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const start = () => startChain({ cacheDirectory, stateFile });
const nodeOf = (rpcUrl: string) => createTestClient({ mode: "anvil", transport: http(rpcUrl) }).extend(publicActions);

test("a chain killed in the middle of writing its state comes back from the last whole one", async () => {
  const chain = await start();
  await nodeOf(chain.rpcUrl).setBalance({ address: rich, value: 5n });
  const isCopied = async () =>
    existsSync(`${stateFile}.whole`) &&
    (await Bun.file(`${stateFile}.whole`).text()).toLowerCase().includes(rich.toLowerCase());
  await until(isCopied);
  process.kill(chain.pid, "SIGKILL");
  await chain.ended;
  const text = await Bun.file(stateFile).text();
  await Bun.write(stateFile, text.slice(0, text.length / 2));
  const again = await start();
  expect(await nodeOf(again.rpcUrl).getBalance({ address: rich })).toBe(5n);
  await again.stop();
});
