/**
 * ENS on a local chain: registry, resolver, reverse records, and a registrar that gives names to everyone.
 *
 * The public resolver is ENS's own build. Registry and universal resolver have their addresses of the public chain,
 * so a stock client finds them.
 */
import { ensDeployments } from "@cardkeep/chain/ens";
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import {
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  getContractAddress,
  keccak256,
  pad,
  parseAbi,
  parseAbiParameters,
  zeroHash,
} from "viem";
import { z } from "zod";
import { localAccounts } from "./accounts.ts";
import type { CompiledContract } from "./compile.ts";
import { deterministicDeployer, type Step } from "./genesis.ts";
import { loadPackageFile } from "./packageFiles.ts";

const artifact = z.object({ bytecode: z.custom<Hex>((value) => /^0x[0-9a-f]+$/.test(String(value))) });
const registryAbi = parseAbi(["function setOwner(bytes32 node, address owner)"]);
const registrarAbi = parseAbi(["function setUp()"]);
/** `records[root]`, the registry's first variable: its first word is the owner. */
const rootOwnerSlot = keccak256(concatHex([zeroHash, zeroHash]));

/** The steps that deploy ENS; only the minter sends them. */
export function buildEns({
  EnsRegistry,
  EnsRegistrar,
  EnsUniversalResolver,
}: Record<string, CompiledContract>): Step[] {
  if (!EnsRegistry || !EnsRegistrar || !EnsUniversalResolver) throw new Error("ENS was not compiled");
  const { registry, universalResolver } = ensDeployments;
  const { address: minter } = localAccounts.minter;
  const publicResolver = buildCreation(
    artifact.parse(loadPackageFile("@ensdomains/resolver", "build/contracts/PublicResolver.json")).bytecode,
    encodeAbiParameters(parseAbiParameters("address"), [registry]),
  );
  const registrar = buildCreation(
    EnsRegistrar.creation,
    encodeAbiParameters(parseAbiParameters("address, address, address"), [registry, publicResolver.address, minter]),
  );
  const send = (to: Address, data: Hex): Step => ({ kind: "send", to, data, address: to, from: minter });
  const setOwner = encodeFunctionData({
    abi: registryAbi,
    functionName: "setOwner",
    args: [zeroHash, registrar.address],
  });
  return [
    { kind: "code", code: EnsRegistry.runtime, address: registry },
    { kind: "storage", slot: rootOwnerSlot, value: pad(minter), address: registry },
    { ...publicResolver, from: minter },
    { ...registrar, from: minter },
    send(registry, setOwner),
    send(registrar.address, encodeFunctionData({ abi: registrarAbi, functionName: "setUp" })),
    { kind: "code", code: EnsUniversalResolver.runtime, address: universalResolver },
  ];
}

function buildCreation(creation: Hex, constructorArguments: Hex) {
  const bytecode = concatHex([creation, constructorArguments]);
  const address = getContractAddress({ opcode: "CREATE2", from: deterministicDeployer, salt: zeroHash, bytecode });
  return { kind: "send", to: deterministicDeployer, data: concatHex([zeroHash, bytecode]), address } as const;
}
