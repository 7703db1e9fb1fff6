import { describe, expect, test } from "bun:test";
import { findExpiry, isHoldOver } from "@cardkeep/domain/spending/payments/holdEnd";
import type { Clearing, ThreadReport } from "@cardkeep/providers/issuer/spending";

const rules = { holdDays: 7, holdTravelDays: 31 };
const day = 86_400_000;
const [shop, hotel] = ["5411", "7011"];
const [createdAt, capture] = [new Date(0), { kind: "capture", amountCents: 1n } as Clearing];
const refund: Clearing = { ...capture, kind: "refund" };

/** Whether a hold is over after so many milliseconds. */
function isOverAfter(
  ms: number,
  mcc: string,
  { status = "closed", clearings = [] }: { status?: "pending" | "closed" | "reversed"; clearings?: Clearing[] } = {},
): boolean {
  const authorization = { isApproved: true, status, amountCents: 1n, requests: [], reason: null } as const;
  const report: Pick<ThreadReport, "authorization" | "clearings"> = { authorization, clearings };
  return isHoldOver(rules, { now: new Date(ms) }, { mcc, createdAt }, report);
}

describe("a hold that the issuer closed without a capture", () => {
  test("ends with its last day, which is later where people travel", () => {
    expect([isOverAfter(7 * day - 1, shop), isOverAfter(7 * day, shop)]).toEqual([false, true]);
    expect([isOverAfter(31 * day - 1, hotel), isOverAfter(31 * day, hotel)]).toEqual([false, true]);
  });

  test("ends with its last day also where the merchant refunded some", () => {
    const clearings = [refund];
    const after = [7 * day - 1, 7 * day].map((ms) => isOverAfter(ms, shop, { clearings }));
    expect(after).toEqual([false, true]);
    expect(isOverAfter(7 * day, shop, { clearings: [refund, capture] })).toBe(false);
  });

  test("does not end while the issuer keeps it open, however old it is, nor once it was captured", () => {
    expect(isOverAfter(400 * day, shop, { status: "pending" })).toBe(false);
    expect(isOverAfter(400 * day, shop, { clearings: [capture] })).toBe(false);
  });
});

describe("an authorization that the issuer reports as reversed", () => {
  const now = new Date(day);
  const authorization = { isApproved: true, status: "reversed", amountCents: 0n, requests: [], reason: null } as const;
  const expiryOf = (status: "AUTHORIZED" | "EXPIRED") =>
    findExpiry(rules, { now }, { status, mcc: shop, createdAt, expiredAt: null }, { authorization, clearings: [] });

  test("has expired where its hold ended here before, for there it stays expired; else it is reversed alone", () => {
    expect([expiryOf("EXPIRED"), expiryOf("AUTHORIZED")]).toEqual([now, null]);
  });
});
