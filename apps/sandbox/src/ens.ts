/** Routes for ENS names on the local chain. */
import { ensDeployments, normalizeEnsName } from "@cardkeep/chain/ens";
import { address } from "@cardkeep/contract/core/primitives";
import { type Address, encodeFunctionData, parseAbi, zeroHash } from "viem";
import { z } from "zod";
import { connectNode, sendAsMinter } from "./core/minter.ts";
import { defineSandboxRoute, SandboxError } from "./core/route.ts";
import type { SandboxRuntime } from "./core/openStore.ts";

const registryAbi = parseAbi(["function owner(bytes32 node) view returns (address)"]);
/** `EnsRegistrar` in `apps/local/contracts/Ens.sol`: it owns the root of all names. */
const registrarAbi = parseAbi([
  "function register(string name, string[] labels, address owner, address target)",
  "function names() view returns (string[])",
]);
const registerGas = 2_000_000n;
const nameLengthMax = 255;
const labelsMax = 10;

/** The registrar of the local chain; null on an external chain. */
async function findRegistrar(runtime: SandboxRuntime): Promise<Address | null> {
  if (!runtime.settings.localChain) return null;
  const node = connectNode(runtime);
  const registry = { address: ensDeployments.registry, abi: registryAbi } as const;
  return node.readContract({ ...registry, functionName: "owner", args: [zeroHash] }).catch(() => null);
}

/** Every registered name, oldest first; empty on an external chain. */
export async function listNames(runtime: SandboxRuntime): Promise<readonly string[]> {
  const registrar = await findRegistrar(runtime);
  if (registrar === null) return [];
  return connectNode(runtime).readContract({ address: registrar, abi: registrarAbi, functionName: "names" });
}

const ensName = z
  .string()
  .max(nameLengthMax)
  .transform((text, ctx) => {
    const name = normalizeEnsName(text);
    if (name === null || name.split(".").length > labelsMax) {
      ctx.addIssue({ code: "custom", message: "must be a name in ENS form, such as ada.eth" });
      return z.NEVER;
    }
    return name;
  });

export const registerName = defineSandboxRoute({
  method: "POST",
  path: "/ens/names",
  summary: "Registers an ENS name for an owner: it resolves to the address and is its primary name",
  input: z.object({ name: ensName, address, owner: address.optional() }),
  example: { name: "ada.eth" },
  run: async (runtime, { name, address: target, owner = target }) => {
    const registrar = await findRegistrar(runtime);
    if (registrar === null) throw new SandboxError(409, "The sandbox cannot register names on an external chain");
    const labels = name.split(".").toReversed();
    const data = encodeFunctionData({
      abi: registrarAbi,
      functionName: "register",
      args: [name, labels, owner, target],
    });
    const transactionHash = await sendAsMinter(runtime, { to: registrar, data, gas: registerGas });
    return { name, address: target, owner, transactionHash };
  },
});
