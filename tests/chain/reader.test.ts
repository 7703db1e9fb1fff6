import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { errorsAbi } from "@cardkeep/chain/abis";
import {
  buildDispatch,
  buildEnqueue,
  buildModuleCall,
  buildSkipExpired,
  generateSalt,
  hashModuleMessage,
  hashQueueItem,
} from "@cardkeep/chain/delay";
import { findEnqueueLog, hasExecutionSuccess } from "@cardkeep/chain/delayLogs";
import {
  BroadcastRefused,
  CallReverted,
  ChainUnavailable,
  NonceTooLow,
  ReplacementUnderpriced,
} from "@cardkeep/chain/errors";
import { buildAddOwner, buildRemoveOwner } from "@cardkeep/chain/owners";
import type { ChainReader } from "@cardkeep/chain/port";
import { createChainReader } from "@cardkeep/chain/reader";
import { createRelayerKey, raiseFees, suggestFees } from "@cardkeep/chain/relayer";
import { createLocalSigner } from "@cardkeep/chain/signer";
import { describeRevert } from "@cardkeep/chain/revert";
import { buildTransfer, tokens } from "@cardkeep/chain/tokens";
import { type Address, type Hex, nativeToken } from "@cardkeep/contract/core/primitives";
import { encodeErrorResult, getAddress, parseEther, toHex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { spamLogs } from "../support/logSpam.ts";
import { openNode } from "../support/node.ts";
import { findFreePorts } from "../support/ports.ts";
import { startRpcProxy } from "../support/rpcProxy.ts";
import { catchError, chainId, openChain, prepareAccount, signEnqueue, type TestChain } from "./support.ts";

let chain: TestChain;
let reader: ChainReader;
beforeAll(async () => {
  chain = await openChain();
  reader = chain.reader;
});
afterAll(() => chain.stop());

const newAddress = () => privateKeyToAccount(generatePrivateKey()).address;

/** A Safe in service with some native tokens. */
async function openAccount() {
  const account = prepareAccount();
  await chain.deploy(account.deployment);
  await chain.node.setBalance({ address: account.addresses.safe, value: parseEther("1") });
  return account;
}

const simulate = (call: Parameters<ChainReader["simulate"]>[0]["call"], from: Address = chain.relayer.address) =>
  reader.simulate({ from, call, blockTag: "pending" });

describe("the life of a queued call", () => {
  test("is read from the logs of its enqueue and its execution", async () => {
    const { owner, addresses } = await openAccount();
    const { safe, delay } = addresses;
    const to = newAddress();
    const call = buildTransfer({ token: nativeToken, to, amount: 7n });
    const { enqueue, messageHash } = await signEnqueue(owner, delay, call);
    const message = { delay, signer: owner.address, messageHash };
    expect(await reader.isMessageConsumed(message)).toBe(false);

    const enqueued = await chain.send(enqueue);
    const entry = findEnqueueLog(enqueued.logs, { delay, messageHash });
    const txHash = hashQueueItem(call, "CALL");
    expect(entry).toMatchObject({
      queueNonce: 0n,
      txHash,
      ...call,
      operation: "CALL",
      transactionHash: enqueued.transactionHash,
    });
    expect(await reader.isMessageConsumed(message)).toBe(true);
    const block = await reader.getBlockAt(enqueued.blockNumber);
    expect(block?.hash).toBe(enqueued.blockHash);
    expect((await reader.getDelayState(delay)).head).toEqual({ createdAt: block?.timestamp ?? 0, txHash });
    expect(hasExecutionSuccess(enqueued.logs, { safe, delay })).toBe(false);

    const dispatch = buildDispatch({ delay, call, operation: "CALL" });
    expect(await catchError(simulate(dispatch))).toMatchObject({ reason: "Transaction is still in cooldown" });
    await chain.advance(180);
    await simulate(dispatch);
    const dispatched = await chain.send(dispatch);
    expect(dispatched.status).toBe("success");
    expect(hasExecutionSuccess(dispatched.logs, { safe, delay })).toBe(true);
    expect(hasExecutionSuccess(dispatched.logs, { safe: delay, delay: safe })).toBe(false);
    expect(await reader.getNativeBalance(to)).toBe(7n);
    expect(await catchError(simulate(dispatch))).toMatchObject({ reason: "Transaction queue is empty" });
    expect(await catchError(simulate(enqueue))).toMatchObject({
      errorName: "HashAlreadyConsumed",
      reason: `HashAlreadyConsumed(${messageHash})`,
    });

    const logs = await reader.getLogs({
      addresses: [delay, safe],
      fromBlock: 0n,
      toBlock: (await reader.getBlock()).number,
    });
    expect(findEnqueueLog(logs, { delay, messageHash })).toEqual(entry);
    expect(hasExecutionSuccess(logs, { safe, delay })).toBe(true);
    expect(findEnqueueLog(logs, { delay, messageHash: toHex(1, { size: 32 }) })).toBeNull();
  });

  test("two equal calls are distinguished by their position in the queue", async () => {
    const { owner, addresses } = await openAccount();
    const { delay } = addresses;
    const call = buildTransfer({ token: nativeToken, to: newAddress(), amount: 1n });
    const first = await signEnqueue(owner, delay, call);
    const second = await signEnqueue(owner, delay, call);
    // Not in the order of signing, and both in one list of logs.
    const logs = [...(await chain.send(second.enqueue)).logs, ...(await chain.send(first.enqueue)).logs];
    const ofFirst = findEnqueueLog(logs, { delay, messageHash: first.messageHash });
    const ofSecond = findEnqueueLog(logs, { delay, messageHash: second.messageHash });
    expect([ofSecond?.queueNonce, ofFirst?.queueNonce]).toEqual([0n, 1n]);
    expect(ofFirst?.txHash).toBe(ofSecond?.txHash as Hex);
  });

  test("an expired head is refused, and any sender can skip it", async () => {
    const { owner, addresses } = await openAccount();
    const { delay } = addresses;
    const call = buildTransfer({ token: nativeToken, to: newAddress(), amount: 1n });
    await chain.send((await signEnqueue(owner, delay, call)).enqueue);
    await chain.advance(180 + 1_801);
    expect(await catchError(simulate(buildDispatch({ delay, call, operation: "CALL" })))).toMatchObject({
      reason: "Transaction expired",
    });
    expect((await chain.send(buildSkipExpired(delay))).status).toBe("success");
    expect(await reader.getDelayState(delay)).toMatchObject({ txNonce: 1n, queueNonce: 1n, head: null });
  });

  test("a contract wallet enqueues as an owner too", async () => {
    const wallet = await openContractOwner();
    const { delay } = wallet.addresses;
    const call = buildTransfer({ token: nativeToken, to: newAddress(), amount: 1n });
    const signed = { delay, chainId, data: buildModuleCall(call), salt: generateSalt(new Date()) };
    const hash = hashModuleMessage(signed);
    // This wallet accepts any signature as its own.
    const enqueue = buildEnqueue({ ...signed, signature: "0x1234567890", smartWallet: wallet.owner });
    expect(await reader.verifyHash({ address: wallet.owner, hash, signature: "0x1234567890" })).toBe(true);
    const { logs, status } = await chain.send(enqueue);
    expect(status).toBe("success");
    expect(findEnqueueLog(logs, { delay, messageHash: hash })?.queueNonce).toBe(0n);
  });

  async function openContractOwner() {
    const account = prepareAccount();
    const owner = newAddress();
    // Returns ERC-1271's magic value as one word to every call.
    await chain.node.setCode({ address: owner, bytecode: "0x631626ba7e60e01b60005260206000f3" });
    await chain.deploy({ ...account.deployment, owners: [owner] });
    await chain.node.setBalance({ address: account.addresses.safe, value: 1n });
    return { addresses: account.addresses, owner };
  }
});

test("owners are listed completely and in the chain's order, and the built calls change the list", async () => {
  const account = prepareAccount();
  const { delay } = account.addresses;
  const owners = Array.from({ length: 3 }, newAddress);
  await chain.deploy({ ...account.deployment, owners: [account.owner.address, ...owners] });
  const listed = [...owners].reverse();
  expect(await reader.listOwners(delay)).toEqual([...listed, account.owner.address]);

  const run = async (call: ReturnType<typeof buildAddOwner>) => {
    await chain.send((await signEnqueue(account.owner, delay, call)).enqueue);
    await chain.advance(180);
    expect((await chain.send(buildDispatch({ delay, call, operation: "CALL" }))).status).toBe("success");
  };
  const [gone] = owners;
  if (!gone) throw new Error("Expected an owner");
  await run(buildRemoveOwner({ delay, owners: await reader.listOwners(delay), owner: gone }));
  const added = newAddress();
  await run(buildAddOwner(delay, added));
  expect(await reader.listOwners(delay)).toEqual([
    added,
    ...listed.filter((owner) => owner !== gone),
    account.owner.address,
  ]);
});

test("more owners than fit a page are listed once each", async () => {
  const account = prepareAccount();
  const { delay, safe } = account.addresses;
  await chain.deploy(account.deployment);
  await chain.node.impersonateAccount({ address: safe });
  await chain.node.setBalance({ address: safe, value: parseEther("10") });
  const added = Array.from({ length: 100 }, newAddress);
  for (const owner of added) {
    const { to, data } = buildAddOwner(delay, owner);
    await chain.node.request<{ Method: "eth_sendTransaction"; Parameters: [object]; ReturnType: Hex }>({
      method: "eth_sendTransaction",
      params: [{ from: safe, to, data, gas: toHex(100_000) }],
    });
  }
  await chain.advance(1);
  expect(await reader.listOwners(delay)).toEqual([...added.reverse(), account.owner.address]);
});

describe("balances and decimals", () => {
  test("of tokens and of the native one, which the zero address stands for", async () => {
    const owner = newAddress();
    await chain.giveTokens(tokens.USDCe.address, owner, 1_500_000n);
    await chain.node.setBalance({ address: owner, value: 3n });
    expect(await reader.getTokenBalance(tokens.USDCe.address, owner)).toBe(1_500_000n);
    expect(await reader.getTokenBalance(nativeToken, owner)).toBe(3n);
    for (const token of Object.values(tokens))
      expect(await reader.getTokenDecimals(token.address)).toBe(token.decimals);
    expect(await reader.getTokenDecimals(nativeToken)).toBe(18);
  });

  test("of an address that is not a token are zero", async () => {
    const code: Hex[] = ["0x", "0xfe", "0x60006000fd", "0x60206000f3", "0x5b600056"];
    for (const bytecode of code) {
      const token = newAddress();
      await chain.node.setCode({ address: token, bytecode });
      expect([bytecode, await reader.getTokenBalance(token, newAddress())]).toEqual([bytecode, 0n]);
    }
    expect(await catchError(reader.getTokenDecimals(newAddress()))).toBeInstanceOf(CallReverted);
  });
});

describe("a rejection by the chain is a verdict with its reason", () => {
  test("of tokens, Safes and the native token", async () => {
    const { safe } = (await openAccount()).addresses;
    const to = newAddress();
    const tooMuch = await catchError(simulate(buildTransfer({ token: tokens.EURe.address, to, amount: 1n }), safe));
    expect(tooMuch).toBeInstanceOf(CallReverted);
    const native = buildTransfer({ token: nativeToken, to, amount: parseEther("2") });
    expect(await catchError(simulate(native, safe))).toMatchObject({
      name: "CallReverted",
      reason: "insufficient balance",
    });
    await simulate(buildTransfer({ token: nativeToken, to, amount: parseEther("1") }), safe);
  });

  test("of contracts that abort in any way", async () => {
    const reasons: [Hex, string][] = [
      ["0x60006000fd", "no reason given"],
      ["0xfe", "InvalidFEOpcode"],
      // Panic(0x11), in the compiler's form.
      ["0x634e487b7160e01b600052601160045260246000fd", "arithmetic overflow or underflow"],
      ["0x63deadbeef60e01b60005260046000fd", "unknown error 0xdeadbeef"],
    ];
    for (const [bytecode, reason] of reasons) {
      const to = newAddress();
      await chain.node.setCode({ address: to, bytecode });
      const call = { to, value: 0n, data: "0x" } as const;
      for (const ask of [() => simulate(call), () => reader.estimateGas({ from: chain.relayer.address, call })]) {
        const error = await catchError(ask());
        expect(error).toBeInstanceOf(CallReverted);
        expect((error as CallReverted).reason).toContain(reason);
      }
    }
  });

  test("in one short line, for any text of a contract", () => {
    const say = (text: string) =>
      describeRevert(encodeErrorResult({ abi: errorsAbi, errorName: "Error", args: [text] })).reason;
    expect(say("paused")).toBe("paused");
    expect(say("a\0b\r\nSet-Cookie: c\u202Ed")).toBe("a b Set-Cookie: c d");
    expect(say("x".repeat(100_000))).toHaveLength(200);
    expect(say("")).toBe("no reason given");
  });

  test("a relayer without funds can still get a verdict", async () => {
    const to = newAddress();
    expect(await reader.estimateGas({ from: newAddress(), call: { to, value: 0n, data: "0x" } })).toBe(21_000n);
  });
});

describe("a signed transaction", () => {
  test("may be broadcast repeatedly, until its nonce is used", async () => {
    const { raw, hash } = await chain.sign({ to: newAddress(), value: 1n, data: "0x" });
    await chain.node.setAutomine(false);
    await chain.node.setIntervalMining({ interval: 0 });
    await reader.broadcast(raw);
    await reader.broadcast(raw);
    expect(await reader.hasTransaction(hash)).toBe(true);
    expect(await reader.findReceipt(hash)).toBeNull();
    await chain.node.mine({ blocks: 1 });
    expect(await reader.findReceipt(hash)).toMatchObject({
      transactionHash: hash,
      status: "success",
      gasUsed: 21_000n,
    });
    expect(await catchError(reader.broadcast(raw))).toBeInstanceOf(NonceTooLow);
    await chain.node.setAutomine(true);
    await chain.node.setIntervalMining({ interval: 1 });
    expect(await reader.hasTransaction(toHex(1, { size: 32 }))).toBe(false);
  });

  test("is replaced by one with the same nonce and raised fees only", async () => {
    const key = createRelayerKey(createLocalSigner(generatePrivateKey()));
    await chain.node.setBalance({ address: key.address, value: parseEther("1") });
    const fees = suggestFees(await reader.getBlock());
    const sign = (changes: object) =>
      key.sign({ nonce: 0, to: newAddress(), value: 0n, data: "0x", gasLimit: 21_000n, chainId, ...fees, ...changes });
    await chain.node.setAutomine(false);
    await chain.node.setIntervalMining({ interval: 0 });
    await reader.broadcast((await sign({})).raw);
    expect(await catchError(reader.broadcast((await sign({})).raw))).toBeInstanceOf(ReplacementUnderpriced);
    const bumped = await sign(raiseFees(fees, await reader.getBlock()) ?? fees);
    await reader.broadcast(bumped.raw);
    await chain.node.mine({ blocks: 1 });
    expect((await reader.findReceipt(bumped.hash))?.status).toBe("success");
    expect(await reader.getTransactionCount(key.address, "latest")).toBe(1);
    await chain.node.setAutomine(true);
    await chain.node.setIntervalMining({ interval: 1 });
  });

  test("that is invalid, or that its sender cannot pay for, is refused", async () => {
    const poor = createRelayerKey(createLocalSigner(generatePrivateKey()));
    const { raw } = await chain.sign({ to: newAddress(), value: 0n, data: "0x" }, poor);
    expect(await catchError(reader.broadcast(raw))).toBeInstanceOf(BroadcastRefused);
    expect(await catchError(reader.broadcast("0x1234"))).toBeInstanceOf(BroadcastRefused);
  });

  test("has raised fees that are never below the old ones", () => {
    for (const fee of [0n, 1n, 7n, 10n ** 9n, 10n ** 9n + 1n]) {
      const raised = raiseFees({ maxFeePerGas: fee, maxPriorityFeePerGas: fee }, { baseFeePerGas: 1n });
      expect((raised?.maxFeePerGas ?? 0n) * 1000n).toBeGreaterThanOrEqual(fee * 1125n);
    }
  });

  test("is raised to the chain's present fees at once, and never far above them", () => {
    const block = { baseFeePerGas: 20n * 10n ** 9n };
    let fees = suggestFees({ baseFeePerGas: 10n ** 9n });
    expect(raiseFees(fees, block)).toEqual({ ...suggestFees(block), maxPriorityFeePerGas: 1_125_000_000n });
    for (let raised = raiseFees(fees, block); raised; raised = raiseFees(fees, block)) fees = raised;
    expect(fees.maxFeePerGas).toBeGreaterThan(8n * suggestFees(block).maxFeePerGas);
    expect(fees.maxFeePerGas).toBeLessThanOrEqual(10n * suggestFees(block).maxFeePerGas);
  });
});

test("logs are found by address and topic, and not before the start", async () => {
  const { owner, addresses } = await openAccount();
  const { delay } = addresses;
  const call = buildTransfer({ token: nativeToken, to: newAddress(), amount: 1n });
  const receipt = await chain.send((await signEnqueue(owner, delay, call)).enqueue);
  const [hashExecuted, added] = receipt.logs;
  if (!hashExecuted || !added) throw new Error("Expected two logs");
  const range = { fromBlock: 0n, toBlock: receipt.blockNumber };
  const topics = [added.topics[0] ?? null, toHex(0, { size: 32 })];
  expect(await reader.getLogs({ addresses: [delay], topics, ...range })).toEqual([added]);
  expect(await reader.getLogs({ addresses: [delay], topics: [null, toHex(1, { size: 32 })], ...range })).toEqual([]);
  expect(await reader.getLogs({ addresses: [], ...range })).toEqual([]);
  expect(added.address).toBe(getAddress(delay));
  const later = createChainReader({
    rpcUrl: chain.rpcUrl,
    chainId,
    timeoutMs: 5_000,
    startBlock: receipt.blockNumber + 1n,
  });
  expect(await later.getLogs({ addresses: [delay], ...range })).toEqual([]);
});

test("logs that are too much for one answer are read in parts, without gaps, also where a block alone is too much", async () => {
  const topic = toHex(4711, { size: 32 });
  const spammer = await spamLogs(openNode(chain.rpcUrl), topic, { times: 3, gas: 120_000n });
  const range = { topics: [topic], fromBlock: 0n, toBlock: (await reader.getBlock()).number };
  const whole = await reader.getLogs({ addresses: [spammer], ...range });
  const ofBlock = whole.length / 3;
  expect(ofBlock).toBeGreaterThan(50);
  const proxy = startRpcProxy(chain.rpcUrl);
  const limited = createChainReader({ rpcUrl: proxy.url, chainId, timeoutMs: 5_000 });
  const readAll = (addresses: Address[]) =>
    Array.fromAsync(limited.readAllLogs({ ...range, listAddresses: async () => addresses }));
  for (const logsMax of [ofBlock, ofBlock * 2, ofBlock * 3]) {
    proxy.mood = { logsMax };
    expect(await limited.getLogs({ addresses: [spammer], ...range })).toEqual(whole);
    expect((await readAll([])).flat()).toEqual(whole);
  }
  // In such a block only the given addresses are read.
  proxy.mood = { logsMax: ofBlock - 1 };
  expect(await catchError(limited.getLogs({ addresses: [spammer], ...range }))).toBeInstanceOf(ChainUnavailable);
  expect((await readAll([newAddress()])).flat()).toEqual([]);
  proxy.stop();
  const small = createChainReader({ rpcUrl: chain.rpcUrl, chainId, timeoutMs: 5_000, bodyBytesMax: ofBlock * 1_000 });
  expect(await small.getLogs({ addresses: [spammer], ...range })).toEqual(whole);
});

test("a node that is late with everything is asked twice for logs, and no more", async () => {
  const proxy = startRpcProxy(chain.rpcUrl);
  proxy.mood = "hang";
  const late = createChainReader({ rpcUrl: proxy.url, chainId, timeoutMs: 200 });
  const asked = late.getLogs({ addresses: [nativeToken], fromBlock: 0n, toBlock: 1_000n });
  expect(await catchError(asked)).toBeInstanceOf(ChainUnavailable);
  expect([proxy.countOf("eth_getLogs"), proxy.countOf("eth_blockNumber")]).toEqual([1, 1]);
  proxy.stop();
});

/** The question about logs that a node is asked, and how it answers one; it has every block. */
async function readAsked(request: Request) {
  const [block, logs] = (await request.json()) as [
    { id: number },
    { id: number; params: [{ fromBlock: Hex; toBlock: Hex }] },
  ];
  const known = { jsonrpc: "2.0", id: block.id, result: {} };
  const answer = (own: object) => Response.json([{ jsonrpc: "2.0", id: logs.id, ...own }, known]);
  return { params: logs.params, answer };
}

test("a node that lacks the last of some blocks gives no answer about their logs, rather than those that it has", async () => {
  const proxy = startRpcProxy(chain.rpcUrl);
  const { number } = await reader.getBlock();
  await openNode(chain.rpcUrl).client.mine({ blocks: 1 });
  proxy.mood = { staleAt: number };
  const behind = createChainReader({ rpcUrl: proxy.url, chainId, timeoutMs: 5_000 });
  const ask = (toBlock: bigint) => behind.getLogs({ addresses: [nativeToken], fromBlock: 0n, toBlock });
  expect(await catchError(ask(number + 1n))).toBeInstanceOf(ChainUnavailable);
  const ofAll = { topics: [], fromBlock: 0n, toBlock: number + 1n, listAddresses: async () => [] };
  expect(await catchError(Array.fromAsync(behind.readAllLogs(ofAll)))).toBeInstanceOf(ChainUnavailable);
  expect(await ask(number)).toEqual([]);
  proxy.stop();
});

test("a node of another branch gives no answer about logs up to a block of this one", async () => {
  const { number: toBlock, hash } = await reader.getBlock();
  const ask = (toHash: Hex) => reader.getLogs({ addresses: [nativeToken], fromBlock: 0n, toBlock, toHash });
  expect(await ask(hash)).toEqual([]);
  expect(await catchError(ask(`0x${"ab".repeat(32)}`))).toBeInstanceOf(ChainUnavailable);
});

test("a node that lacks a block, or has another one of its number, counts no transactions of a sender on its chain", async () => {
  const { relayer } = chain;
  const { number: blockNumber, hash: blockHash } = await reader.getBlock();
  const count = await reader.getTransactionCount(relayer.address, "latest");
  expect(await reader.getTransactionCountOn({ blockNumber, blockHash }, relayer.address)).toBe(count);
  const strange = [
    { blockNumber, blockHash: toHex(1, { size: 32 }) },
    { blockNumber: blockNumber + 1_000n, blockHash },
  ];
  for (const block of strange)
    expect(await catchError(reader.getTransactionCountOn(block, relayer.address))).toBeInstanceOf(ChainUnavailable);
});

/** A node that answers each batch with `refuse`, and each single call with what `answer` gives. */
const startBatchless = (refuse: () => Response, answer: (method: string) => unknown) =>
  Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const asked = (await request.json()) as { id: number; method: string } | unknown[];
      if (Array.isArray(asked)) return refuse();
      return Response.json({ jsonrpc: "2.0", id: asked.id, result: answer(asked.method) });
    },
  });

test.each([
  ["by the status of HTTP", () => new Response("One call at a time", { status: 400 })],
  ["as invalid", () => Response.json({ jsonrpc: "2.0", id: null, error: { code: -32600, message: "no batches" } })],
  ["as unreadable", () => Response.json({ jsonrpc: "2.0", id: null, error: { code: -32700, message: "Parse error" } })],
])("a node that refuses batches %s is asked for the block and then for the logs", async (_, refuse) => {
  let has = true;
  const methods: string[] = [];
  const node = startBatchless(refuse, (method) => {
    methods.push(method);
    return method === "eth_getLogs" ? [] : has ? {} : null;
  });
  const plain = createChainReader({ rpcUrl: node.url.href, chainId, timeoutMs: 5_000 });
  const ask = () => plain.getLogs({ addresses: [nativeToken], fromBlock: 0n, toBlock: 9n });
  expect(await ask()).toEqual([]);
  expect(methods).toEqual(["eth_getBlockByNumber", "eth_getLogs"]);
  has = false;
  expect(await catchError(ask())).toBeInstanceOf(ChainUnavailable);
  await node.stop(true);
});

test.each([
  ["429", () => new Response("Slow down", { status: 429 })],
  ["429 and an error", () => Response.json({ error: { code: -32005, message: "slow down" } }, { status: 429 })],
  ["502", () => new Response(null, { status: 502 })],
  ["503", () => new Response("No node", { status: 503 })],
  ["401", () => new Response("No key", { status: 401 })],
  ["an error of its own", () => Response.json({ id: null, error: { code: -32000, message: "no peers" } })],
  ["a result", () => Response.json({ id: 1, result: [] })],
])(
  "a node that answers a batch with %s is not asked for the logs alone: they may be another node's",
  async (_, refuse) => {
    let single = 0;
    const node = startBatchless(refuse, (method) => {
      single++;
      return method === "eth_getLogs" ? [] : {};
    });
    const plain = createChainReader({ rpcUrl: node.url.href, chainId, timeoutMs: 5_000 });
    const asking = catchError(plain.getLogs({ addresses: [nativeToken], fromBlock: 0n, toBlock: 9n }));
    expect(await asking).toBeInstanceOf(ChainUnavailable);
    expect(single).toBe(0);
    await node.stop(true);
  },
);

test("a transaction that creates a contract has no receiver, and is not unknown", async () => {
  const node = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const { id, params } = (await request.json()) as { id: number; params: readonly Hex[] };
      const fields = { from: nativeToken, to: null, nonce: "0x1", value: "0x0", input: "0x00", gas: "0x5208" };
      const creation = { ...fields, type: "0x0", gasPrice: "0x1" };
      return Response.json({ jsonrpc: "2.0", id, result: params[0] === `0x${"1".repeat(64)}` ? creation : null });
    },
  });
  const plain = createChainReader({ rpcUrl: node.url.href, chainId, timeoutMs: 5_000 });
  expect(await plain.findTransaction(`0x${"1".repeat(64)}`)).toMatchObject({ to: null, nonce: 1n, data: "0x00" });
  expect(await plain.findTransaction(`0x${"2".repeat(64)}`)).toBeNull();
  await node.stop(true);
});

test("a range longer than nodes permit is split without gaps", async () => {
  const asked: [number, number][] = [];
  const node = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const { params, answer } = await readAsked(request);
      asked.push([Number(params[0].fromBlock), Number(params[0].toBlock)]);
      return answer({ result: [] });
    },
  });
  const recorded = createChainReader({ rpcUrl: node.url.href, chainId, timeoutMs: 5_000, startBlock: 5n });
  const ask = async (fromBlock: bigint, toBlock: bigint) => {
    asked.length = 0;
    await recorded.getLogs({ addresses: [nativeToken], fromBlock, toBlock });
    return [...asked];
  };
  expect(await ask(0n, 25_004n)).toEqual([
    [5, 10_004],
    [10_005, 20_004],
    [20_005, 25_004],
  ]);
  expect(await ask(10n, 10_009n)).toEqual([[10, 10_009]]);
  expect(await ask(10n, 10_010n)).toEqual([
    [10, 10_009],
    [10_010, 10_010],
  ]);
  expect(await ask(7n, 7n)).toEqual([[7, 7]]);
  expect(await ask(0n, 4n)).toEqual([]);
  await node.stop(true);
});

test.each([
  "Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range.",
  "ranges over 10 blocks are not supported on freetier",
  "block range greater than 10 max",
  "Max range: 10",
  "requested too many blocks from 5 to 44, maximum is set to 10",
  "eth_getLogs is limited to a 10 range",
  "query exceeds max block range 10",
  "exceed maximum block range: 10",
  "maximum allowed is 10 blocks",
])("a node that refuses a range is asked for shorter ones, where its words are: %s", async (message) => {
  const read = new Set<number>();
  const node = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const { params, answer } = await readAsked(request);
      const [from, to] = [Number(params[0].fromBlock), Number(params[0].toBlock)];
      if (to - from >= 10) return answer({ error: { code: -32600, message } });
      for (let block = from; block <= to; block++) read.add(block);
      return answer({ result: [] });
    },
  });
  const strict = createChainReader({ rpcUrl: node.url.href, chainId, timeoutMs: 5_000 });
  await strict.getLogs({ addresses: [nativeToken], fromBlock: 5n, toBlock: 44n });
  expect(read.size).toBe(40);
  await node.stop(true);
});

describe("a node that fails is unavailable, for every read and every kind of failure", () => {
  const a = "0x00000000000000000000000000000000000000aa";
  const hash = toHex(1, { size: 32 });
  const call = { to: a, value: 1n, data: "0x" } as const;
  const addresses = { safe: a, delay: a, roles: a, bouncer: a } as const;
  const questions: Record<keyof ChainReader, (asked: ChainReader) => Promise<unknown>> = {
    getChainId: (asked) => asked.getChainId(),
    getBlock: (asked) => asked.getBlock(),
    getBlockAt: (asked) => asked.getBlockAt(1n),
    hasCode: (asked) => asked.hasCode([a, a]),
    listCode: (asked) => asked.listCode([a, a]),
    getNativeBalance: (asked) => asked.getNativeBalance(a),
    getTokenBalance: (asked) => asked.getTokenBalance(a, a),
    getTokenDecimals: (asked) => asked.getTokenDecimals(a),
    getSpendingState: (asked) =>
      asked.getSpendingState({ token: a, addresses, cooldownSeconds: 1, spender: a, messageHashes: [hash] }),
    getApproval: (asked) => asked.getApproval({ token: a, owner: a, spender: a }),
    findRefill: (asked) => asked.findRefill(a, 1n),
    findTransaction: (asked) => asked.findTransaction(hash),
    listOwners: (asked) => asked.listOwners(a),
    getDelayState: (asked) => asked.getDelayState(a),
    listDelayPeriods: (asked) => asked.listDelayPeriods([a]),
    isMessageConsumed: (asked) => asked.isMessageConsumed({ delay: a, signer: a, messageHash: hash }),
    getSigner: (asked) => asked.getSigner({ delay: a, signer: a, messageHash: hash }),
    getAccountIntegrity: (asked) => asked.getAccountIntegrity({ addresses, cooldownSeconds: 1 }),
    getAccountSnapshot: (asked) =>
      asked.getAccountSnapshot({ addresses, token: a, cooldownSeconds: 1, spender: a, messageHashes: [hash] }),
    simulate: (asked) => asked.simulate({ from: a, call }),
    estimateGas: (asked) => asked.estimateGas({ from: a, call }),
    getTransactionCount: (asked) => asked.getTransactionCount(a, "latest"),
    getTransactionCountOn: (asked) => asked.getTransactionCountOn({ blockNumber: 1n, blockHash: hash }, a),
    findTransactionAt: (asked) => asked.findTransactionAt({ sender: a, nonce: 0n, after: 0n, upTo: 1n }),
    findReceipt: (asked) => asked.findReceipt(hash),
    hasTransaction: (asked) => asked.hasTransaction(hash),
    getLogs: (asked) => asked.getLogs({ addresses: [a], fromBlock: 0n, toBlock: 1n }),
    readAllLogs: (asked) =>
      Array.fromAsync(asked.readAllLogs({ topics: [], fromBlock: 0n, toBlock: 1n, listAddresses: async () => [a] })),
    broadcast: (asked) => asked.broadcast("0x00"),
    verifyMessage: (asked) => asked.verifyMessage({ address: a, message: "m", signature: "0x1234" }),
    verifyHash: (asked) => asked.verifyHash({ address: a, hash, signature: "0x1234" }),
    answersSignatures: (asked) =>
      asked.answersSignatures({ address: a, from: a, fees: { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n } }),
  };
  const fault =
    (code: number, message: string, status = 200) =>
    async (request: Request) => {
      const { id } = (await request.json()) as { id: number };
      return Response.json({ jsonrpc: "2.0", id, error: { code, message } }, { status });
    };
  const failures: Record<string, (request: Request) => Response | Promise<Response>> = {
    "429 in words": () => new Response("slow down", { status: 429 }),
    "429 in JSON-RPC": fault(-32005, "rate limit exceeded", 429),
    "a limit": fault(-32005, "limit exceeded"),
    "an unknown method": fault(-32601, "the method does not exist"),
    "an internal error": fault(-32603, "internal error"),
    "500": () => new Response("oops", { status: 500 }),
    "a web page": () => new Response("<html>maintenance</html>", { headers: { "content-type": "text/html" } }),
    "half an answer": () =>
      new Response('{"jsonrpc":"2.0","id":1,"result":"0x', { headers: { "content-type": "application/json" } }),
    "no answer in time": () => new Promise<Response>(() => {}),
    "an answer that trickles for ever": () =>
      new Response(
        new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode('{"jsonrpc"')) }),
      ),
  };

  const askAll = async (rpcUrl: string) => {
    const asked = createChainReader({ rpcUrl, chainId, timeoutMs: 200 });
    const answers = Object.entries(questions).map(async ([name, ask]) => {
      const error = await catchError(ask(asked));
      return [name, error instanceof ChainUnavailable ? "unavailable" : String(error)];
    });
    expect(Object.fromEntries(await Promise.all(answers))).toEqual(
      Object.fromEntries(Object.keys(questions).map((name) => [name, "unavailable"])),
    );
  };

  for (const [what, answer] of Object.entries(failures)) {
    test(`by ${what}`, async () => {
      const node = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: answer });
      await askAll(node.url.href);
      await node.stop(true);
    });
  }

  test("by refusing the connection", async () => {
    const [port] = await findFreePorts(1);
    await askAll(`http://127.0.0.1:${port}`);
  });

  test("without the node's address in the error, which may contain a key", async () => {
    const [port] = await findFreePorts(1);
    const asked = createChainReader({
      rpcUrl: `http://user:secret@127.0.0.1:${port}/v1/secret`,
      chainId,
      timeoutMs: 200,
    });
    const error = await catchError(asked.getBlock());
    expect(Bun.inspect(error)).not.toContain("secret");
  });
});

test.each([
  "Cannot estimate gas, gas spent exceeded transaction and block gas limit or transaction gas limit cap",
  "Gas estimation failed due to out of gas",
  "Transaction execution fails",
  "gas required exceeds allowance (2000000)",
])("a call that needs more gas than it may have is refused, and not tried again: %s", async (message) => {
  const node = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const { id } = (await request.json()) as { id: number };
      return Response.json({ jsonrpc: "2.0", id, error: { code: -32000, message } });
    },
  });
  const asked = createChainReader({ rpcUrl: node.url.href, chainId, timeoutMs: 2_000 });
  const call = { to: tokens.EURe.address, value: 0n, data: "0x" } as const;
  const error = await catchError(asked.estimateGas({ from: tokens.EURe.address, call, gasMax: 2_000_000n }));
  expect(error).toBeInstanceOf(CallReverted);
  await node.stop(true);
});

const tooCheap = ["replacement transaction underpriced", "transaction underpriced", "FeeTooLowToCompete"];
const refusedOtherwise = ["insufficient funds for gas * price + value", "InsufficientFunds"];
test.each([
  ...tooCheap.map((message) => [message, ReplacementUnderpriced] as const),
  ...refusedOtherwise.map((message) => [message, BroadcastRefused] as const),
])("a node that refuses a transaction with %s says by it whether higher fees help", async (message, kind) => {
  const answer = async (request: Request) => {
    const { id } = (await request.json()) as { id: number };
    return Response.json({ jsonrpc: "2.0", id, error: { code: -32000, message } });
  };
  const node = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: answer });
  const asked = createChainReader({ rpcUrl: node.url.href, chainId, timeoutMs: 5_000 });
  expect(await catchError(asked.broadcast("0x00"))).toBeInstanceOf(kind);
  await node.stop(true);
});
