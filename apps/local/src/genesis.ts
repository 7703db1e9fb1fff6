/**
 * The contracts that a chain needs before Cardkeep can use it, and the source of their code.
 *
 * Every address that CREATE2 can prove is checked before any transaction is sent. The others get equivalent code.
 */
import { deployments } from "@cardkeep/chain/deployments";
import { type Token, tokenList } from "@cardkeep/chain/tokens";
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import { concatHex, encodeFunctionData, erc20Abi, getContractAddress, isAddressEqual, parseAbi } from "viem";
import { treasuryEnvironment } from "@cardkeep/runtime/settings/treasury";
import { z } from "zod";
import { localAccounts } from "./accounts.ts";
import type { CompiledContract } from "./compile.ts";
import { loadPackageFile, readPackageFile } from "./packageFiles.ts";

/** One step of seeding, in order. */
export type Step =
  | { kind: "presigned"; signer: Address; raw: Hex; address: Address }
  /** Sent by an account of the node, by default the first. Afterwards `address` has code. */
  | { kind: "send"; to: Address; data: Hex; address: Address; from?: Address }
  /** Runs creation code and sets the returned code at an address, without a constructor's storage. */
  | { kind: "place"; creation: Hex; address: Address }
  | { kind: "code"; code: Hex; address: Address }
  | { kind: "storage"; slot: Hex; value: Hex; address: Address };

const hex = z.custom<Hex>((value) => typeof value === "string" && /^0x[0-9a-fA-F]+$/.test(value));
const zeroSalt: Hex = `0x${"00".repeat(32)}`;

/**
 * The deterministic deployer that the node has from the start (github.com/Arachnid/deterministic-deployment-proxy).
 */
export const deterministicDeployer: Address = "0x4e59b44847b379578588920cA78FbF26c0B4956C";
/** EIP-2470. */
const eip2470Factory: Address = "0xce0042B868300000d44A59004Da54A005ffdcf9f";
const eip2470Signer: Address = "0xBb6e024b9cFFACB947A71991E386681B1Cd1477D";

/** Slot of OpenZeppelin 5's `Initializable` (ERC-7201) at its maximum: a mastercopy cannot be initialized. */
const initializableSlot: Hex = "0xf0c57e16840df040f15088dc2f81fe391c3923bec73e23a9662efc9c229c6a00";
const initializedForEver: Hex = `0x${"00".repeat(24)}${"ff".repeat(8)}`;

const safeContracts: Readonly<Record<string, Address>> = {
  "GnosisSafe.sol/GnosisSafe.json": deployments.safeMastercopy,
  "proxies/GnosisSafeProxyFactory.sol/GnosisSafeProxyFactory.json": deployments.safeProxyFactory,
  "handler/CompatibilityFallbackHandler.sol/CompatibilityFallbackHandler.json": deployments.fallbackHandler,
  "libraries/MultiSend.sol/MultiSend.json": deployments.multiSend,
  "libraries/MultiSendCallOnly.sol/MultiSendCallOnly.json": "0x40A2aCCbd92BCA938b02010E17A5b8929b49130D",
};

/** Tokens of the public chain that a web client expects code for, in addition to the tokens of a Safe. */
const otherTokens: Readonly<Record<string, Address>> = {
  GNO: "0x9C58BAcC331c9aa871AFD802DB6379a98e80CEdb",
  SAFE: "0x4d18815D14fe5c3304e87B3FA18318baa5c23820",
  WETH: "0x6A023CCd1ff6F2045C3309768eAd9E68F978f6e1",
};

const tokenAbi = parseAbi(["function initialize(string symbol, uint8 decimals, address minter)"]);
const eip2470Abi = parseAbi(["function deploy(bytes initCode, bytes32 salt)"]);

const safeArtifact = (path: string) =>
  z
    .object({ bytecode: hex, deployedBytecode: hex })
    .parse(JSON.parse(readPackageFile("@gnosis.pm/safe-contracts", `build/artifacts/contracts/${path}`)));

function requireCreate2(input: { from: Address; salt: Hex; bytecode: Hex; address: Address }): void {
  const predicted = getContractAddress({ opcode: "CREATE2", ...input });
  if (!isAddressEqual(predicted, input.address))
    throw new Error(`The code for ${input.address} would deploy to ${predicted}`);
}

/**
 * The steps that seed a chain.
 * @throws Error if a package's code does not lead to its canonical address
 */
export function buildGenesis(compiled: Readonly<Record<string, CompiledContract>>): Step[] {
  const { Delay, TestToken } = compiled;
  if (!Delay || !TestToken) throw new Error("Delay or TestToken was not compiled");
  return [
    ...buildFactories(),
    ...Object.entries(safeContracts).map(([path, address]) => buildSafeContract(path, address)),
    buildModuleProxyFactory(),
    ...buildRoles(),
    { kind: "code", code: Delay.runtime, address: deployments.delayMastercopy },
    lock(deployments.delayMastercopy),
    { kind: "place", creation: readMulticall(), address: deployments.multicall },
    {
      kind: "code",
      code: safeArtifact("examples/libraries/SignMessage.sol/SignMessageLib.json").deployedBytecode,
      address: deployments.signMessageLib,
    },
    ...tokenList.flatMap((token) => buildToken(TestToken, token.address, token.symbol, token.decimals)),
    ...[localAccounts.settlement, localAccounts.treasury].flatMap(({ address }) =>
      tokenList.map((token) => buildApproval(token, address)),
    ),
    ...Object.entries(otherTokens).flatMap(([symbol, address]) => buildToken(TestToken, address, symbol, 18)),
  ];
}

const lock = (address: Address): Step => ({
  kind: "storage",
  slot: initializableSlot,
  value: initializedForEver,
  address,
});

function buildFactories(): Step[] {
  const [eip2470Raw] =
    /0xf9016c[0-9a-f]+/.exec(readPackageFile("@gnosis.pm/zodiac", "dist/cjs/factory/singletonFactory.js")) ?? [];
  const safeFactory = z
    .object({ signerAddress: hex, transaction: hex, address: hex })
    .parse(JSON.parse(readPackageFile("@safe-global/safe-singleton-factory", "artifacts/100/deployment.json")));
  return [
    { kind: "presigned", signer: eip2470Signer, raw: hex.parse(eip2470Raw), address: eip2470Factory },
    {
      kind: "presigned",
      signer: safeFactory.signerAddress,
      raw: safeFactory.transaction,
      address: deployments.singletonFactory,
    },
  ];
}

function buildSafeContract(path: string, address: Address): Step {
  const { bytecode } = safeArtifact(path);
  requireCreate2({ from: deterministicDeployer, salt: zeroSalt, bytecode, address });
  return { kind: "send", to: deterministicDeployer, data: concatHex([zeroSalt, bytecode]), address };
}

const initData = (name: string) =>
  z.object({ initCode: hex, salt: hex }).parse(loadPackageFile("@gnosis.pm/zodiac", `dist/cjs/initData/${name}.js`));

function buildModuleProxyFactory(): Step {
  const { initCode, salt } = initData("ModuleProxyFactory");
  requireCreate2({ from: eip2470Factory, salt, bytecode: initCode, address: deployments.moduleProxyFactory });
  const data = encodeFunctionData({ abi: eip2470Abi, functionName: "deploy", args: [initCode, salt] });
  return { kind: "send", to: eip2470Factory, data, address: deployments.moduleProxyFactory };
}

/** Roles v2 with its two linked libraries, whose addresses are part of its code. */
function buildRoles(): Step[] {
  const { initCode } = initData("RolesV2");
  const factories = z
    .object({ Integrity__factory: z.custom<{ bytecode: Hex }>(), Packer__factory: z.custom<{ bytecode: Hex }>() })
    .parse(loadPackageFile("zodiac-roles-sdk", "build/typechain.js"));
  const linked = (prefix: string): Address =>
    hex.parse(`0x${new RegExp(`73(${prefix}[0-9a-f]{32})`, "i").exec(initCode)?.[1] ?? ""}`);
  return [
    { kind: "place", creation: factories.Integrity__factory.bytecode, address: linked("6a6af4b1") },
    { kind: "place", creation: factories.Packer__factory.bytecode, address: linked("61c5b1be") },
    { kind: "place", creation: initCode, address: deployments.rolesMastercopy },
    lock(deployments.rolesMastercopy),
  ];
}

const readMulticall = (): Hex =>
  z.object({ multicall3Bytecode: hex }).parse(loadPackageFile("viem", "_cjs/constants/contracts.js"))
    .multicall3Bytecode;

const approvalCents = treasuryEnvironment.SPENDER_APPROVAL_CENTS.parse(undefined);

/** Settlement account and treasury let the spender return card money and payments of orders, as far as the worker renews it. */
function buildApproval({ address, decimals }: Token, from: Address): Step {
  const args = [localAccounts.spender.address, BigInt(approvalCents) * 10n ** BigInt(decimals - 2)] as const;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args });
  return { kind: "send", to: address, data, address, from };
}

function buildToken({ runtime }: CompiledContract, address: Address, symbol: string, decimals: number): Step[] {
  const data = encodeFunctionData({
    abi: tokenAbi,
    functionName: "initialize",
    args: [symbol, decimals, localAccounts.minter.address],
  });
  return [
    { kind: "code", code: runtime, address },
    { kind: "send", to: address, data, address },
  ];
}
