import { describe, expect, test } from "bun:test";
import { predictModules } from "@cardkeep/chain/predictAccount";
import { buildSetAllowance } from "@cardkeep/chain/allowance";
import { buildSkipExpired } from "@cardkeep/chain/delay";
import { classifyEntry, type EntryPolicy, parseAllowedCall } from "@cardkeep/chain/entryPolicy";
import { rolesAbi } from "@cardkeep/chain/abis";
import { deployments, spendingAllowanceKey } from "@cardkeep/chain/deployments";
import { buildAddOwner, buildRemoveOwner } from "@cardkeep/chain/owners";
import { buildTransfer, tokens } from "@cardkeep/chain/tokens";
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import fc from "fast-check";
import { concat, encodeFunctionData, erc20Abi, getAddress, parseAbi } from "viem";

const safe = getAddress("0x1111111111111111111111111111111111111111");
const account = { safe, ...predictModules(safe) };
const limitMax = 8_000n * 10n ** 18n;
const policy: EntryPolicy = { account, limitMax, periodSecondsMin: 86_400, allowedCalls: [] };

const bytes = (length: number) =>
  fc
    .uint8Array({ minLength: length, maxLength: length })
    .map((array): Hex => `0x${Buffer.from(array).toString("hex")}`);
const wallet = bytes(20).map((hex): Address => getAddress(hex));
const amount = fc.bigInt({ min: 0n, max: 2n ** 128n });
const selectors = ["0xa9059cbb", "0x610b5925", "0xe009cfde", "0xa8ec43ee"];

const known = fc.oneof(
  fc.record({ to: wallet, amount }).map(({ to, amount: value }) => ({
    kind: "token" as const,
    call: buildTransfer({ token: tokens.EURe.address, to, amount: value }),
  })),
  fc.record({ to: wallet, amount }).map(({ to, amount: value }) => ({
    kind: "native" as const,
    call: { to, value, data: "0x" as const },
  })),
  wallet.map((owner) => ({ kind: "owner.add" as const, call: buildAddOwner(account.delay, owner) })),
  wallet.map((owner) => ({
    kind: "owner.remove" as const,
    call: buildRemoveOwner({ delay: account.delay, owners: [owner], owner }),
  })),
  fc.bigInt({ min: 0n, max: limitMax }).map((refill) => ({
    kind: "limit" as const,
    call: buildSetAllowance({ bouncer: account.bouncer, refill, periodSeconds: 86_400, startsAt: 0 }),
  })),
);

describe("a queue entry", () => {
  test("that the service itself builds is of its kind, and a violation as a delegatecall", () => {
    fc.assert(
      fc.property(known, ({ kind, call }) => {
        expect(classifyEntry(call, "CALL", policy)).toBe(kind);
        expect(classifyEntry(call, "DELEGATECALL", policy)).toBeNull();
      }),
    );
  });

  test("with any other selector, at any contract of the account or elsewhere, is a violation", () => {
    const target = fc.oneof(wallet, fc.constantFrom(...Object.values(account), ...Object.values(deployments)));
    const other = bytes(4).filter((selector) => !selectors.includes(selector));
    fc.assert(
      fc.property(
        target,
        other,
        bytes(64),
        fc.constantFrom("CALL" as const, "DELEGATECALL" as const),
        (to, selector, rest, operation) => {
          expect(classifyEntry({ to, value: 0n, data: concat([selector, rest]) }, operation, policy)).toBeNull();
        },
      ),
    );
  });

  const thief = getAddress("0x000000000000000000000000000000000000beef");
  const writer = getAddress("0x2222222222222222222222222222222222222222");
  const abi = parseAbi([
    "function writeModule(address)",
    "function writeOwner(address)",
    "function setFallbackHandler(address)",
  ]);
  const grant = (functionName: "writeModule" | "writeOwner" | "setFallbackHandler") =>
    encodeFunctionData({ abi, functionName, args: [thief] });
  const approve = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [thief, 1n] });
  test.each([
    ["an approval", "CALL", tokens.EURe.address, approve],
    ["a hidden module", "DELEGATECALL", writer, grant("writeModule")],
    ["a hidden owner", "DELEGATECALL", writer, grant("writeOwner")],
    ["a fallback handler", "CALL", safe, grant("setFallbackHandler")],
  ] as const)("that gives a thief power by %s is a violation", (_name, operation, to, data) => {
    expect(classifyEntry({ to, value: 0n, data }, operation, policy)).toBeNull();
  });

  test("with money or with bytes after its arguments is a violation", () => {
    const notNative = known.filter(({ kind }) => kind !== "native");
    fc.assert(
      fc.property(notNative, ({ call }) => {
        expect(classifyEntry({ ...call, value: 1n }, "CALL", policy)).toBeNull();
      }),
    );
    const transfer = buildTransfer({ token: tokens.EURe.address, to: safe, amount: 1n });
    expect(classifyEntry({ ...transfer, data: concat([transfer.data, "0x00"]) }, "CALL", policy)).toBeNull();
    expect(classifyEntry({ ...transfer, data: transfer.data.slice(0, -2) as Hex }, "CALL", policy)).toBeNull();
  });

  test("that calls the Delay module for anything but its owners is a violation", () => {
    const { data } = buildSkipExpired(account.delay);
    expect(classifyEntry({ to: account.delay, value: 0n, data }, "CALL", policy)).toBeNull();
  });

  test("in the form of a transfer at a contract of the account is a violation", () => {
    for (const to of [account.safe, account.roles, account.delay, account.bouncer]) {
      expect(classifyEntry({ ...buildTransfer({ token: to, to: safe, amount: 1n }) }, "CALL", policy)).toBeNull();
    }
  });

  test("that sets a limit above the maximum, for a shorter period, or at another Bouncer is a violation", () => {
    const limit = { bouncer: account.bouncer, refill: limitMax, periodSeconds: 86_400, startsAt: 0 };
    const kindOf = (change: Partial<typeof limit>) =>
      classifyEntry(buildSetAllowance({ ...limit, ...change }), "CALL", policy);
    expect(kindOf({})).toBe("limit");
    expect(kindOf({ refill: limitMax + 1n })).toBeNull();
    expect(kindOf({ periodSeconds: 86_399 })).toBeNull();
    expect(kindOf({ bouncer: account.roles })).toBeNull();
  });

  test("that sets balance, largest balance or refill of the limit alone above the maximum is a violation", () => {
    const kindOf = ([balance, maxRefill, refill]: readonly [bigint, bigint, bigint]) => {
      const args = [spendingAllowanceKey, balance, maxRefill, refill, 86_400n, 0n] as const;
      const data = encodeFunctionData({ abi: rolesAbi, functionName: "setAllowance", args });
      return classifyEntry({ to: account.bouncer, value: 0n, data }, "CALL", policy);
    };
    const above = limitMax + 1n;
    expect(kindOf([limitMax, limitMax, limitMax])).toBe("limit");
    expect(kindOf([above, limitMax, limitMax])).toBeNull();
    expect(kindOf([limitMax, above, limitMax])).toBeNull();
    expect(kindOf([limitMax, limitMax, above])).toBeNull();
  });

  test("that sets a limit with which the module cannot always calculate is a violation", () => {
    const kindOf = (maxRefill: bigint, refill: bigint, period: bigint, timestamp: bigint) => {
      const args = [spendingAllowanceKey, 1n, maxRefill, refill, period, timestamp] as const;
      const data = encodeFunctionData({ abi: rolesAbi, functionName: "setAllowance", args });
      return classifyEntry({ to: account.bouncer, value: 0n, data }, "CALL", policy);
    };
    const end = 2n ** 63n;
    expect(kindOf(1n, 1n, end - 1n, end - 1n)).toBe("limit");
    expect(kindOf(1n, 1n, end, 0n)).toBeNull();
    expect(kindOf(1n, 1n, 86_400n, end)).toBeNull();
    // A largest refill of 0 has no end, except where nothing is refilled.
    expect(kindOf(0n, 1n, 86_400n, 0n)).toBeNull();
    expect(kindOf(0n, 0n, 86_400n, 0n)).toBe("limit");
  });

  test("that sets the limit under another key than the card's is a violation", () => {
    const args = [`0x${"11".repeat(32)}`, 1n, 1n, 1n, 86_400n, 0n] as const;
    const data = encodeFunctionData({ abi: rolesAbi, functionName: "setAllowance", args });
    expect(classifyEntry({ to: account.bouncer, value: 0n, data }, "CALL", policy)).toBeNull();
  });

  test("that the operator allows is no violation, with its target, selector and operation alone", () => {
    const to = deployments.signMessageLib;
    const allowedCalls = [parseAllowedCall(`${to.toLowerCase()}:0x85a5affe:DELEGATECALL`)];
    const call = { to, value: 0n, data: concat(["0x85a5affe", "0x00"]) };
    expect(classifyEntry(call, "DELEGATECALL", { ...policy, allowedCalls })).toBe("allowed");
    expect(classifyEntry(call, "CALL", { ...policy, allowedCalls })).toBeNull();
    expect(classifyEntry({ ...call, to: safe }, "DELEGATECALL", { ...policy, allowedCalls })).toBeNull();
    expect(classifyEntry({ ...call, value: 1n }, "DELEGATECALL", { ...policy, allowedCalls })).toBeNull();
    expect(classifyEntry({ ...call, data: "0x85a5afff" }, "DELEGATECALL", { ...policy, allowedCalls })).toBeNull();
  });
});
