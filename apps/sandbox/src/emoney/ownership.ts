/** Checks whether a signer may act for an address: as its key, as its contract, or as an owner of the Safe. */
import { splitUrls } from "@cardkeep/chain/reads/rpc";
import type { Address, Hex } from "@cardkeep/contract/primitives";
import { BaseError, createPublicClient, http, isAddress, isHex, parseAbi } from "viem";
import type { SandboxRuntime } from "../openStore.ts";

const modulesAbi = parseAbi([
  "function getModulesPaginated(address start, uint256 pageSize) view returns (address[] array, address next)",
]);
const sentinel = "0x0000000000000000000000000000000000000001";
const modulesMax = 20n;

/** Reads the modules of the Safe, and their modules, from the chain. Our accounts keep their owners on a module. */
export async function isOwnersSignature(
  runtime: SandboxRuntime,
  link: { address: Address; message: string; signature: string },
): Promise<boolean> {
  const { message, signature } = link;
  if (!isHex(signature)) return false;
  const client = createPublicClient({
    transport: http(splitUrls(runtime.settings.rpcUrl ?? "")[0], { retryCount: 0 }),
  });
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
  const signed = (address: Address): Promise<boolean> =>
    client.verifyMessage({ address, message, signature: signature as Hex }).catch(() => false);
  if (await signed(link.address)) return true;
  for (const module of await listModules(link.address)) {
    for (const owner of await listModules(module)) if (await signed(owner)) return true;
  }
  return false;
}
