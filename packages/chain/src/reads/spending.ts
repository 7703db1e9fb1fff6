/** The one request of a card's decision: its calls and its result. Pure. */
import type { Address, Hex } from "@cardkeep/contract/primitives";
import {
  concat,
  decodeFunctionResult,
  encodeFunctionData,
  erc20Abi,
  getAbiItem,
  isAddressEqual,
  pad,
  toFunctionSelector,
} from "viem";
import { delayAbi, multicallAbi, ownableAbi, rolesAbi, safeViewAbi } from "../abis.ts";
import type { AccountAddresses } from "../account.ts";
import type { Allowance } from "../allowance.ts";
import { deployments, sentinelAddress, spendingAllowanceKey } from "../deployments.ts";
import type { FundsQuestion, SpendingState } from "../port.ts";
import { readBigInt, readNumber } from "./parseAnswer.ts";

/** A call inside the request. */
export interface Question {
  target: Address;
  callData: Hex;
  allowFailure: boolean;
}

/** The result of a call inside the request. */
export interface Result {
  success: boolean;
  returnData: Hex;
}

/** The owner of a Safe after its set-up: an address without a key. */
const deadOwner: Address = "0x0000000000000000000000000000000000000002";
/** An account has two; a third is requested to prove that there is none. */
const modulesMax = 3n;

/** The same calldata for every account, built once. */
const calldata = {
  owners: encodeFunctionData({ abi: safeViewAbi, functionName: "getOwners" }),
  threshold: encodeFunctionData({ abi: safeViewAbi, functionName: "getThreshold" }),
  modules: encodeFunctionData({
    abi: safeViewAbi,
    functionName: "getModulesPaginated",
    args: [sentinelAddress, modulesMax],
  }),
  owner: encodeFunctionData({ abi: ownableAbi, functionName: "owner" }),
  cooldown: encodeFunctionData({ abi: delayAbi, functionName: "txCooldown" }),
  txNonce: encodeFunctionData({ abi: delayAbi, functionName: "txNonce" }),
  queueNonce: encodeFunctionData({ abi: delayAbi, functionName: "queueNonce" }),
  allowance: encodeFunctionData({ abi: rolesAbi, functionName: "allowances", args: [spendingAllowanceKey] }),
  timestamp: encodeFunctionData({ abi: multicallAbi, functionName: "getCurrentBlockTimestamp" }),
} as const;

/** Built by hand: there may be many, and the encoder takes longer for each one than the node for all. */
const consumedSelector = toFunctionSelector(getAbiItem({ abi: delayAbi, name: "consumed" }));

const ask = (target: Address, callData: Hex): Question => ({ target, callData, allowFailure: true });

/** Whether a signer's message was consumed at a module. */
export const buildConsumedQuestion = (module: Address, signer: Address, messageHash: Hex): Question =>
  ask(module, concat([consumedSelector, pad(signer), messageHash]));

/** The Safe's balance, and which of the spender's signed spends have run; `readFunds` reads the results. */
export const buildFundsQuestions = ({ token, safe, roles, spender, messageHashes }: FundsQuestion): Question[] => [
  ask(token, encodeFunctionData({ abi: erc20Abi, functionName: "balanceOf", args: [safe] })),
  ...messageHashes.map((hash) => buildConsumedQuestion(roles, spender, hash)),
];

/**
 * Reads the results.
 * @throws Error without a balance
 */
export const readFunds = ([balance, ...consumed]: readonly Result[]): Pick<SpendingState, "balance" | "hasRun"> => ({
  balance: readBigInt(balance?.returnData),
  hasRun: consumed.map(({ success, returnData }) => success && returnData !== "0x" && BigInt(returnData) !== 0n),
});

/** The calls of the request, in the order of `readSpendingState`. */
export function buildSpendingQuestions(input: {
  token: Address;
  addresses: AccountAddresses;
  spender: Address;
  messageHashes: readonly Hex[];
}): Question[] {
  const { token, addresses, spender, messageHashes } = input;
  const { safe, delay, roles } = addresses;
  return [
    ask(delay, calldata.txNonce),
    ask(delay, calldata.queueNonce),
    ask(deployments.multicall, calldata.timestamp),
    ask(roles, calldata.allowance),
    ask(safe, calldata.owners),
    ask(safe, calldata.threshold),
    ask(safe, calldata.modules),
    ask(roles, calldata.owner),
    ask(delay, calldata.owner),
    ask(delay, calldata.cooldown),
    ...buildFundsQuestions({ token, safe, roles, spender, messageHashes }),
  ];
}

/**
 * Reads the results.
 * @throws Error without balance or queue
 */
export function readSpendingState(
  results: readonly Result[],
  { addresses, cooldownSeconds }: { addresses: AccountAddresses; cooldownSeconds: number },
): SpendingState {
  const [txNonce, queueNonce, timestamp, allowance, ...rest] = results;
  return {
    ...readFunds(rest.slice(partsCount)),
    txNonce: readBigInt(txNonce?.returnData),
    queueNonce: readBigInt(queueNonce?.returnData),
    timestamp: readNumber(timestamp?.returnData),
    allowance: readAllowance(allowance),
    isWhole: isWhole(rest, addresses, cooldownSeconds),
  };
}

const partsCount = 6;

/** The rules of `AccountIntegrityStatus` (account-kit) combined: any fault counts. */
function isWhole(
  [owners, threshold, modules, rolesOwner, delayOwner, cooldown]: readonly Result[],
  { safe, delay, roles, bouncer }: AccountAddresses,
  cooldownSeconds: number,
): boolean {
  try {
    const has = (result: Result | undefined, wanted: Address) => isAddressEqual(readOwner(result), wanted);
    const ofSafe = decodeFunctionResult({ abi: safeViewAbi, functionName: "getOwners", data: read(owners) });
    const [enabled] = decodeFunctionResult({
      abi: safeViewAbi,
      functionName: "getModulesPaginated",
      data: read(modules),
    });
    const isEnabled = (module: Address) => enabled.some((one) => isAddressEqual(one, module));
    return (
      ofSafe.length === 1 &&
      ofSafe.every((owner) => isAddressEqual(owner, deadOwner)) &&
      BigInt(read(threshold)) === 1n &&
      enabled.length === 2 &&
      isEnabled(delay) &&
      isEnabled(roles) &&
      has(rolesOwner, bouncer) &&
      has(delayOwner, safe) &&
      BigInt(read(cooldown)) >= BigInt(cooldownSeconds)
    );
  } catch {
    return false;
  }
}

const read = (result: Result | undefined): Hex => {
  if (!result?.success || result.returnData === "0x") throw new Error("no answer");
  return result.returnData;
};

const readOwner = (result: Result | undefined): Address =>
  decodeFunctionResult({ abi: ownableAbi, functionName: "owner", data: read(result) });

/** An allowance as stored; a contract that is not a Roles module may return any data. */
export function readAllowance(result: Result | undefined): Allowance | null {
  if (!result?.success) return null;
  try {
    const [refill, maxRefill, period, balance, timestamp] = decodeFunctionResult({
      abi: rolesAbi,
      functionName: "allowances",
      data: result.returnData,
    });
    return { balance, refill, maxRefill, periodSeconds: Number(period), timestamp: Number(timestamp) };
  } catch {
    return null;
  }
}
