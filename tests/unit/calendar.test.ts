import { expect, spyOn, test } from "bun:test";
import {
  closeOfMonth,
  dayOf,
  findStatedAt,
  monthOf,
  nextDay,
  nextMonth,
  startOfDay,
  startOfMonth,
} from "@cardkeep/domain/core/calendar";
import fc from "fast-check";

const zones = [
  "UTC",
  "Europe/Berlin",
  "America/Sao_Paulo",
  "America/Santiago",
  "Asia/Kathmandu",
  "Pacific/Auckland",
  "Africa/Casablanca",
];
const instants = fc.date({
  min: new Date("2020-01-01T00:00:00Z"),
  max: new Date("2030-12-31T00:00:00Z"),
  noInvalidDate: true,
});

test("every instant is in the day and the month between their starts, in every zone", () => {
  fc.assert(
    fc.property(instants, fc.constantFrom(...zones), (at, zone) => {
      const [day, month] = [dayOf(at, zone), monthOf(at, zone)];
      expect(startOfDay(day, zone) <= at && at < startOfDay(nextDay(day), zone)).toBe(true);
      expect(startOfMonth(month, zone) <= at && at < startOfMonth(nextMonth(month), zone)).toBe(true);
    }),
  );
});

test("midnight follows the zone's clocks, also where they change", () => {
  expect(startOfDay("2026-03-29", "Europe/Berlin").toISOString()).toBe("2026-03-28T23:00:00.000Z");
  expect(startOfDay("2026-03-30", "Europe/Berlin").toISOString()).toBe("2026-03-29T22:00:00.000Z");
  expect(startOfDay("2026-01-01", "Asia/Kathmandu").toISOString()).toBe("2025-12-31T18:15:00.000Z");
  expect(nextMonth("2026-12")).toBe("2027-01");
});

test.each([
  ["America/Santiago", "2026-09-06", "2026-09-06T04:00:00.000Z"],
  ["America/Havana", "2026-03-08", "2026-03-08T05:00:00.000Z"],
  ["Atlantic/Azores", "2027-03-28", "2027-03-28T01:00:00.000Z"],
  ["Africa/Cairo", "2026-04-24", "2026-04-23T22:00:00.000Z"],
  ["Asia/Beirut", "2026-03-29", "2026-03-28T22:00:00.000Z"],
])("where clocks of %s skip midnight, %s begins at the first instant behind", (zone, day, start) => {
  const at = startOfDay(day, zone);
  expect(at.toISOString()).toBe(start);
  expect([dayOf(at, zone), dayOf(new Date(at.getTime() - 1), zone) < day]).toEqual([day, true]);
});

test("what was recorded after the close of its month counts when it was recorded", () => {
  const at = new Date("2026-11-30T22:30:00Z");
  const close = closeOfMonth("2026-11", "Europe/Berlin");
  expect(close.toISOString()).toBe("2026-12-01T00:00:00.000Z");
  expect(findStatedAt(at, new Date(close.getTime() - 1), "Europe/Berlin")).toEqual(at);
  expect(findStatedAt(at, close, "Europe/Berlin")).toEqual(close);
});

test("days of many instants take one format of their zone", () => {
  const made = spyOn(Intl, "DateTimeFormat");
  const zone = "Pacific/Chatham";
  const days = new Set(Array.from({ length: 500 }, (_, hour) => dayOf(new Date(hour * 3_600_000), zone)));
  expect([days.size, made.mock.calls.filter(([, options]) => options?.timeZone === zone).length]).toEqual([22, 1]);
  made.mockRestore();
});
