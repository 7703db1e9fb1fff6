import { describe, expect, test } from "bun:test";
import { deployments } from "@cardkeep/chain/deployments";
import { buildRemoveOwner, findOwnerChange, isDestination, isSuitableOwner, isWallet } from "@cardkeep/chain/owners";
import { predictModules } from "@cardkeep/chain/predictAccount";
import { tokens } from "@cardkeep/chain/tokens";
import { getAddress, numberToHex, zeroAddress } from "viem";

const safe = getAddress("0x1111111111111111111111111111111111111111");
const account = { safe, ...predictModules(safe) };
const wallet = getAddress("0x4444444444444444444444444444444444444444");
const low = (value: number) => getAddress(numberToHex(value, { size: 20 }));
const shared = [...Object.values(deployments), ...Object.values(tokens).map(({ address }) => address)];

describe("an address without a person's key", () => {
  test("is no wallet: zero, precompiles, and contracts that all accounts share", () => {
    expect(isWallet(wallet)).toBe(true);
    expect(shared.length).toBeGreaterThan(10);
    for (const address of [zeroAddress, low(1), low(0x100), low(0x1ff), ...shared])
      expect([address, isWallet(address), isDestination(address, account), isSuitableOwner(address, account)]).toEqual([
        address,
        false,
        false,
        false,
      ]);
  });

  test("gets no money and becomes no owner where it is a part of the account", () => {
    for (const address of Object.values(account)) {
      expect([isDestination(address, account), isSuitableOwner(address, account)]).toEqual([false, false]);
    }
    expect([isDestination(wallet, account), isSuitableOwner(wallet, account)]).toEqual([true, true]);
  });

  test("becomes no owner below 0x10000, where contracts of chains and the Safe's dead owner are", () => {
    for (const value of [0x200, 0xdead, 0xffff])
      expect([value, isSuitableOwner(low(value), account)]).toEqual([value, false]);
    expect(isSuitableOwner(low(0x10000), account)).toBe(true);
  });
});

test("a removal names the owner before the removed one, and is read as such", () => {
  const owners = [wallet, low(0x20000), low(0x30000)];
  const { delay } = account;
  for (const [index, owner] of owners.entries()) {
    const call = buildRemoveOwner({ delay, owners, owner });
    expect(findOwnerChange(call, delay)).toEqual({ kind: "remove", owner });
    const previous = owners[index - 1] ?? low(1);
    expect(call.data.toLowerCase()).toContain(previous.slice(2).toLowerCase());
    expect(findOwnerChange(call, safe)).toBeNull();
  }
  expect(() => buildRemoveOwner({ delay, owners, owner: safe })).toThrow("is not an owner");
});
