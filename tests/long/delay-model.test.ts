import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { deployments } from "@cardkeep/chain/deployments";
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import { localAccounts } from "@cardkeep/local/accounts";
import fc from "fast-check";
import {
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  encodePacked,
  getAddress,
  hashTypedData,
  keccak256,
  numberToHex,
  pad,
  size,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { startTestChain } from "../support/chain.ts";
import { DelayModel, hashPayload, type Item, type Outcome, type Payload } from "./delay-model.ts";
import { type DelayWorld, delayAbi, openDelayWorld, type Transaction } from "./delay-world.ts";
import { filled } from "../support/filled.ts";

const settings = { cooldown: 100, expiration: 600, balance: 5n };
const chainId = 100;
const sentinel: Address = "0x0000000000000000000000000000000000000001";
const receiver = getAddress("0x00000000000000000000000000000000000dead1");
const keys = localAccounts.relayers.map(({ privateKey }) => privateKeyToAccount(privateKey));
const walletKey = privateKeyToAccount(localAccounts.operator.privateKey);

let chain: Awaited<ReturnType<typeof startTestChain>>;
let world: DelayWorld;
let startedAt: number;
let snapshot: Hex;

beforeAll(async () => {
  chain = await startTestChain();
  world = await openDelayWorld(chain.rpcUrl, settings);
  startedAt = await world.getTimestamp();
  snapshot = await world.ask<Hex>("evm_snapshot");
});
afterAll(() => chain.stop());

/** Restores the Delay's original setup. */
async function restore(): Promise<void> {
  await world.ask("evm_revert", snapshot);
  snapshot = await world.ask<Hex>("evm_snapshot");
}

// Few payloads and salts, so that equal items and replays are common. The avatar may lack 4, and always lacks 9000.
const anyPayload: Payload = { to: receiver, value: 0n, data: "0x", operation: 0 };
const payloads: readonly Payload[] = [
  anyPayload,
  { to: receiver, value: 1n, data: "0x", operation: 0 },
  { to: receiver, value: 4n, data: "0x1234", operation: 0 },
  { to: receiver, value: 9_000n, data: "0x", operation: 0 },
  { to: receiver, value: 9_000n, data: `0x${"ab".repeat(77)}`, operation: 1 },
];
const methods = ["execTransactionFromModule", "execTransactionFromModuleReturnData"] as const;
const flaws = ["none", "none", "none", "v as 0 or 1", "other data"] as const;

const nat = (max: number) => fc.nat({ max });
const payload = fc.constantFrom(...payloads);
const method = fc.constantFrom(...methods);
/** Few signable values, so that one is often signed again. */
const signable = fc.constantFrom(...payloads.slice(0, 2));
const salt = nat(1);
const sender = nat(3);
const flaw = fc.constantFrom(...flaws);
const expirations = fc.constantFrom(0, 1, 59, 60, 300, 900);
const previous = fc.constantFrom("right" as const, "right" as const, "sentinel" as const, "itself" as const);
const mostly = fc.constantFrom(true, true, false);
/** A possible module: one of three keys, or (3) the contract wallet. Sender 0 never is one. */
const candidate = nat(3);
const elapsedSeconds = fc.oneof(nat(30), nat(30), nat(150), nat(1_500));
const step = <K extends string, T extends object>(kind: K, fields: { [N in keyof T]: fc.Arbitrary<T[N]> }) =>
  fc.tuple(elapsedSeconds, fc.record<T>(fields)).map(([elapsed, rest]) => ({ kind, elapsed, ...rest }));
/** Seconds around the moment when the head becomes ready or expires; null for any time. */
const moment = fc.option(fc.record({ expires: fc.boolean(), after: fc.integer({ min: -1, max: 1 }) }));
const steps = fc.oneof(
  { weight: 5, arbitrary: step("enqueue", { sender, payload, method }) },
  { weight: 6, arbitrary: step("enqueueSigned", { sender, signer: nat(1), payload: signable, method, salt, flaw }) },
  { weight: 3, arbitrary: step("enqueueByWallet", { payload: signable, method, salt, isValid: mostly }) },
  { weight: 9, arbitrary: step("executeHead", { moment }) },
  { weight: 2, arbitrary: step("executeOther", { payload }) },
  { weight: 4, arbitrary: step("skip", { moment }) },
  { weight: 1, arbitrary: step("setNonce", { ahead: nat(3), byOwner: nat(3) }) },
  { weight: 1, arbitrary: step("setCooldown", { seconds: nat(200), byOwner: nat(3) }) },
  { weight: 1, arbitrary: step("setExpiration", { seconds: expirations, byOwner: nat(3) }) },
  { weight: 4, arbitrary: step("enable", { candidate, byOwner: nat(5) }) },
  { weight: 1, arbitrary: step("disable", { candidate, previous, byOwner: nat(3) }) },
  { weight: 1, arbitrary: step("invalidate", { sender: fc.integer({ min: 1, max: 3 }), payload, method, salt }) },
  { weight: 1, arbitrary: step("fund", {}) },
);
type Step = typeof steps extends fc.Arbitrary<infer T> ? T : never;

const key = (index: number) => {
  const found = keys[index];
  if (!found) throw new Error(`No account ${index}`);
  return found;
};
const saltWord = (index: number): Hex => numberToHex(index + 1, { size: 32 });
function encodePayload(functionName: (typeof methods)[number] | "executeNextTx", payload: Payload): Hex {
  const { to, value, data, operation } = payload;
  return encodeFunctionData({ abi: delayAbi, functionName, args: [to, value, data, operation] });
}
const typedData = (data: Hex, saltValue: Hex) =>
  ({
    domain: { chainId, verifyingContract: world.delay },
    primaryType: "ModuleTx",
    types: {
      ModuleTx: [
        { type: "bytes", name: "data" },
        { type: "bytes32", name: "salt" },
      ],
    },
    message: { data, salt: saltValue },
  }) as const;
/** Possible modules: accounts 1 to 3 of the relayers, or the wallet. */
const candidateAddress = (index: number): Address => (index === 3 ? world.wallet : key(index + 1).address);

/** The second that a step chooses; null without one or without a head. */
function findMoment(model: DelayModel, item: Step): number | null {
  const head = model.items[model.txNonce];
  if (!head || !("moment" in item) || !item.moment) return null;
  const { expires, after } = item.moment;
  return head.createdAt + model.cooldown + (expires ? model.expiration : 0) + after;
}

/** The transaction of a step, and the model's result. The order matters: the call changes the model. */
async function prepare(model: DelayModel, now: number, item: Step): Promise<[Transaction, () => Outcome]> {
  const stranger = key(0).address;
  const ownerOr = (index: number): Address => (index === 0 ? stranger : world.owner);
  const call = (from: Address, data: Hex): Transaction => ({ from, to: world.delay, data });
  switch (item.kind) {
    case "enqueue": {
      const sender = key(item.sender).address;
      // Bytes that are not a signature recover to no module.
      const data = encodePayload(item.method, item.payload);
      return [call(sender, data), () => model.enqueue({ now, sender, payload: item.payload })];
    }
    case "enqueueSigned": {
      const sender = key(item.sender).address;
      const signer = key(item.signer + 1);
      const data = encodePayload(item.method, item.payload);
      const word = saltWord(item.salt);
      const hash = hashTypedData(typedData(data, word));
      const over = item.flaw === "other data" ? typedData(`${data}00`, word) : typedData(data, word);
      const signature = await signer.signTypedData(over);
      const v = Number(`0x${signature.slice(-2)}`) - (item.flaw === "v as 0 or 1" ? 27 : 0);
      const sent = concat([data, word, `0x${signature.slice(2, -2)}`, numberToHex(v, { size: 1 })]);
      const signed = { signer: item.flaw === "none" ? signer.address : null, hash };
      return [call(sender, sent), () => model.enqueue({ now, sender, payload: item.payload, signed })];
    }
    case "enqueueByWallet": {
      const data = encodePayload(item.method, item.payload);
      const word = saltWord(item.salt);
      const hash = hashTypedData(typedData(data, word));
      const signature = await (item.isValid ? walletKey : key(1)).signTypedData({
        domain: { chainId, verifyingContract: world.wallet },
        primaryType: "SafeMessage",
        types: { SafeMessage: [{ type: "bytes", name: "message" }] },
        message: { message: hash },
      });
      const sent = concat([data, signature, word, pad(world.wallet), numberToHex(size(data), { size: 32 }), "0x00"]);
      const signed = { signer: item.isValid ? world.wallet : null, hash };
      return [call(stranger, sent), () => model.enqueue({ now, sender: stranger, payload: item.payload, signed })];
    }
    case "executeHead":
    case "executeOther": {
      const chosen = item.kind === "executeHead" ? (model.items[model.txNonce] ?? anyPayload) : item.payload;
      return [call(stranger, encodePayload("executeNextTx", chosen)), () => model.execute(now, chosen)];
    }
    case "skip": {
      const data = encodeFunctionData({ abi: delayAbi, functionName: "skipExpired" });
      return [call(stranger, data), () => model.skipExpired(now)];
    }
    case "setNonce": {
      const nonce = model.txNonce + item.ahead;
      const from = ownerOr(item.byOwner);
      const data = encodeFunctionData({ abi: delayAbi, functionName: "setTxNonce", args: [BigInt(nonce)] });
      return [call(from, data), () => model.setTxNonce(from, nonce)];
    }
    case "setCooldown": {
      const from = ownerOr(item.byOwner);
      const data = encodeFunctionData({ abi: delayAbi, functionName: "setTxCooldown", args: [BigInt(item.seconds)] });
      return [call(from, data), () => model.setCooldown(from, item.seconds)];
    }
    case "setExpiration": {
      const from = ownerOr(item.byOwner);
      const data = encodeFunctionData({ abi: delayAbi, functionName: "setTxExpiration", args: [BigInt(item.seconds)] });
      return [call(from, data), () => model.setExpiration(from, item.seconds)];
    }
    case "enable": {
      const from = ownerOr(item.byOwner);
      const module = candidateAddress(item.candidate);
      const data = encodeFunctionData({ abi: delayAbi, functionName: "enableModule", args: [module] });
      return [call(from, data), () => model.enableModule(from, module)];
    }
    case "disable": {
      const from = ownerOr(item.byOwner);
      const module = candidateAddress(item.candidate);
      const before = model.modules[model.modules.indexOf(module) - 1] ?? null;
      const previous = { right: before, sentinel: null, itself: module }[item.previous];
      const args = [previous ?? sentinel, module] as const;
      const data = encodeFunctionData({ abi: delayAbi, functionName: "disableModule", args });
      return [call(from, data), () => model.disableModule(from, previous, module)];
    }
    case "invalidate": {
      const sender = key(item.sender).address;
      const hash = hashTypedData(typedData(encodePayload(item.method, item.payload), saltWord(item.salt)));
      const data = encodeFunctionData({ abi: delayAbi, functionName: "invalidate", args: [hash] });
      return [call(sender, data), () => model.invalidate(sender, hash)];
    }
    case "fund": {
      const fund = (): Outcome => {
        model.balance += 3n;
        return { logs: [] };
      };
      return [{ from: stranger, to: world.safe, data: "0x", value: 3n }, fund];
    }
  }
}

test("the Delay follows the rules, in every order of steps", async () => {
  let count = 0;
  const reached = new Map<string, number>();
  const property = fc.asyncProperty(fc.array(steps, { minLength: 40, maxLength: 60 }), async (sequence) => {
    await restore();
    const model = new DelayModel({ owner: world.owner, ...settings });
    let now = startedAt;
    for (const item of filled(sequence)) {
      now = Math.max(now + 1, findMoment(model, item) ?? now + 1 + item.elapsed);
      const [transaction, predict] = await prepare(model, now, item);
      const { answer, ...outcome } = await world.send(now, transaction);
      const expected = predict();
      expect(outcome).toEqual(expected);
      const last = model.items.at(-1);
      if (answer && last && "method" in item && item.kind !== "invalidate") {
        expectAnswer(answer, item.method, model.items.length - 1, last);
      }
      const { txNonce, cooldown, expiration, modules } = model;
      const queueNonce = model.items.length;
      expect(await world.readState()).toEqual({ txNonce, queueNonce, cooldown, expiration, modules });
      const fate = `${item.kind}: ${"revert" in expected ? expected.revert : "done"}`;
      reached.set(fate, (reached.get(fate) ?? 0) + 1);
      count++;
    }
    expect(await world.getBalance(world.safe)).toBe(model.balance);
    const getters = model.items.flatMap((_, index) =>
      (["getTxHash", "getTxCreatedAt"] as const).map((functionName) =>
        encodeFunctionData({ abi: delayAbi, functionName, args: [BigInt(index)] }),
      ),
    );
    if (getters.length > 0) {
      const words = model.items.flatMap((item) => [item.hash, numberToHex(item.createdAt, { size: 32 })]);
      expect(await world.read(...getters)).toEqual(words);
    }
  });
  // Every outcome of the rules was reached, so that the agreement has weight.
  const endings = [
    "enqueue: done",
    "enqueue: NotAuthorized",
    "enqueueSigned: done",
    "enqueueSigned: NotAuthorized",
    "enqueueSigned: HashAlreadyConsumed",
    "enqueueByWallet: done",
    "enqueueByWallet: NotAuthorized",
    "enqueueByWallet: HashAlreadyConsumed",
    "executeHead: done",
    "executeHead: Transaction queue is empty",
    "executeHead: Transaction is still in cooldown",
    "executeHead: Transaction expired",
    "executeHead: Module transaction failed",
    "executeOther: Transaction hashes do not match",
  ];
  const listMissing = () => endings.filter((ending) => !reached.has(ending));
  // Thirty walks sometimes miss a rare outcome; three hundred do not.
  for (let round = 0; round < 10 && listMissing().length > 0; round++) {
    await fc.assert(property, { numRuns: 30, endOnFailure: true });
  }
  expect(count).toBeGreaterThanOrEqual(1_200);
  expect(listMissing()).toEqual([]);
}, 240_000);

function expectAnswer(answer: Hex, name: (typeof methods)[number], nonce: number, item: Item): void {
  const success = encodeAbiParameters([{ type: "bool" }], [true]);
  if (name === "execTransactionFromModule") return expect(answer).toBe(success);
  const types = [{ type: "uint256" }, { type: "bytes32" }, { type: "uint256" }] as const;
  const returnData = encodeAbiParameters(types, [BigInt(nonce), item.hash, BigInt(item.createdAt)]);
  expect(answer).toBe(encodeAbiParameters([{ type: "bool" }, { type: "bytes" }], [true, returnData]));
}

describe("a Delay", () => {
  const now = () => startedAt + 1_000;

  test("is set up once, and its mastercopy never", async () => {
    await restore();
    for (const to of [world.delay, deployments.delayMastercopy]) {
      const outcome = await world.send(now(), { from: world.owner, to, data: world.setUp });
      expect(outcome).toEqual({ revert: "InvalidInitialization" });
    }
  });

  test("refuses ether, with a call and without", async () => {
    await restore();
    const skip = encodeFunctionData({ abi: delayAbi, functionName: "skipExpired" });
    for (const data of ["0x", skip] as const) {
      const payment = { from: world.owner, to: world.delay, data, value: 1n };
      expect(await world.send(now(), payment)).toEqual({ revert: "0x" });
    }
  });

  test("hashes a payload packed, like its queue", async () => {
    for (const item of payloads) {
      const { to, value, data, operation } = item;
      const args = [to, value, data, operation] as const;
      const getHash = encodeFunctionData({ abi: delayAbi, functionName: "getTransactionHash", args });
      const [answer] = await world.read(getHash);
      expect(answer).toBe(hashPayload(item));
      expect(answer).toBe(keccak256(encodePacked(["address", "uint256", "bytes", "uint8"], args)));
    }
  });

  test("keeps a failing call at the head until the Safe can pay for it", async () => {
    await restore();
    const from = key(1).address;
    const item: Payload = { to: receiver, value: 7n, data: "0x", operation: 0 };
    const enable = encodeFunctionData({ abi: delayAbi, functionName: "enableModule", args: [from] });
    await world.send(startedAt + 1, { from: world.owner, to: world.delay, data: enable });
    await world.send(startedAt + 2, { from, to: world.delay, data: encodePayload("execTransactionFromModule", item) });
    const execute = { from: world.owner, to: world.delay, data: encodePayload("executeNextTx", item) };
    expect(await world.send(startedAt + 101, execute)).toEqual({ revert: "Transaction is still in cooldown" });
    expect(await world.send(startedAt + 102, execute)).toEqual({ revert: "Module transaction failed" });
    expect((await world.readState()).txNonce).toBe(0);
    await world.send(startedAt + 103, { from, to: world.safe, data: "0x", value: 2n });
    // The last second before it expires: queued at 2, cooled down for 100, valid for 600.
    expect(await world.send(startedAt + 703, execute)).toEqual({ revert: "Transaction expired" });
    expect(await world.send(startedAt + 702, execute)).toMatchObject({ logs: [] });
    expect((await world.readState()).txNonce).toBe(1);
    expect(await world.getBalance(world.safe)).toBe(0n);
  });
});
