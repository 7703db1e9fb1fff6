import { describe, expect, test } from "bun:test";
import { findEaster, findNextBusinessDayEnd, isBusinessDay } from "@cardkeep/domain/core/businessDays";
import { findCreditDue, listGrounds } from "@cardkeep/domain/spending/disputes/unauthorizedPayment";

describe("the calendar of TARGET", () => {
  test("knows Easter of each year", () => {
    const days = [2024, 2025, 2026, 2027, 2038, 2049].map((year) => findEaster(year).toISOString().slice(0, 10));
    expect(days).toEqual(["2024-03-31", "2025-04-20", "2026-04-05", "2027-03-28", "2038-04-25", "2049-04-18"]);
  });

  test("closes on weekends and on its six holidays alone", () => {
    const year = Array.from({ length: 365 }, (_, day) => new Date(Date.UTC(2026, 0, 1 + day)));
    const holidays = year.filter((day) => !isBusinessDay(day) && day.getUTCDay() % 6 !== 0);
    expect(holidays.map((day) => day.toISOString().slice(0, 10))).toEqual([
      "2026-01-01",
      "2026-04-03",
      "2026-04-06",
      "2026-05-01",
      "2026-12-25",
    ]);
  });

  test.each([
    ["a working day", "2026-11-25T23:59:59Z", "2026-11-26T16:00:00Z"],
    ["a Friday", "2026-11-27T08:00:00Z", "2026-11-30T16:00:00Z"],
    ["the Thursday before Easter", "2026-04-02T12:00:00Z", "2026-04-07T16:00:00Z"],
    ["Christmas Eve before a weekend", "2026-12-24T12:00:00Z", "2026-12-28T16:00:00Z"],
    ["the last day of a year", "2026-12-31T12:00:00Z", "2027-01-04T16:00:00Z"],
  ])("ends the next business day after %s", (_what, at, end) => {
    expect(findNextBusinessDayEnd(new Date(at))).toEqual(new Date(end));
  });
});

describe("the money of an unauthorized payment", () => {
  const debitedAt = new Date("2025-10-10T09:00:00Z");
  test.each([
    ["DE", "2025-10-11T09:00:00Z", "2025-10-13T16:00:00Z"],
    ["no", "2026-11-10T09:00:00Z", "2026-11-11T16:00:00Z"],
    ["DE", "2026-11-10T09:00:01Z", null],
    ["GB", "2025-10-11T09:00:00Z", null],
    ["CH", "2025-10-11T09:00:00Z", null],
    [null, "2025-10-11T09:00:00Z", null],
  ])("of a person in %s, reported at %s, is back by %s", (country, reportedAt, due) => {
    const found = findCreditDue({ country, debitedAt, reportedAt: new Date(reportedAt) });
    expect(found).toEqual(due === null ? null : new Date(due));
  });

  test("goes back at once unless there are grounds that an operator can state", () => {
    const plain = { threeDSecure: null, channel: "online" } as const;
    const none = { hasLost: false, isAboveBound: false };
    expect(listGrounds(plain, none)).toEqual([]);
    expect(listGrounds({ ...plain, threeDSecure: "failed" }, none)).toEqual([]);
    expect(listGrounds({ ...plain, channel: "contactless" }, none)).toEqual([]);
    expect(listGrounds({ ...plain, threeDSecure: "authenticated" }, none)).toHaveLength(1);
    expect(listGrounds({ ...plain, channel: "chip" }, none)).toHaveLength(1);
    expect(listGrounds({ ...plain, channel: "cash_machine" }, { hasLost: true, isAboveBound: true })).toHaveLength(3);
  });
});
