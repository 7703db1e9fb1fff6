/** ENS on a local chain: names that tests register, and faulty resolvers. */
import { ensDeployments } from "@cardkeep/chain/ens";
import type { Address } from "@cardkeep/contract/core/primitives";
import { localAccounts } from "@cardkeep/local/accounts";
import { encodeAbiParameters, encodeFunctionData, namehash, parseAbi, zeroHash } from "viem";
import { deployTestContract } from "./contracts.ts";
import { openNode } from "./node.ts";

const registryAbi = parseAbi([
  "function owner(bytes32 node) view returns (address)",
  "function setResolver(bytes32 node, address resolver)",
]);
const registrarAbi = parseAbi(["function register(string name, string[] labels, address owner, address target)"]);

export interface TestEns {
  /** Registers a name for an address and for `owner`, by default the address itself. */
  set(name: string, address: Address, owner?: Address): Promise<void>;
  /** Makes a gateway at this URL answer for a name. */
  setOffchain(name: string, url: string): Promise<void>;
  /** Makes a name resolve to nonsense. */
  setOdd(name: string): Promise<void>;
}

export function openEns(rpcUrl: string): TestEns {
  const { client, send, sendAs } = openNode(rpcUrl);
  const { registry } = ensDeployments;
  const minter = localAccounts.minter.address;
  const stranger = localAccounts.spare.address;

  const set = async (name: string, target: Address, owner = target) => {
    const to = await client.readContract({
      address: registry,
      abi: registryAbi,
      functionName: "owner",
      args: [zeroHash],
    });
    const args = [name, name.split(".").toReversed(), owner, target] as const;
    await sendAs(minter, { to, data: encodeFunctionData({ abi: registrarAbi, functionName: "register", args }) });
  };
  /** Registered by the stranger, who then sets another resolver. */
  const setResolver = async (name: string, resolver: Address) => {
    await set(name, stranger);
    const args = [namehash(name), resolver] as const;
    await send({ to: registry, data: encodeFunctionData({ abi: registryAbi, functionName: "setResolver", args }) });
  };
  return {
    set,
    setOffchain: async (name, url) => {
      const argument = encodeAbiParameters([{ type: "string" }], [url]);
      await setResolver(name, await deployTestContract(rpcUrl, "OffchainResolver", argument));
    },
    setOdd: async (name) => setResolver(name, await deployTestContract(rpcUrl, "OddResolver")),
  };
}
