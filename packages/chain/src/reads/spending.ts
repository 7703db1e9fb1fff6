/** The one request of a card's decision: its calls and its result. Pure. */
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import { encodeFunctionData, erc20Abi, getAbiItem, toFunctionSelector } from "viem";
import { delayAbi, multicallAbi, ownableAbi, rolesAbi, safeViewAbi } from "../abis.ts";
import type { AccountAddresses } from "../predictAccount.ts";
import type { Allowance } from "../allowance.ts";
import { deployments, sentinelAddress, spendingAllowanceKey } from "../deployments.ts";
import type { FundsQuestion, SpendingState } from "../accountState.ts";
import { encodeAddress, encodeNumber, wordDigits } from "../hex.ts";
import type { Question, Result } from "./encodeQuestions.ts";
import { readBigInt, readNumber } from "./parseAnswer.ts";

/** The owner of a Safe after its set-up: an address without a key. */
const deadOwner: Address = "0x0000000000000000000000000000000000000002";
/** An account has two; a third is requested to prove that there is none. */
const modulesMax = 3n;

/** The same calldata for every account, built once. */
export const stateCalldata = {
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
const balanceSelector = toFunctionSelector(getAbiItem({ abi: erc20Abi, name: "balanceOf" }));

const ask = (target: Address, callData: Hex): Question => ({ target, callData, allowFailure: true });

/** Whether a signer's message was consumed at a module. */
export const buildConsumedQuestion = (module: Address, signer: Address, messageHash: Hex): Question =>
  ask(module, `${consumedSelector}${encodeAddress(signer)}${messageHash.slice(2)}`);

/** The Safe's balance, and which of the spender's signed spends have run; `readFunds` reads the results. */
export const buildFundsQuestions = ({ token, safe, roles, spender, messageHashes }: FundsQuestion): Question[] => [
  ask(token, `${balanceSelector}${encodeAddress(safe)}`),
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
    ask(delay, stateCalldata.txNonce),
    ask(delay, stateCalldata.queueNonce),
    ask(deployments.multicall, stateCalldata.timestamp),
    ask(roles, stateCalldata.allowance),
    ask(safe, stateCalldata.owners),
    ask(safe, stateCalldata.threshold),
    ask(safe, stateCalldata.modules),
    ask(roles, stateCalldata.owner),
    ask(delay, stateCalldata.owner),
    ask(delay, stateCalldata.cooldown),
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

/** An answer of these words. */
const encodeWords = (...words: (number | Address)[]): Hex =>
  `0x${words.map((word) => (typeof word === "number" ? encodeNumber(word) : encodeAddress(word))).join("")}`;

/** The list of owners of a whole account, as the Safe answers it. */
const deadOwners = encodeWords(32, 1, deadOwner);
/** The threshold of a whole account. */
const one = encodeWords(1);
/** How a Safe's answer with two modules begins: where the list is, its length. After the list's place stands the next page. */
const [pageStart, pageLength] = [encodeWords(64), encodeWords(2).slice(2)];

/**
 * The rules of `AccountIntegrityStatus` (account-kit) combined: any fault counts.
 *
 * Solidity has one way to write an answer, so answers are compared as text. Another way to write the same counts as a fault.
 */
export function isWhole(
  [owners, threshold, modules, rolesOwner, delayOwner, cooldown]: readonly (Result | undefined)[],
  { safe, delay, roles, bouncer }: AccountAddresses,
  cooldownSeconds: number,
): boolean {
  const enabled = read(modules);
  const [first, second] = [encodeAddress(delay), encodeAddress(roles)];
  return (
    read(owners) === deadOwners &&
    read(threshold) === one &&
    enabled.startsWith(pageStart) &&
    [`${pageLength}${first}${second}`, `${pageLength}${second}${first}`].includes(enabled.slice(wordStart(2))) &&
    read(rolesOwner) === encodeWords(bouncer) &&
    read(delayOwner) === encodeWords(safe) &&
    readWord(read(cooldown), 0) >= BigInt(cooldownSeconds)
  );
}

/** What a call returned; nothing where it failed. */
const read = (result: Result | undefined): Hex => (result?.success ? result.returnData : "0x");

const wordStart = (index: number): number => 2 + wordDigits * index;

/** A word of an answer as a number; -1 for an answer that has no such word. */
const readWord = (data: Hex, index: number): bigint => {
  const word = data.slice(wordStart(index), wordStart(index + 1));
  return word.length === wordDigits ? BigInt(`0x${word}`) : -1n;
};

const allowanceWords = 5;

/** An allowance as stored; a contract that is not a Roles module may return any data. */
export function readAllowance(result: Result | undefined): Allowance | null {
  const data = read(result);
  if (data.length < wordStart(allowanceWords)) return null;
  // The fields of `allowances` in the ABI of the Roles module.
  const [refill, maxRefill, balance] = [readWord(data, 0), readWord(data, 1), readWord(data, 3)];
  return { balance, refill, maxRefill, periodSeconds: readWord(data, 2), timestamp: readWord(data, 4) };
}
