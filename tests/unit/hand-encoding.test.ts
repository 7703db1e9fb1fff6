/** What is encoded and decoded by hand for the speed of card decisions means what the general functions of viem mean. */
import { expect, test } from "bun:test";
import { delayAbi, multicallAbi, rolesAbi } from "@cardkeep/chain/abis";
import { operationCodes } from "@cardkeep/chain/call";
import { buildModuleCall, buildModuleTypedData, hashModuleMessage, parseModuleCall } from "@cardkeep/chain/delay";
import { spendingRoleKey } from "@cardkeep/chain/deployments";
import { decodeResults, encodeQuestions } from "@cardkeep/chain/reads/encodeQuestions";
import { buildSpend } from "@cardkeep/chain/spending";
import { buildTransfer } from "@cardkeep/chain/tokens";
import fc from "fast-check";
import {
  decodeFunctionResult,
  encodeFunctionData,
  encodeFunctionResult,
  erc20Abi,
  hashTypedData,
  type Hex,
  toHex,
} from "viem";
import { addresses, calldata, calls, operations, uint256s, words } from "../chain/arbitraries.ts";

const aggregate = { abi: multicallAbi, functionName: "aggregate3" } as const;
const questions = fc.array(fc.record({ target: addresses, allowFailure: fc.boolean(), callData: calldata }), {
  maxLength: 6,
});
const results = fc.array(fc.record({ success: fc.boolean(), returnData: calldata }), { maxLength: 6 });
const chainIds = fc.integer({ min: 1, max: 2 ** 31 });
const runs = { numRuns: 200 };

test("questions are encoded as viem encodes them", () => {
  const encode = (asked: readonly { target: Hex; allowFailure: boolean; callData: Hex }[]) =>
    encodeFunctionData({ ...aggregate, args: [asked] });
  fc.assert(
    fc.property(questions, (asked) => expect(encodeQuestions(asked)).toBe(encode(asked))),
    runs,
  );
});

test("answers are decoded as viem decodes them", () => {
  fc.assert(
    fc.property(results, (result) => {
      const data = encodeFunctionResult({ ...aggregate, result });
      expect(decodeResults(data)).toEqual(result);
      expect(decodeResults(`0x${data.slice(2).toUpperCase()}`)).toEqual(result);
    }),
    runs,
  );
});

test("an answer that was cut or changed is read as viem reads it, or refused", () => {
  const damaged = fc.tuple(results, fc.nat(), fc.constantFrom("", "00", "01", "20", "ff"), fc.boolean());
  const read = (decode: () => unknown): unknown => {
    try {
      return decode();
    } catch {
      return "refused";
    }
  };
  let compared = 0;
  fc.assert(
    fc.property(damaged, ([result, place, digits, isCut]) => {
      const data = encodeFunctionResult({ ...aggregate, result }).slice(2);
      const at = 2 * (place % (data.length / 2));
      const changed: Hex = `0x${data.slice(0, at)}${digits}${isCut ? "" : data.slice(at + digits.length)}`;
      const own = read(() => decodeResults(changed));
      if (own === "refused") return;
      compared++;
      expect(own).toEqual(read(() => decodeFunctionResult({ ...aggregate, data: changed })));
    }),
    runs,
  );
  expect(compared).toBeGreaterThan(0);
  for (const data of ["0x", "0x00", toHex(0, { size: 32 })] as const)
    expect(read(() => decodeResults(data))).toBe("refused");
});

test("a module's message has the hash of its typed data", () => {
  const messages = fc.record({ delay: addresses, chainId: chainIds, data: calldata, salt: words });
  fc.assert(
    fc.property(messages, (message) =>
      expect(hashModuleMessage(message)).toBe(hashTypedData(buildModuleTypedData(message))),
    ),
    runs,
  );
});

test("a module's call is encoded as viem encodes it, and read again", () => {
  fc.assert(
    fc.property(calls, operations, (call, operation) => {
      const args = [call.to, call.value, call.data, operationCodes[operation]] as const;
      const data = buildModuleCall(call, operation);
      expect(data).toBe(encodeFunctionData({ abi: delayAbi, functionName: "execTransactionFromModule", args }));
      expect(parseModuleCall(data)).toEqual({ call, operation });
    }),
    runs,
  );
});

test("a transfer is encoded as viem encodes it", () => {
  fc.assert(
    fc.property(addresses, addresses, uint256s, (token, to, amount) => {
      const data = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [to, amount] });
      expect(buildTransfer({ token, to, amount })).toEqual({ to: token, value: 0n, data });
    }),
    runs,
  );
});

test("a spend is the transfer of its amount by the spender's role", () => {
  const spends = fc.record({
    roles: addresses,
    token: addresses,
    settlement: addresses,
    amount: uint256s,
    salt: words,
  });
  fc.assert(
    fc.property(spends, chainIds, (spend, chainId) => {
      const args = [spend.settlement, spend.amount] as const;
      const transfer = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args });
      const data = encodeFunctionData({
        abi: rolesAbi,
        functionName: "execTransactionWithRole",
        args: [spend.token, 0n, transfer, 0, spendingRoleKey, true],
      });
      expect(buildSpend({ ...spend, chainId })).toMatchObject({ roles: spend.roles, data, salt: spend.salt });
    }),
    runs,
  );
});
