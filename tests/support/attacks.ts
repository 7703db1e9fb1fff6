/** Acts of a hostile owner without the service: queues any call on the account's Delay module, and takes the money. */
import { type AccountAddresses, predictModules } from "@cardkeep/chain/predictAccount";
import { buildSetAllowance } from "@cardkeep/chain/allowance";
import type { Call, OperationType } from "@cardkeep/chain/call";
import { buildDispatch, buildModuleCall } from "@cardkeep/chain/delay";
import { parseQueueLog, queueTopics } from "@cardkeep/chain/delayLogs";
import { deployments } from "@cardkeep/chain/deployments";
import { createChainReader } from "@cardkeep/chain/reader";
import { buildTransfer } from "@cardkeep/chain/tokens";
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import { encodeAbiParameters, encodeFunctionData, erc20Abi, parseAbi, type PrivateKeyAccount } from "viem";
import { deployTestContract } from "./contracts.ts";
import { openNode } from "./node.ts";
import type { Person } from "./person.ts";
import type { RunningService } from "./service.ts";

const abi = parseAbi([
  "function writeSingleton(address singleton)",
  "function writeModule(address module)",
  "function writeOwner(address owner)",
  "function setFallbackHandler(address handler)",
  "function execTransactionFromModule(address to, uint256 value, bytes data, uint8 operation) returns (bool success)",
]);

/** An account, and the key of one of its owners. */
export interface HostileOwner {
  readonly rpcUrl: string;
  readonly key: PrivateKeyAccount;
  readonly addresses: AccountAddresses;
  /** Advances the time of the chain, and of the service if there is one. */
  advance(seconds: number): Promise<unknown>;
}

/** The owner of a person's Safe in a test's service. */
export const openHostileOwner = (service: RunningService, person: Person, safe: Address): HostileOwner => ({
  rpcUrl: service.rpcUrl,
  key: person.account,
  addresses: { safe, ...predictModules(safe) },
  advance: (seconds) => person.sandbox("POST", "/chain/advance", { seconds }),
});

export interface QueuedCall extends Call {
  operation?: OperationType;
}

const openReader = ({ rpcUrl }: HostileOwner) => createChainReader({ rpcUrl, chainId: 100, timeoutMs: 5_000 });

/** The owner's key queues a call on the Delay module itself. Returns the call's queue nonce. */
export async function queueCall(owner: HostileOwner, { operation = "CALL", ...call }: QueuedCall): Promise<bigint> {
  const { client, waitForReceipt } = openNode(owner.rpcUrl);
  const { delay } = owner.addresses;
  await client.setBalance({ address: owner.key.address, value: 10n ** 18n });
  const data = buildModuleCall(call, operation);
  const hash = await client.sendTransaction({ account: owner.key, chain: null, to: delay, data });
  const { status } = await waitForReceipt(hash);
  if (status !== "success") throw new Error(`${hash} reverted`);
  return (await openReader(owner).getDelayState(delay)).queueNonce - 1n;
}

/**
 * Waits for the cooldown and lets a stranger execute every queued call; a worker may execute some of them first.
 *
 * Throws when the call at the head reverts.
 */
export async function runQueue(owner: HostileOwner): Promise<void> {
  const { delay } = owner.addresses;
  const reader = openReader(owner);
  const { queueNonce: end, cooldownSeconds } = await reader.getDelayState(delay);
  const { number: toBlock } = await reader.getBlock();
  const logs = await reader.getLogs({ addresses: [delay], topics: queueTopics, fromBlock: 0n, toBlock });
  await owner.advance(cooldownSeconds + 1);
  const readHead = async () => (await reader.getDelayState(delay)).txNonce;
  for (let head = await readHead(); head < end; head = await readHead()) {
    const entry = logs.map(parseQueueLog).find((candidate) => candidate?.queueNonce === head);
    if (!entry) throw new Error(`No log of queue nonce ${head}`);
    const { to, value, data, operation } = entry;
    const dispatch = buildDispatch({ delay, call: { to, value, data }, operation });
    try {
      await openNode(owner.rpcUrl).send(dispatch);
    } catch (error) {
      if ((await readHead()) === head) throw error;
    }
  }
}

/** Queues the replacement of the Safe's code by code that deceives the Roles module. Returns that code's address. */
export async function installFakeSingleton(owner: HostileOwner, thief: Address): Promise<Address> {
  const { rpcUrl, addresses } = owner;
  const types = [{ type: "address" }, { type: "address" }, { type: "address" }] as const;
  const fakeArguments = encodeAbiParameters(types, [deployments.safeMastercopy, addresses.roles, thief]);
  const fake = await deployTestContract(rpcUrl, "FakeSingleton", fakeArguments);
  await queueWrite(owner, encodeFunctionData({ abi, functionName: "writeSingleton", args: [fake] }));
  return fake;
}

/** Queues the replacement of the Safe's code by code that asks for most of a block's gas whenever a module calls it. */
export async function installGreedySingleton(owner: HostileOwner): Promise<void> {
  const genuine = encodeAbiParameters([{ type: "address" }], [deployments.safeMastercopy]);
  const greedy = await deployTestContract(owner.rpcUrl, "GreedySingleton", genuine);
  await queueWrite(owner, encodeFunctionData({ abi, functionName: "writeSingleton", args: [greedy] }));
}

/** Queues the grant of a module's power to `module`, in a way that no list shows. */
export const hideModule = (owner: HostileOwner, module: Address): Promise<bigint> =>
  queueWrite(owner, encodeFunctionData({ abi, functionName: "writeModule", args: [module] }));

/** Queues the grant of an owner's power to `hidden`, in a way that no list shows. */
export const hideOwner = (owner: HostileOwner, hidden: Address): Promise<bigint> =>
  queueWrite(owner, encodeFunctionData({ abi, functionName: "writeOwner", args: [hidden] }));

async function queueWrite(owner: HostileOwner, data: Hex): Promise<bigint> {
  const to = await deployTestContract(owner.rpcUrl, "StorageWriter");
  return queueCall(owner, { to, value: 0n, data, operation: "DELEGATECALL" });
}

/** Queues an approval by which `thief` may pull the Safe's tokens at any time. */
export function approveThief(
  owner: HostileOwner,
  { token, thief, amount }: { token: Address; thief: Address; amount: bigint },
): Promise<bigint> {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [thief, amount] });
  return queueCall(owner, { to: token, value: 0n, data });
}

/** Queues a fallback handler by which the Safe accepts every signature, or another one. Returns the handler's address. */
export async function setFallbackHandler(owner: HostileOwner, handler?: Address): Promise<Address> {
  const installed = handler ?? (await deployTestContract(owner.rpcUrl, "YesHandler"));
  const data = encodeFunctionData({ abi, functionName: "setFallbackHandler", args: [installed] });
  await queueCall(owner, { to: owner.addresses.safe, value: 0n, data });
  return installed;
}

/** Queues an allowance set at the Bouncer, past the service's own limits. */
export const setBouncerAllowance = (
  owner: HostileOwner,
  {
    refill,
    periodSeconds,
    startsAt = 0,
  }: { refill: bigint; periodSeconds: number | bigint; startsAt?: number | bigint },
): Promise<bigint> =>
  queueCall(owner, buildSetAllowance({ bouncer: owner.addresses.bouncer, refill, periodSeconds, startsAt }));

/** The money that a thief takes from a Safe. */
export interface Loot {
  token: Address;
  amount: bigint;
  to: Address;
}

/** Set by hand: if a module's call runs out of gas, the Safe returns false, and an estimate counts that as success. */
const moduleGas = 500_000n;

/** A module, hidden or of a fake singleton, moves the Safe's tokens without any cooldown. */
export function takeAsModule({ rpcUrl, addresses }: HostileOwner, module: Address, loot: Loot): Promise<Hex> {
  const { to, value, data } = buildTransfer(loot);
  const args = [to, value, data, 0] as const;
  const call = encodeFunctionData({ abi, functionName: "execTransactionFromModule", args });
  return openNode(rpcUrl).sendAs(module, { to: addresses.safe, data: call, gas: moduleGas });
}

/** A hidden owner moves the Safe's tokens without any cooldown. */
export const takeAsOwner = ({ rpcUrl, addresses }: HostileOwner, hidden: PrivateKeyAccount, loot: Loot): Promise<Hex> =>
  openNode(rpcUrl).execute(hidden, addresses.safe, buildTransfer(loot));

/** A thief pulls the Safe's tokens within its approval. */
export function pullApproved({ rpcUrl, addresses }: HostileOwner, thief: Address, loot: Loot): Promise<Hex> {
  const args = [addresses.safe, loot.to, loot.amount] as const;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "transferFrom", args });
  return openNode(rpcUrl).sendAs(thief, { to: loot.token, data });
}
