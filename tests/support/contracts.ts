/** Contracts for tests only, compiled once per checkout. */
import { localAccounts } from "@cardkeep/local/accounts";
import { compileApart, type CompiledContract, readSources } from "@cardkeep/local/compile";
import { rename } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { type Address, concat, createWalletClient, getAddress, type Hex, http, publicActions } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { openNode } from "./node.ts";

const sources = ["test/Attacks.sol", "test/Ens.sol", "test/Tokens.sol", "test/Wallets.sol"];
const fingerprint = new Bun.CryptoHasher("sha256").update(readSources(sources)).digest("hex").slice(0, 16);
const cachePath = fileURLToPath(new URL(`../../.cardkeep/cache/tests-${fingerprint}.json`, import.meta.url));

/** The contracts of `apps/local/contracts/test` by name. A whole run compiles them before its files, which run side by side. */
export async function compileTestContracts(): Promise<Record<string, CompiledContract>> {
  const cached = Bun.file(cachePath);
  if (await cached.exists()) return cached.json();
  // In a process of its own: the compiler would hold up what a run starts meanwhile, and the other compiler with it.
  const compiled = await compileApart(sources);
  const partial = `${cachePath}.${process.pid}`;
  await Bun.write(partial, JSON.stringify(compiled));
  await rename(partial, cachePath);
  return compiled;
}

/** An account without any role, with money for gas. */
export const connectStranger = (rpcUrl: string) =>
  createWalletClient({
    account: privateKeyToAccount(localAccounts.spare.privateKey),
    transport: http(rpcUrl),
    pollingInterval: 20,
  }).extend(publicActions);

/** Deploys one of the test contracts on a local chain; `constructorArguments` are ABI encoded. */
export async function deployTestContract(
  rpcUrl: string,
  name: string,
  constructorArguments: Hex = "0x",
): Promise<Address> {
  const contract = (await compileTestContracts())[name];
  if (!contract) throw new Error(`No contract ${name}`);
  return getAddress(await openNode(rpcUrl).deploy(concat([contract.creation, constructorArguments])));
}
