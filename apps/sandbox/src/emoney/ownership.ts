/** Checks who signed for an address: its key, its contract, or an owner of the Safe. */
import type { Address } from "@cardkeep/contract/core/primitives";
import { BaseError, createPublicClient, isAddress, isHex, parseAbi } from "viem";
import { openTransport } from "../core/minter.ts";
import type { SandboxRuntime } from "../core/openStore.ts";

const modulesAbi = parseAbi([
  "function getModulesPaginated(address start, uint256 pageSize) view returns (address[] array, address next)",
]);
const sentinel = "0x0000000000000000000000000000000000000001";
const modulesMax = 20n;

interface Signed {
  address: Address;
  message: string;
  signature: string;
}

const connect = (runtime: SandboxRuntime) => createPublicClient({ transport: openTransport(runtime.settings) });

/** Whether an account signed itself: by its key, or as a contract by ERC-1271. An owner's key signs for no contract. */
export async function isOwnSignature(
  runtime: SandboxRuntime,
  { address, message, signature }: Signed,
): Promise<boolean> {
  if (!isHex(signature)) return false;
  return connect(runtime)
    .verifyMessage({ address, message, signature })
    .catch(() => false);
}

/** Whether an account or one of its owners signed: our accounts keep their owners on a module, which the chain lists. */
export async function isOwnersSignature(runtime: SandboxRuntime, link: Signed): Promise<boolean> {
  const client = connect(runtime);
  const listModules = async (address: Address): Promise<readonly Address[]> => {
    try {
      const args = [sentinel, modulesMax] as const;
      const [found] = await client.readContract({
        address,
        abi: modulesAbi,
        functionName: "getModulesPaginated",
        args,
      });
      return found.filter((each) => isAddress(each));
    } catch (error) {
      if (error instanceof BaseError) return [];
      throw error;
    }
  };
  const signed = (address: Address): Promise<boolean> => isOwnSignature(runtime, { ...link, address });
  if (await signed(link.address)) return true;
  for (const module of await listModules(link.address)) {
    for (const owner of await listModules(module)) if (await signed(owner)) return true;
  }
  return false;
}
