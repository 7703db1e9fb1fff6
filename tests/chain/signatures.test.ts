import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ChainUnavailable } from "@cardkeep/chain/errors";
import { createChainReader } from "@cardkeep/chain/reader";
import { suggestFees } from "@cardkeep/chain/relayer";
import { deployments } from "@cardkeep/chain/deployments";
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import {
  encodeAbiParameters,
  encodeFunctionData,
  getAddress,
  hashMessage,
  parseAbi,
  type PrivateKeyAccount,
  serializeErc6492Signature,
  toHex,
  zeroAddress,
} from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { deployTestContract } from "../support/contracts.ts";
import { expectWithin } from "../support/poll.ts";
import { findFreePorts } from "../support/ports.ts";
import { catchError, chainId, openChain, type TestChain } from "./support.ts";

const safeAbi = parseAbi([
  "function setup(address[] owners, uint256 threshold, address to, bytes data, address fallbackHandler, address paymentToken, uint256 payment, address paymentReceiver)",
  "function createProxyWithNonce(address singleton, bytes initializer, uint256 saltNonce) returns (address proxy)",
]);
const message = "localhost wants you to sign in";

let chain: TestChain;
beforeAll(async () => {
  chain = await openChain();
});
afterAll(() => chain.stop());

/** A Safe as people use it, with one key as owner: a contract wallet that need not be deployed yet. */
async function prepareWallet(owner: PrivateKeyAccount) {
  const setup = encodeFunctionData({
    abi: safeAbi,
    functionName: "setup",
    args: [[owner.address], 1n, zeroAddress, "0x", deployments.fallbackHandler, zeroAddress, 0n, zeroAddress],
  });
  const args = [deployments.safeMastercopy, setup, BigInt(generatePrivateKey())] as const;
  const data = encodeFunctionData({ abi: safeAbi, functionName: "createProxyWithNonce", args });
  const creation = { to: deployments.safeProxyFactory, value: 0n, data };
  const answer = await chain.reader.simulate({ from: owner.address, call: creation });
  const address = getAddress(`0x${answer.slice(-40)}`);
  const sign = (hash: Hex): Promise<Hex> =>
    owner.signTypedData({
      domain: { chainId, verifyingContract: address },
      primaryType: "SafeMessage",
      types: { SafeMessage: [{ type: "bytes", name: "message" }] },
      message: { message: encodeAbiParameters([{ type: "bytes32" }], [hash]) },
    });
  return { address, creation, sign };
}

const newKey = () => privateKeyToAccount(generatePrivateKey());

describe("a signed message is verified", () => {
  test("for a key, without a read of the node", async () => {
    const [port] = await findFreePorts(1);
    const offline = createChainReader({ rpcUrl: `http://127.0.0.1:${port}`, chainId, timeoutMs: 1_000 });
    const key = newKey();
    const signature = await key.signMessage({ message });
    expect(await offline.verifyMessage({ address: key.address, message, signature })).toBe(true);
    const other = { address: newKey().address, message, signature };
    expect(await catchError(offline.verifyMessage(other))).toBeInstanceOf(ChainUnavailable);
  });

  test("and for no other address", async () => {
    const key = newKey();
    const signature = await key.signMessage({ message });
    const wrong: [Address, string, Hex][] = [
      [newKey().address, message, signature],
      [key.address, `${message}!`, signature],
      [key.address, message, `0x${"00".repeat(65)}`],
      [key.address, message, `0x${"ff".repeat(65)}`],
      [key.address, message, "0x"],
      [key.address, message, "0x01"],
      [key.address, message, `${signature}00`],
      [key.address, message, `0x${"64".repeat(500)}`],
      // An invalid signature recovers to the zero address in a contract.
      [zeroAddress, message, `0x${"00".repeat(64)}1b`],
      [
        zeroAddress,
        message,
        serializeErc6492Signature({ address: key.address, data: "0x", signature: `0x${"00".repeat(64)}1b` }),
      ],
      [key.address, message, serializeErc6492Signature({ address: newKey().address, data: "0x", signature: "0x" })],
      // Precompiles: the fourth returns its input, which begins with the very bytes of a yes.
      ...Array.from({ length: 10 }, (_, index): [Address, string, Hex] => [
        `0x${(index + 1).toString(16).padStart(40, "0")}`,
        message,
        index % 2 ? "0x" : signature,
      ]),
    ];
    for (const [address, text, bytes] of wrong) {
      expect([address, await chain.reader.verifyMessage({ address, message: text, signature: bytes })]).toEqual([
        address,
        false,
      ]);
    }
  });

  test("for a deployed contract wallet (ERC-1271), message and hash alike", async () => {
    const owner = newKey();
    const wallet = await prepareWallet(owner);
    expect((await chain.send(wallet.creation)).status).toBe("success");
    const { address } = wallet;
    const hash = hashMessage(message);
    const signature = await wallet.sign(hash);
    expect(await chain.reader.verifyMessage({ address, message, signature })).toBe(true);
    expect(await chain.reader.verifyHash({ address, hash, signature })).toBe(true);
    expect(await chain.reader.verifyMessage({ address, message: "another", signature })).toBe(false);
    expect(await chain.reader.verifyHash({ address, hash: hashMessage("another"), signature })).toBe(false);
    const foreign = await newKey().signMessage({ message });
    expect(await chain.reader.verifyMessage({ address, message, signature: foreign })).toBe(false);
  });

  test("for a wallet that is not deployed yet (ERC-6492), without deploying anything", async () => {
    const owner = newKey();
    const wallet = await prepareWallet(owner);
    const { address, creation } = wallet;
    const hash = hashMessage(message);
    const inner = await wallet.sign(hash);
    const signature = serializeErc6492Signature({ address: creation.to, data: creation.data, signature: inner });
    expect(await chain.reader.verifyMessage({ address, message, signature })).toBe(true);
    expect(await chain.reader.verifyMessage({ address: newKey().address, message, signature })).toBe(false);
    expect(await chain.reader.verifyMessage({ address, message, signature: inner })).toBe(false);
    expect(await chain.reader.verifyHash({ address, hash, signature })).toBe(false);
    expect(await chain.reader.hasCode([address])).toEqual([false]);
    await chain.send(creation);
    expect(await chain.reader.verifyMessage({ address, message, signature })).toBe(true);
  });
});

describe("a hostile wallet is refused within 5 seconds", () => {
  const hostile: Record<string, Hex> = {
    "that never ends": "0x5b600056",
    "that answers a megabyte of zeros": "0x621000006000f3",
    "that answers a megabyte that begins with a yes": "0x631626ba7e60e01b600052621000006000f3",
    "that burns all gas at once": "0xfe",
    "that reverts with a megabyte": "0x621000006000fd",
    "that reverts with a yes": "0x631626ba7e60e01b60005260206000fd",
    "that answers four bytes": "0x631626ba7e60e01b60005260046000f3",
  };
  for (const [what, bytecode] of Object.entries(hostile)) {
    test(what, async () => {
      const { address } = newKey();
      await chain.node.setCode({ address, bytecode });
      const signature = `0x${"11".repeat(65)}` as const;
      await expectWithin(5_000, async () => {
        const startedAt = performance.now();
        expect(await chain.reader.verifyHash({ address, hash: hashMessage(message), signature })).toBe(false);
        expect(await chain.reader.verifyMessage({ address, message, signature })).toBe(false);
        return performance.now() - startedAt;
      });
    });
  }

  test("that keeps a healthy node busy", async () => {
    const node = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: async (request) => {
        const { id, method } = (await request.json()) as { id: number; method: string };
        if (method === "eth_call") await new Promise(() => {});
        return Response.json({ jsonrpc: "2.0", id, result: toHex(chainId) });
      },
    });
    const reader = createChainReader({ rpcUrl: node.url.href, chainId, timeoutMs: 30_000 });
    const signature = `0x${"11".repeat(65)}` as const;
    await expectWithin(5_000, async () => {
      const startedAt = performance.now();
      expect(await reader.verifyMessage({ address: newKey().address, message, signature })).toBe(false);
      return performance.now() - startedAt;
    });
    await node.stop(true);
  });
});

describe("a trial of an account's signature", () => {
  const ask = async (address: Address, from: Address | null = chain.relayer.address) =>
    chain.reader.answersSignatures({ address, from, fees: suggestFees(await chain.reader.getBlock()) });

  test("is passed by keys, and by contracts that accept or reject it", async () => {
    const wallet = await prepareWallet(newKey());
    await chain.send(wallet.creation);
    const yes = await deployTestContract(chain.rpcUrl, "YesHandler");
    const token = await deployTestContract(chain.rpcUrl, "SilentToken");
    for (const address of [newKey().address, wallet.address, yes, token]) {
      expect([address, await ask(address), await ask(address, newKey().address)]).toEqual([address, true, true]);
    }
  });

  test("is not passed by contracts that burn the gas, always or only where it has a price, or that flood", async () => {
    for (const name of ["LoopingWallet", "PricedWallet", "FloodingWallet"]) {
      expect([name, await ask(await deployTestContract(chain.rpcUrl, name))]).toEqual([name, false]);
    }
    await expectWithin(5_000, async () => {
      const startedAt = performance.now();
      const { address } = newKey();
      await chain.node.setCode({ address, bytecode: "0xfe" });
      expect(await ask(address)).toBe(false);
      return performance.now() - startedAt;
    });
  });
});

test("a node that does not answer is the node's fault, not the wallet's", async () => {
  const node = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Promise<Response>(() => {}) });
  const reader = createChainReader({ rpcUrl: node.url.href, chainId, timeoutMs: 100 });
  const { address } = newKey();
  const signature = `0x${"11".repeat(65)}` as const;
  expect(await catchError(reader.verifyMessage({ address, message, signature }))).toBeInstanceOf(ChainUnavailable);
  expect(await catchError(reader.verifyHash({ address, hash: hashMessage(message), signature }))).toBeInstanceOf(
    ChainUnavailable,
  );
  await node.stop(true);
});
