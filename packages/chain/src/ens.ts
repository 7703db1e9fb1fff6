/**
 * Names of the Ethereum Name Service.
 *
 * - name: normalised by ENSIP-15, as it is hashed. - universal resolver: the contract that finds a name's resolver and asks it.
 * - offchain name: one whose resolver sends its caller to a gateway (EIP-3668). It resolves to nothing here, because
 *   whoever owns a name would otherwise choose an address that this process fetches.
 */
import type { Address } from "@cardkeep/contract/primitives";
import {
  decodeAbiParameters,
  decodeFunctionResult,
  encodeFunctionData,
  getAddress,
  parseAbi,
  parseAbiParameters,
  size,
  toHex,
  zeroAddress,
} from "viem";
import { namehash, normalize, packetToBytes } from "viem/ens";
import { CallReverted } from "./errors.ts";
import { createRpc, type ReportRpc } from "./reads/rpc.ts";
import { parseAnswer } from "./reads/wire.ts";

/** Where ENS stands, on every chain that has it. Source: the ENS documentation, "Deployments". */
export const ensDeployments = {
  registry: "0x00000000000C2E074eC69A0dFb2997BA6C7d2e1e",
  universalResolver: "0xeEeEEEeE14D718C2B47D9923Deab1335E144EeEe",
} as const satisfies Record<string, Address>;

const universalResolverAbi = parseAbi([
  "function resolveWithGateways(bytes name, bytes data, string[] gateways) view returns (bytes result, address resolver)",
]);
const resolverAbi = parseAbi(["function addr(bytes32 node) view returns (address)"]);

/** Far more than an address takes. */
const bodyBytesMax = 64 * 1024;

export interface EnsReader {
  /**
   * The address a normalised name stands for on chain; null when it stands for none, or only off chain.
   *
   * Nothing but the node is ever asked. @throws ChainUnavailable
   */
  findAddress(name: string): Promise<Address | null>;
}

/** A name as ENS hashes it (ENSIP-15); null for a text that is no name. */
export function normalizeEnsName(text: string): string | null {
  try {
    const name = normalize(text);
    return name === "" ? null : name;
  } catch {
    return null;
  }
}

/** A reader over one node of the chain that holds ENS. */
export function createEnsReader(input: { rpcUrl: string; timeoutMs: number; report?: ReportRpc }): EnsReader {
  const rpc = createRpc({ ...input, bodyBytesMax });
  return {
    findAddress: async (name) => {
      const question = encodeFunctionData({ abi: resolverAbi, functionName: "addr", args: [namehash(name)] });
      const data = encodeFunctionData({
        abi: universalResolverAbi,
        functionName: "resolveWithGateways",
        args: [toHex(packetToBytes(name)), question, []],
      });
      const answer = await rpc.view(ensDeployments.universalResolver, data).catch((error: unknown) => {
        if (error instanceof CallReverted) return null;
        throw error;
      });
      if (answer === null) return null;
      const [result] = parseAnswer("resolveWithGateways", () =>
        decodeFunctionResult({ abi: universalResolverAbi, functionName: "resolveWithGateways", data: answer }),
      );
      return readAddress(result);
    },
  };
}

/** What a resolver answers is its owner's word: anything but an address is none. */
function readAddress(result: `0x${string}`): Address | null {
  if (size(result) < 32) return null;
  try {
    const [address] = decodeAbiParameters(parseAbiParameters("address"), result);
    return address === zeroAddress ? null : getAddress(address);
  } catch {
    return null;
  }
}
