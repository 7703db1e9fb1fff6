/**
 * Names of the Ethereum Name Service.
 *
 * - name: normalised by ENSIP-15, the form that is hashed.
 * - universal resolver: the contract that finds a name's resolver and calls it.
 * - offchain name: one whose resolver sends its caller to a gateway (EIP-3668). It does not resolve here: otherwise a
 * name's owner would choose an address that this process fetches.
 */
import type { Address } from "@cardkeep/contract/core/primitives";
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
import { parseAnswer } from "./reads/parseAnswer.ts";

/** The contracts of ENS, the same on every chain that has it. Source: the ENS documentation, "Deployments". */
export const ensDeployments = {
  registry: "0x00000000000C2E074eC69A0dFb2997BA6C7d2e1e",
  universalResolver: "0xeEeEEEeE14D718C2B47D9923Deab1335E144EeEe",
} as const satisfies Record<string, Address>;

const universalResolverAbi = parseAbi([
  "function resolveWithGateways(bytes name, bytes data, string[] gateways) view returns (bytes result, address resolver)",
]);
const resolverAbi = parseAbi(["function addr(bytes32 node) view returns (address)"]);

/** Far more than an address needs. */
const bodyBytesMax = 64 * 1024;

export interface EnsReader {
  /**
   * The address of a normalised name on chain; null for a name without one, or with an offchain one only.
   *
   * Only the node is called.
   * @throws ChainUnavailable
   */
  findAddress(name: string): Promise<Address | null>;
}

/** A name in the form that ENS hashes (ENSIP-15); null for an invalid name. */
export function normalizeEnsName(text: string): string | null {
  try {
    const name = normalize(text);
    return name === "" ? null : name;
  } catch {
    return null;
  }
}

/** A reader over one node of the chain with ENS. */
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

/** A resolver's owner controls its answer: an answer that is not an address counts as none. */
function readAddress(result: `0x${string}`): Address | null {
  if (size(result) < 32) return null;
  try {
    const [address] = decodeAbiParameters(parseAbiParameters("address"), result);
    return address === zeroAddress ? null : getAddress(address);
  } catch {
    return null;
  }
}
