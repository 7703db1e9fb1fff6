import { describe, expect, test } from "bun:test";
import type { SpendingState } from "@cardkeep/chain/accountState";
import type { CardTransfer } from "@cardkeep/db/queries/spending/transfers";
import { checkFreshness, silenceSecondsMax } from "@cardkeep/domain/spending/decision/checkFreshness";
import { checkAccount, computePart } from "@cardkeep/domain/spending/decision/decideAmount";
import {
  chainTargetOf,
  computeMove,
  computeRefundMax,
  sumProved,
  sumTransfers,
} from "@cardkeep/domain/spending/payments/debtAmounts";

type Movement = Pick<CardTransfer, "direction" | "amount" | "status" | "isByHand">;
const spend = (amount: bigint, status: Movement["status"]): Movement => {
  return { direction: "spend", amount, status, isByHand: false };
};
const byHand = (amount: bigint, status: Movement["status"]): Movement => {
  return { direction: "return", amount, status, isByHand: true };
};

describe("what has left a Safe", () => {
  test("is proved by transfers that are done alone; open ones are on their way, and failed ones are neither", () => {
    const transfers = [spend(100n, "DONE"), spend(20n, "SIGNED"), spend(3n, "PLANNED"), spend(7n, "FAILED")];
    expect([sumProved(transfers), sumTransfers(transfers)]).toEqual([100n, 123n]);
  });

  test("is aimed at without what was set off, credited or returned by hand, but for a return that failed", () => {
    const target = { target: 100n, setOff: 20n, credit: 5n, writtenOff: 0n };
    expect(chainTargetOf(target, [])).toBe(75n);
    expect(chainTargetOf(target, [byHand(30n, "SIGNED")])).toBe(45n);
    expect(chainTargetOf(target, [byHand(30n, "FAILED")])).toBe(75n);
    expect(chainTargetOf({ ...target, setOff: 0n }, [byHand(98n, "DONE")])).toBe(0n);
  });

  test("is not spent again after a failed spend: a collection finds the money first", () => {
    expect(computeMove(100n, [])).toEqual({ direction: "spend", amount: 100n });
    expect(computeMove(100n, [spend(100n, "FAILED")])).toBeNull();
  });

  test("is returned by hand up to what was moved and the issuer still claims, and not while a transfer is open", () => {
    const payment = { target: 100n, credit: 0n };
    expect(computeRefundMax(payment, [spend(40n, "DONE"), spend(60n, "FAILED")])).toBe(40n);
    expect(computeRefundMax(payment, [spend(100n, "DONE"), byHand(30n, "DONE")])).toBe(70n);
    // The issuer took half back, and its return is not planned yet.
    expect(computeRefundMax({ ...payment, target: 50n }, [spend(100n, "DONE"), byHand(30n, "DONE")])).toBe(20n);
    for (const status of ["PLANNED", "SIGNED"] as const)
      expect(computeRefundMax(payment, [spend(100n, "DONE"), byHand(30n, status)])).toBeNull();
  });
});

describe("a decision", () => {
  const at = (seconds: number) => new Date(seconds * 1000);
  const cooldown = { cooldownSeconds: 180 };

  test("is declined once the chain, or a hold, is silent for more than a third of the cooldown", () => {
    const reasonOf = (chainAt: Date, oldestHoldAt: Date | null = null) =>
      checkFreshness(at(1_000), { chainAt, oldestHoldAt }, cooldown)?.reason ?? null;
    expect([reasonOf(at(1_000)), reasonOf(at(940)), reasonOf(at(939.999))]).toEqual([null, null, "chain_stale"]);
    expect([reasonOf(at(1_000), at(940)), reasonOf(at(1_000), at(939))]).toEqual([null, "chain_stale"]);
    expect([silenceSecondsMax(180), silenceSecondsMax(3)]).toEqual([60, 5]);
  });

  const state: SpendingState = {
    isWhole: true,
    balance: 100n,
    txNonce: 1n,
    queueNonce: 1n,
    allowance: { balance: 50n, refill: 350n, maxRefill: 350n, periodSeconds: 86_400n, timestamp: 1_000n },
    timestamp: 1_001,
    hasRun: [],
  };

  test("waits for a queued entry, also one that was checked", () => {
    const judge = (change: Partial<SpendingState>) =>
      checkAccount({ ...state, ...change }, { amount: 1n, held: 0n, checkedEntries: 2n })?.reason ?? null;
    expect(judge({ queueNonce: 2n, txNonce: 2n })).toBeNull();
    expect(judge({ queueNonce: 2n, txNonce: 1n })).toBe("account_paused");
  });

  test("gives a purchase the part that balance, limit and holds leave, from the least part on, and nothing else one", () => {
    const purchase = {
      isAmountControllable: true,
      amountCents: 500n,
      cashbackCents: 0n,
      transactionType: "00",
    } as const;
    const partOf = (change: Partial<SpendingState>, held = 0n, partMin = 1n) =>
      computePart({ ...state, ...change }, purchase, { held, partMin });
    expect([partOf({}), partOf({ balance: 30n }), partOf({ allowance: null })]).toEqual([50n, 30n, null]);
    expect([partOf({}, 20n), partOf({}, 50n), partOf({}, 20n, 30n), partOf({}, 20n, 31n)]).toEqual([
      30n,
      null,
      30n,
      null,
    ]);
    const ofOther = (change: Partial<Parameters<typeof computePart>[1]>) =>
      computePart(state, { ...purchase, ...change }, { held: 0n, partMin: 1n });
    expect(ofOther({ transactionType: "01" })).toBeNull();
    expect(ofOther({ cashbackCents: 100n })).toBeNull();
    expect(ofOther({ isAmountControllable: false })).toBeNull();
    expect(ofOther({ amountCents: 0n })).toBeNull();
  });
});
