/**
 * Changes one part of a world to what this checkout makes of it: `bun change.ts <folder> <part> <seed>`. A mutant's copy of this file
 * does so for the mutant, which takes seconds less than another world.
 */
import { deployments } from "@cardkeep/chain/deployments";
import { tokens } from "@cardkeep/chain/tokens";
import { type Address, address } from "@cardkeep/contract/core/primitives";
import { compileContracts } from "@cardkeep/local/compile";
import { join } from "node:path";
import { z } from "zod";
import { listCast, policyOf } from "./cast.ts";
import { encodeVectors } from "./vectors.ts";

/** Changes the code at an address of a world. */
export async function changeCode(folder: string, address: Address, change: (code: string) => string): Promise<void> {
  const path = join(folder, "allocs.json");
  const accounts = z.record(z.string(), z.looseObject({ code: z.string() })).parse(await Bun.file(path).json());
  const account = accounts[address.toLowerCase()];
  if (!account) throw new Error(`Nothing is at ${address}`);
  account.code = change(account.code);
  await Bun.write(path, JSON.stringify(accounts));
}

/** Compiles a contract, and puts its code at addresses. */
async function compileTo(folder: string, source: string, name: string, addresses: readonly Address[]): Promise<void> {
  const contract = (await compileContracts([source]))[name];
  if (!contract) throw new Error(`${name} was not compiled`);
  for (const address of addresses) await changeCode(folder, address, () => contract.runtime);
}

const known = z.looseObject({ safe: address, delay: address, roles: address, bouncer: address, wallet: address });

/** Asks the policy about the vectors again. */
async function judge(folder: string, seed: number): Promise<void> {
  const path = join(folder, "world.json");
  const world = known.parse(await Bun.file(path).json());
  const cast = listCast(world.wallet);
  const { vectors } = encodeVectors(policyOf(world, cast), cast, seed);
  await Bun.write(path, JSON.stringify({ ...world, vectors }));
}

const changes = {
  delay: (folder: string) => compileTo(folder, "Delay.sol", "Delay", [deployments.delayMastercopy]),
  token: (folder: string) =>
    compileTo(folder, "TestToken.sol", "TestToken", [tokens.EURe.address, tokens.GBPe.address]),
  safe: (folder: string) =>
    compileTo(folder, "../../../tests/forge/contracts/Safe.sol", "CompiledSafe", [deployments.safeMastercopy]),
  policy: judge,
} as const;

/** A part of a world that can be changed alone. */
export type Part = keyof typeof changes;

if (import.meta.main) {
  const [folder = "", part, seed] = process.argv.slice(2);
  const change = Object.entries(changes).find(([name]) => name === part)?.[1];
  if (!change) throw new Error(`A world has no part ${part}`);
  await change(folder, Number(seed));
  process.exit(0);
}
