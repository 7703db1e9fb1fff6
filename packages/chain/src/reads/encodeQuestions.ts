/**
 * Calldata and answer of Multicall3's `aggregate3`, by hand. The general encoder and decoder take longer for the one request
 * of a card's decision than all the rest of it. A test compares both.
 */
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import { getAbiItem, toFunctionSelector } from "viem";
import { multicallAbi } from "../abis.ts";
import { encodeAddress, encodeBytes, encodeNumber, wordDigits } from "../hex.ts";

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

const selector = toFunctionSelector(getAbiItem({ abi: multicallAbi, name: "aggregate3" }));
const wordBytes = wordDigits / 2;

/** The calldata of `aggregate3` for questions in their order. */
export function encodeQuestions(questions: readonly Question[]): Hex {
  let heads = "";
  let tuples = "";
  let offset = questions.length * wordBytes;
  for (const { target, allowFailure, callData } of questions) {
    const bytes = encodeBytes(callData);
    heads += encodeNumber(offset);
    // Target, whether it may fail, where the data begin, and the data.
    tuples += encodeAddress(target) + encodeNumber(allowFailure ? 1 : 0) + encodeNumber(3 * wordBytes) + bytes;
    offset += 3 * wordBytes + bytes.length / 2;
  }
  return `${selector}${encodeNumber(wordBytes)}${encodeNumber(questions.length)}${heads}${tuples}`;
}

/**
 * The results of `aggregate3`, with their data in lower case.
 * @throws Error for any other data
 */
export function decodeResults(data: Hex): readonly Result[] {
  const digits = data.slice(2).toLowerCase();
  const readDigits = (at: number, bytes: number): string => {
    const end = 2 * (at + bytes);
    if (end > digits.length) throw new Error("the data end too early");
    return digits.slice(2 * at, end);
  };
  const readNumber = (at: number): number => {
    const number = Number(`0x${readDigits(at, wordBytes)}`);
    if (!(number <= digits.length)) throw new Error("a number leads beyond the data");
    return number;
  };
  const list = readNumber(0);
  if (list < wordBytes) throw new Error("the list overlaps its own place");
  const first = list + wordBytes;
  return Array.from({ length: readNumber(list) }, (_, index) => {
    const tuple = first + readNumber(first + index * wordBytes);
    const bytes = tuple + readNumber(tuple + wordBytes);
    const success = readNumber(tuple);
    if (success > 1) throw new Error("expected a boolean");
    return { success: success === 1, returnData: `0x${readDigits(bytes + wordBytes, readNumber(bytes))}` };
  });
}
