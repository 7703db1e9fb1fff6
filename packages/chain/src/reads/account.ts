/** Reads of accounts: tokens, Delay modules, and integrity. */
import { nativeDecimals, type Address, type Hex } from "@cardkeep/contract/core/primitives";
import { nativeToken } from "@cardkeep/contract/core/primitives";
import { decodeFunctionResult, encodeFunctionData, erc20Abi, getAbiItem, size, toFunctionSelector } from "viem";
import { delayAbi } from "../abis.ts";
import { sentinelAddress } from "../deployments.ts";
import { CallReverted } from "../errors.ts";
import { encodeAddress, parseHex } from "../hex.ts";
import type { DelayState } from "../accountState.ts";
import type { ChainReader } from "../port.ts";
import { requestAccount, requestAll } from "./aggregate.ts";
import { buildIntegrityQuestions, readAccountIntegrity } from "./integrity.ts";
import { encodeBlock, type Rpc } from "./rpc.ts";
import {
  buildConsumedQuestion,
  buildFundsQuestions,
  buildSpendingQuestions,
  readAllowance,
  readFunds,
  readSpendingState,
  stateCalldata,
} from "./spending.ts";
import { parseAnswer, readBigInt, readNumber, readPeriod } from "./parseAnswer.ts";

type AccountReads = Pick<
  ChainReader,
  | "getTokenBalance"
  | "getTokenDecimals"
  | "getSpendingState"
  | "getApproval"
  | "findRefill"
  | "listOwners"
  | "getDelayState"
  | "listDelayPeriods"
  | "getSigner"
  | "isMessageConsumed"
  | "getAccountIntegrity"
>;

export const ownersPageSize = 100n;

/** Many times what a token behind a proxy needs. A caller chooses the token, which may loop until its gas is used up. */
const tokenGas = 1_000_000n;

export function createAccountReads(rpc: Rpc): AccountReads {
  const aggregate = async (calls: readonly { target: Address; callData: Hex }[], block?: bigint): Promise<Hex[]> => {
    const questions = calls.map((call) => ({ ...call, allowFailure: false }));
    const results = await requestAll(rpc, questions, block);
    return results.map(({ returnData }) => returnData);
  };

  return {
    getTokenBalance: async (token, owner, block) => {
      if (token === nativeToken) {
        const answer = await rpc.request("eth_getBalance", [owner, encodeBlock(block)]);
        return parseAnswer("eth_getBalance", () => readBigInt(answer));
      }
      const data = encodeFunctionData({ abi: erc20Abi, functionName: "balanceOf", args: [owner] });
      try {
        return readWord(await rpc.view(token, data, block, tokenGas)) ?? 0n;
      } catch (error) {
        if (error instanceof CallReverted) return 0n;
        throw error;
      }
    },

    getTokenDecimals: async (token) => {
      if (token === nativeToken) return nativeDecimals;
      const data = encodeFunctionData({ abi: erc20Abi, functionName: "decimals" });
      const decimals = readWord(await rpc.view(token, data, undefined, tokenGas));
      if (decimals === null || decimals > 255n) throw new CallReverted({ reason: "not a token" });
      return Number(decimals);
    },

    getSpendingState: async ({ token, addresses, cooldownSeconds, spender, messageHashes }) => {
      const questions = buildSpendingQuestions({ token, addresses, spender, messageHashes });
      const results = await requestAccount(rpc, addresses.safe, questions);
      return parseAnswer("getSpendingState", () => readSpendingState(results, { addresses, cooldownSeconds }));
    },

    getApproval: async ({ token, owner, spender }, block) => {
      const data = encodeFunctionData({ abi: erc20Abi, functionName: "allowance", args: [owner, spender] });
      return readWord(await rpc.view(token, data, block)) ?? 0n;
    },

    findRefill: async (roles, block) => {
      const returnData = await rpc.view(roles, stateCalldata.allowance, block);
      return readAllowance({ success: true, returnData })?.refill ?? null;
    },

    listOwners: async (delay, block) => {
      const owners: Address[] = [];
      let page: readonly Address[];
      do {
        // From the last owner on: if the list changes meanwhile, the answer is an error or a shorter page, never
        // another list's owner.
        const args = [owners.at(-1) ?? sentinelAddress, ownersPageSize] as const;
        const data = encodeFunctionData({ abi: delayAbi, functionName: "getModulesPaginated", args });
        const answer = await rpc.view(delay, data, block);
        [page] = parseAnswer("getModulesPaginated", () =>
          decodeFunctionResult({ abi: delayAbi, functionName: "getModulesPaginated", data: answer }),
        );
        owners.push(...page);
      } while (BigInt(page.length) === ownersPageSize);
      return owners;
    },

    getDelayState: async (delay, block) => {
      const calls = [delayCalls.txNonce, delayCalls.queueNonce, ...periodCalls];
      const [txNonce, queueNonce, cooldownSeconds, expirationSeconds] = await aggregate(
        calls.map((callData) => ({ target: delay, callData })),
        block,
      );
      const base = parseAnswer("getDelayState", () => ({
        txNonce: readBigInt(txNonce),
        queueNonce: readBigInt(queueNonce),
        cooldownSeconds: readPeriod(cooldownSeconds),
        expirationSeconds: readPeriod(expirationSeconds),
      }));
      return { ...base, head: base.txNonce < base.queueNonce ? await getQueued(delay, base.txNonce, block) : null };
    },

    listDelayPeriods: async (delays) => {
      const calls = delays.flatMap((target) => periodCalls.map((callData) => ({ target, callData })));
      const answers = await aggregate(calls);
      return parseAnswer("listDelayPeriods", () =>
        delays.map((_, index) => ({
          cooldownSeconds: readPeriod(answers[2 * index]),
          expirationSeconds: readPeriod(answers[2 * index + 1]),
        })),
      );
    },

    isMessageConsumed: async ({ delay, signer, messageHash }, block) => {
      const { target, callData } = buildConsumedQuestion(delay, signer, messageHash);
      const answer = await rpc.view(target, callData, block);
      return parseAnswer("consumed", () =>
        decodeFunctionResult({ abi: delayAbi, functionName: "consumed", data: answer }),
      );
    },

    getSigner: async ({ delay, signer, messageHash, funds }) => {
      const isOwnerCall: Hex = `${isModuleEnabledSelector}${encodeAddress(signer)}`;
      const [isOwner, isConsumed, ...ofFunds] = await requestAll(rpc, [
        { target: delay, callData: isOwnerCall, allowFailure: false },
        buildConsumedQuestion(delay, signer, messageHash),
        ...(funds ? buildFundsQuestions(funds) : []),
      ]);
      return parseAnswer("getSigner", () => ({
        isOwner: readBigInt(isOwner?.returnData) === 1n,
        isConsumed: readBigInt(isConsumed?.returnData) === 1n,
        funds: funds ? readFunds(ofFunds) : null,
      }));
    },

    getAccountIntegrity: async (input) =>
      readAccountIntegrity(
        input,
        await requestAccount(rpc, input.addresses.safe, buildIntegrityQuestions(input.addresses)),
      ),
  };

  /** A queued call's time and hash are written once, so they match the earlier state even after a change. */
  async function getQueued(
    delay: Address,
    queueNonce: bigint,
    block: bigint | undefined,
  ): Promise<NonNullable<DelayState["head"]>> {
    const args = [queueNonce] as const;
    const functionNames = ["getTxCreatedAt", "getTxHash"] as const;
    const calls = functionNames.map((functionName) => ({
      target: delay,
      callData: encodeFunctionData({ abi: delayAbi, functionName, args }),
    }));
    const [createdAt, txHash] = await aggregate(calls, block);
    return parseAnswer("getTxHash", () => {
      const head = { createdAt: readNumber(createdAt), txHash: parseHex(txHash) };
      if (head.createdAt === 0) throw new Error("the head is not in the queue");
      return head;
    });
  }
}

const encodeDelayCall = (functionName: "txNonce" | "queueNonce" | "txCooldown" | "txExpiration"): Hex =>
  encodeFunctionData({ abi: delayAbi, functionName });

const isModuleEnabledSelector = toFunctionSelector(getAbiItem({ abi: delayAbi, name: "isModuleEnabled" }));

/** The same calldata for every Delay module. */
const delayCalls = { txNonce: encodeDelayCall("txNonce"), queueNonce: encodeDelayCall("queueNonce") };
const periodCalls = [encodeDelayCall("txCooldown"), encodeDelayCall("txExpiration")];

/** The first word of an answer; null for a shorter answer. */
const readWord = (data: Hex): bigint | null => (size(data) < 32 ? null : BigInt(data.slice(0, 66)));
