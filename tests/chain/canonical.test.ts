import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { isExpectedCode, listDeployments, parseAcceptedCode } from "@cardkeep/chain/contractCode";
import { deployments } from "@cardkeep/chain/deployments";
import { tokens } from "@cardkeep/chain/tokens";
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import { localAccounts } from "@cardkeep/local/accounts";
import { buildGenesis } from "@cardkeep/local/genesis";
import { development } from "@cardkeep/runtime/development";
import {
  accountQuery,
  populateAccountCreation,
  populateAccountSetup,
  predictAccountAddress,
} from "@gnosispay/account-kit";
import {
  createTestClient,
  decodeFunctionData,
  getContractAddress,
  http,
  isHex,
  keccak256,
  parseAbi,
  parseTransaction,
  publicActions,
  recoverTransactionAddress,
  size,
  slice,
  toHex,
  walletActions,
  zeroAddress,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { startTestChain } from "../support/chain.ts";
import { filled } from "../support/filled.ts";
import { openNode } from "../support/node.ts";

const moduleAbi = parseAbi(["function setUp(bytes initParams)", "error InvalidInitialization()"]);
const safeAbi = parseAbi([
  "function setup(address[] owners, uint256 threshold, address to, bytes data, address fallbackHandler, address paymentToken, uint256 payment, address paymentReceiver)",
]);
const tokenAbi = parseAbi([
  "function name() view returns (string)",
  "function symbol() view returns (string)",
  "function decimals() view returns (uint8)",
  "function balanceOf(address owner) view returns (uint256)",
  "function initialize(string symbol, uint8 decimals, address minter)",
  "function mint(address to, uint256 amount)",
  "function burn(uint256 amount)",
  "error AlreadyInitialized()",
  "error NotMinter(address sender)",
]);
const eip2470Abi = parseAbi(["function deploy(bytes initCode, bytes32 salt)"]);

const nickFactory: Address = "0x4e59b44847b379578588920cA78FbF26c0B4956C";
const eip2470Factory: Address = "0xce0042B868300000d44A59004Da54A005ffdcf9f";
/** Libraries that the Roles mastercopy is linked against. */
const libraries: readonly Address[] = [
  "0x6a6Af4b16458Bc39817e4019fB02BD3b26d41049",
  "0x61C5B1bE435391fDd7BC6703F3740C0d11728a8C",
];
/** Symbol and decimals of each token that a client expects code for. Source: the published interface. */
const tokenFacts: readonly [Address, string, number][] = [
  [tokens.EURe.address, "EURe", 18],
  [tokens.GBPe.address, "GBPe", 18],
  [tokens.USDCe.address, "USDCe", 6],
  ["0x9c58bacc331c9aa871afd802db6379a98e80cedb", "GNO", 18],
  ["0x4d18815d14fe5c3304e87b3fa18318baa5c23820", "SAFE", 18],
  ["0x6a023ccd1ff6f2045c3309768ead9e68f978f6e1", "WETH", 18],
];

let chain: Awaited<ReturnType<typeof startTestChain>>;
let node: ReturnType<typeof connect>;
const connect = (rpcUrl: string) =>
  createTestClient({ mode: "anvil", transport: http(rpcUrl, { retryCount: 0 }), pollingInterval: 10, cacheTime: 0 })
    .extend(publicActions)
    .extend(walletActions);
beforeAll(async () => {
  chain = await startTestChain();
  node = connect(chain.rpcUrl);
});
afterAll(() => chain.stop());

test("every canonical address has code", async () => {
  const tokenAddresses = tokenFacts.map(([address]) => address);
  const factories = [nickFactory, eip2470Factory];
  const addresses = [...Object.values(deployments), ...factories, ...libraries, ...tokenAddresses];
  const codes = await Promise.all(addresses.map((address) => node.getCode({ address })));
  expect(addresses.filter((_, index) => codes[index] === undefined)).toEqual([]);
});

/** Contracts with another build on a local chain than in public; all others have the canonical code. */
const ownBuilds = ["signMessageLib", "multicall", "delayMastercopy", "rolesMastercopy"];

describe("the code of the shared contracts", () => {
  const readCode = () => Promise.all(listDeployments().map(({ address }) => node.getCode({ address })));
  const describeCode = (code: Hex = "0x") => ({ hash: keccak256(code), bytes: size(code) });

  test("is the canonical one, except for builds of the local chain, which the chain names", async () => {
    const codes = await readCode();
    const accepted = parseAcceptedCode(chain.contractCode) ?? {};
    const others = listDeployments().filter(({ name }, at) => !isExpectedCode(name, describeCode(codes[at]), {}));
    expect(others.map(({ name }) => name)).toEqual(ownBuilds as never);
    for (const [at, { name }] of filled(listDeployments().entries())) {
      const code = codes[at] ?? "0x";
      expect(accepted[name]).toBe(keccak256(code));
      expect(isExpectedCode(name, describeCode(code), accepted)).toBe(true);
      expect(isExpectedCode(name, describeCode(`${code}00`), accepted)).toBe(false);
    }
  });

  test("is known by the first bytes of its hash and its length if no more is published", () => {
    const hash: Hex = `0xc9aa4bfd4e${"12".repeat(27)}`;
    expect(isExpectedCode("delayMastercopy", { hash, bytes: 17_331 }, {})).toBe(true);
    expect(isExpectedCode("delayMastercopy", { hash, bytes: 17_332 }, {})).toBe(false);
    expect(isExpectedCode("rolesMastercopy", { hash, bytes: 17_331 }, {})).toBe(false);
  });

  test("is accepted by name and whole hash only", () => {
    const hash = `0x${"Ab".repeat(32)}`;
    expect(parseAcceptedCode(` delayMastercopy=${hash}, multicall=${hash}`)).toEqual({
      delayMastercopy: `0x${"ab".repeat(32)}`,
      multicall: `0x${"ab".repeat(32)}`,
    });
    const code = { hash: `0x${"ab".repeat(32)}`, bytes: 1 } as const;
    expect(isExpectedCode("multicall", code, { multicall: code.hash })).toBe(true);
    expect(isExpectedCode("delayMastercopy", code, { multicall: code.hash })).toBe(false);
    for (const text of ["", "delay", `delay=${hash}`, `toString=${hash}`, `multicall=${hash.slice(0, 12)}`])
      expect(parseAcceptedCode(text)).toBeNull();
    expect(parseAcceptedCode(`multicall=${hash},multicall=${hash}`)).toBeNull();
  });
});

describe("an address follows from its code", () => {
  const nothing = { creation: "0x", runtime: "0x" } as const;
  const steps = buildGenesis({ Delay: nothing, TestToken: nothing });

  test("for a CREATE2 factory", () => {
    const proven = steps.flatMap((step): Address[] => {
      if (step.kind !== "send" || (step.to !== nickFactory && step.to !== eip2470Factory)) return [];
      const { to: from, data, address } = step;
      const isNick = from === nickFactory;
      const [bytecode, salt] = isNick
        ? [slice(data, 32), slice(data, 0, 32)]
        : decodeFunctionData({ abi: eip2470Abi, data }).args;
      expect(getContractAddress({ opcode: "CREATE2", from, salt, bytecode })).toBe(address);
      return [address];
    });
    const { safeMastercopy, safeProxyFactory, fallbackHandler, multiSend, moduleProxyFactory } = deployments;
    const expected = [safeMastercopy, safeProxyFactory, fallbackHandler, multiSend, moduleProxyFactory];
    expect(proven).toEqual(expect.arrayContaining(expected));
  });

  test("for a signed transaction, by its signer and nonce", async () => {
    const presigned = steps.filter((step) => step.kind === "presigned");
    expect(presigned.map(({ address }) => address)).toEqual([eip2470Factory, deployments.singletonFactory]);
    for (const { raw, address } of filled(presigned)) {
      const signer = await recoverTransactionAddress({ serializedTransaction: raw as `0x02${string}` });
      expect(getContractAddress({ from: signer, nonce: BigInt(parseTransaction(raw).nonce ?? 0) })).toBe(address);
    }
  });
});

describe("a mastercopy has no usable owner and cannot be set up", () => {
  test("the Safe", async () => {
    const { safeMastercopy: address, fallbackHandler } = deployments;
    const owners = [localAccounts.spare.address];
    const args = [owners, 1n, zeroAddress, "0x", fallbackHandler, zeroAddress, 0n, zeroAddress] as const;
    const call = { address, abi: safeAbi, functionName: "setup", args } as const;
    await expect(node.simulateContract(call)).rejects.toThrow("GS200");
  });

  test.each(["delayMastercopy", "rolesMastercopy"] as const)("%s", async (name) => {
    const call = { address: deployments[name], abi: moduleAbi, functionName: "setUp", args: ["0x"] } as const;
    await expect(node.simulateContract(call)).rejects.toThrow("InvalidInitialization");
  });
});

describe("a token", () => {
  test.each([...tokenFacts])("at %s is %s with %d decimals", async (address, symbol, decimals) => {
    const token = { address, abi: tokenAbi } as const;
    expect(await node.readContract({ ...token, functionName: "symbol" })).toBe(symbol);
    expect(await node.readContract({ ...token, functionName: "decimals" })).toBe(decimals);
    expect(await node.readContract({ ...token, functionName: "name" })).not.toBe("");
    const args = ["Evil", 0, localAccounts.spare.address] as const;
    const again = { ...token, functionName: "initialize", args } as const;
    await expect(node.simulateContract(again)).rejects.toThrow("AlreadyInitialized");
  });

  test("account 9 alone mints it, and its holder burns it", async () => {
    const token = { address: tokens.USDCe.address, abi: tokenAbi } as const;
    const { minter, spare } = localAccounts;
    const mint = { ...token, functionName: "mint", args: [spare.address, 7n] } as const;
    await expect(node.simulateContract({ ...mint, account: spare.address })).rejects.toThrow("NotMinter");
    const mined = async (hash: Hex) =>
      expect((await openNode(chain.rpcUrl).waitForReceipt(hash)).status).toBe("success");
    await mined(await node.writeContract({ ...mint, account: minter.address, chain: null }));
    const burn = { ...token, functionName: "burn", args: [2n] } as const;
    await mined(await node.writeContract({ ...burn, account: spare.address, chain: null }));
    expect(await node.readContract({ ...token, functionName: "balanceOf", args: [spare.address] })).toBe(5n);
  });
});

test("the local accounts are the node's, and those of the development settings", async () => {
  const { relayers, operator, spender, treasury, settlement, spare, minter } = localAccounts;
  const inOrder = [...relayers, operator, spender, treasury, settlement, spare, minter].map(({ address }) => address);
  expect(await node.getAddresses()).toEqual(inOrder);
  expect(development.RELAYER_PRIVATE_KEYS.split(",")).toEqual(relayers.slice(0, 2).map(({ privateKey }) => privateKey));
  expect(development.OPERATOR_PRIVATE_KEY).toBe(operator.privateKey as typeof development.OPERATOR_PRIVATE_KEY);
  expect(development.SPENDER_PRIVATE_KEY).toBe(spender.privateKey as typeof development.SPENDER_PRIVATE_KEY);
  expect(development.TREASURY_ADDRESS).toBe(treasury.address as typeof development.TREASURY_ADDRESS);
  expect(development.SETTLEMENT_ADDRESS).toBe(settlement.address as typeof development.SETTLEMENT_ADDRESS);
});

test("an account set up by the SDK is judged Ok by the SDK", async () => {
  const operator = privateKeyToAccount(localAccounts.operator.privateKey);
  const beneficiary = localAccounts.spare.address;
  const creation = { owner: operator.address, creationNonce: BigInt(keccak256(toHex("canonical test"))) };
  const account = predictAccountAddress(creation) as Address;
  const judge = async () =>
    (
      await accountQuery({ account, cooldown: 180 }, async ({ to, data }) => {
        const answer = await node.call({ to: to as Address, data: data as Hex });
        return answer.data ?? "0x";
      })
    ).status;
  const send = async ({ to, data }: { to: string; data: string }) => {
    if (!isHex(data)) throw new Error("The SDK gave no calldata");
    const account = localAccounts.spare.address;
    const hash = await node.sendTransaction({ account, to: to as Address, data, chain: null, gas: 3_000_000n });
    expect((await openNode(chain.rpcUrl).waitForReceipt(hash)).status).toBe("success");
  };
  expect(await judge()).not.toBe(0);
  await send(populateAccountCreation(creation));
  const setup = await populateAccountSetup(
    { account, owner: operator.address, chainId: 100, nonce: 0, beneficiaries: [beneficiary] },
    {
      spender: localAccounts.spender.address,
      receiver: localAccounts.settlement.address,
      token: tokens.EURe.address,
      allowance: { refill: 350n * 10n ** 18n, period: 86_400, timestamp: 0 },
      delay: { cooldown: 180, expiration: 1_800 },
    },
    ({ domain, types, message }) => operator.signTypedData({ domain, types, primaryType: "SafeTx", message }),
  );
  await send(setup);
  expect(await judge()).toBe(0);
});
