/** ENS on a local chain: the universal resolver at its address, and names that anybody may set. */
import { universalResolver } from "@cardkeep/chain/ens";
import type { Address } from "@cardkeep/contract/primitives";
import { encodeAbiParameters, encodeFunctionData, namehash, parseAbi } from "viem";
import { deployTestContract } from "./contracts.ts";
import { openNode } from "./node.ts";

const universalResolverAbi = parseAbi(["function setResolver(bytes32 node, address resolver)"]);
const resolverAbi = parseAbi(["function setAddr(bytes32 node, address owner)"]);

export interface TestEns {
  /** Has a name stand for an address. */
  set(name: string, address: Address): Promise<void>;
  /** Has a name be answered by a gateway at this URL. */
  setOffchain(name: string, url: string): Promise<void>;
  /** Has a name be answered by nonsense. */
  setOdd(name: string): Promise<void>;
}

export async function startEns(rpcUrl: string): Promise<TestEns> {
  const { client, send } = openNode(rpcUrl);
  const bytecode = await client.getCode({ address: await deployTestContract(rpcUrl, "TestUniversalResolver") });
  if (!bytecode) throw new Error("no code");
  await client.setCode({ address: universalResolver, bytecode });
  const onchain = await deployTestContract(rpcUrl, "TestResolver");

  const setResolver = async (name: string, resolver: Address) => {
    const args = [namehash(name), resolver] as const;
    const data = encodeFunctionData({ abi: universalResolverAbi, functionName: "setResolver", args });
    await send({ to: universalResolver, data });
  };
  return {
    set: async (name, address) => {
      await setResolver(name, onchain);
      const args = [namehash(name), address] as const;
      await send({ to: onchain, data: encodeFunctionData({ abi: resolverAbi, functionName: "setAddr", args }) });
    },
    setOffchain: async (name, url) => {
      const argument = encodeAbiParameters([{ type: "string" }], [url]);
      await setResolver(name, await deployTestContract(rpcUrl, "OffchainResolver", argument));
    },
    setOdd: async (name) => setResolver(name, await deployTestContract(rpcUrl, "OddResolver")),
  };
}
