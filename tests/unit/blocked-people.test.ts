import { describe, expect, test } from "bun:test";
import type { Standing } from "@cardkeep/db/queries/cards/cardholders";
import { computePauseMs } from "@cardkeep/domain/core/cardholders/mirrorCardholders";
import { findBlock } from "@cardkeep/domain/core/cardholders/findBlock";

const standing: Standing = {
  userId: "user",
  isStopped: false,
  isUserActive: true,
  isKycApproved: true,
  isRisky: false,
  isChanged: false,
  debts: [],
  waitingCents: 0n,
  matchedCents: 0n,
};
const cent = 10n ** 16n;
const blockOf = (change: Partial<Standing>) => findBlock({ ...standing, ...change }, { unpaidCentsMax: 5_000n });

describe("a person is inactive at the issuer", () => {
  test("for the first reason that holds, and not without one", () => {
    expect(blockOf({})).toBeNull();
    expect(blockOf({ isStopped: true, isUserActive: false })).toBe("payments_stopped");
    expect(blockOf({ isUserActive: false, isKycApproved: false })).toBe("user_deactivated");
    expect(blockOf({ isKycApproved: false, isChanged: true })).toBe("kyc_not_approved");
    expect(blockOf({ isRisky: true, isChanged: true })).toBe("risk_incompatible");
    expect(blockOf({ isChanged: true, waitingCents: 5_000n })).toBe("account_changed");
  });

  test("from the bound on, for what is owed in all tokens, each rounded up, what was captured twice, and holds that ended beside a capture", () => {
    const owing = (...debts: Standing["debts"]) => ({ debts });
    const [euros, dollars] = [
      { tokenSymbol: "EURe", owed: 2_499n * cent + 1n } as const,
      { tokenSymbol: "USDCe", owed: 24_990_001n } as const,
    ];
    expect(blockOf(owing({ tokenSymbol: "EURe", owed: 4_999n * cent }))).toBeNull();
    expect(blockOf(owing(euros, dollars))).toBe("account_owes");
    expect(blockOf({ waitingCents: 4_999n })).toBeNull();
    expect(blockOf({ waitingCents: 5_000n })).toBe("captures_in_question");
    expect(blockOf({ ...owing(euros), waitingCents: 2_500n })).toBe("account_owes");
    expect(blockOf({ ...owing(euros), waitingCents: 2_499n })).toBeNull();
    expect(blockOf({ waitingCents: 2_500n, matchedCents: 2_500n })).toBe("captures_in_question");
    expect(blockOf({ waitingCents: 2_500n, matchedCents: 2_499n })).toBeNull();
  });
});

test("no second has more calls about people than the issuer takes, and fewer wait for nothing", () => {
  const pause = (calls: number, tookMs: number) => computePauseMs({ issuerCallsPerSecond: 5 }, { calls, tookMs });
  expect([pause(5, 0), pause(5, 400), pause(5, 1_000), pause(5, 5_000), pause(4, 0)]).toEqual([1_000, 600, 0, 0, 0]);
});
