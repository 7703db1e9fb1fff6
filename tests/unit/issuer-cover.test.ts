import { isBusinessDay } from "@cardkeep/domain/core/businessDays";
import { countTransferHours, findArrival } from "@cardkeep/domain/treasury/issuerMoney/findArrival";
import { coverHoursMax, forecastCover } from "@cardkeep/domain/treasury/issuerMoney/forecastCover";
import { describe, expect, test } from "bun:test";

const at = (text: string) => new Date(`${text}:00Z`);

describe("a bank transfer to the issuer", () => {
  test("takes a bank day, over weekends and the holidays of TARGET", () => {
    // Source: ecb.europa.eu, TARGET closing days of 2026 and 2027.
    const closed = ["2026-01-01", "2026-04-03", "2026-04-06", "2026-05-01", "2026-12-25", "2027-03-26", "2027-03-29"];
    for (const day of closed) expect([day, isBusinessDay(at(`${day}T10:00`))]).toEqual([day, false]);
    for (const day of ["2026-04-02", "2026-04-07", "2026-12-24", "2026-12-28", "2026-11-26"])
      expect([day, isBusinessDay(at(`${day}T10:00`))]).toEqual([day, true]);
    expect(findArrival(at("2026-11-26T10:00"))).toEqual(at("2026-11-27T12:00"));
    expect(findArrival(at("2026-11-26T15:00"))).toEqual(at("2026-11-30T12:00"));
    expect(findArrival(at("2026-11-27T10:00"))).toEqual(at("2026-11-30T12:00"));
    expect(findArrival(at("2026-04-02T16:00"))).toEqual(at("2026-04-08T12:00"));
    expect(countTransferHours(at("2026-11-26T10:30"))).toBe(26);
  });

  test("never arrives on a closed day, nor before a day of it, from any instant of four years", () => {
    for (let hour = 0; hour < 4 * 366 * 24; hour += 7) {
      const now = new Date(Date.UTC(2026, 0, 1, hour));
      const arrival = findArrival(now);
      if (!isBusinessDay(arrival) || arrival.getTime() - now.getTime() < 20 * 3_600_000)
        throw new Error(`${now.toISOString()} arrives at ${arrival.toISOString()}`);
    }
  });
});

describe("the forecast of the balance at the issuer", () => {
  const now = at("2026-11-26T10:15");
  const even = Array.from({ length: 168 }, () => 100n);
  const cover = (balanceCents: bigint, week = even, arrivals: { at: Date; cents: bigint }[] = []) =>
    forecastCover({ balanceCents, week, arrivals, now });

  test("ends when the spending of the week has used it up, and what is on its way counts from its arrival", () => {
    expect([cover(0n), cover(-5n), cover(100n), cover(1_000n), cover(1_001n)]).toEqual([0, 0, 0, 9, 10]);
    expect(cover(1_000n, [])).toBeNull();
    expect(cover(BigInt(coverHoursMax) * 100n + 1n)).toBeNull();
    expect(cover(500n, even, [{ at: new Date(now.getTime() + 3 * 3_600_000), cents: 500n }])).toBe(9);
    expect(cover(500n, even, [{ at: new Date(now.getTime() + 9 * 3_600_000), cents: 500n }])).toBe(4);
    // Announced long ago, and still not there: it counts as due now.
    expect(cover(500n, even, [{ at: new Date(now.getTime() - 9 * 3_600_000), cents: 500n }])).toBe(9);
  });

  test("follows the pattern of the week: a quiet night lasts, a Saturday does not", () => {
    const saturday = even.map((_, slot) => (slot >= 120 && slot < 144 ? 1_000n : 1n));
    // From Thursday 10:00 on it is 38 hours until Saturday.
    expect(cover(1_500n, saturday)).toBe(39);
  });

  test("more money never lasts shorter, and more spending never longer", () => {
    let seed = 7;
    const next = (max: number) => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) % max;
    const hours = (found: number | null) => found ?? coverHoursMax + 1;
    for (let round = 0; round < 300; round++) {
      const week = even.map(() => BigInt(next(50)));
      const balance = BigInt(next(8_000));
      const known = hours(cover(balance, week));
      expect(hours(cover(balance + BigInt(next(900)), week))).toBeGreaterThanOrEqual(known);
      expect(
        hours(
          cover(
            balance,
            week.map((cents) => cents + BigInt(next(9))),
          ),
        ),
      ).toBeLessThanOrEqual(known);
    }
  });
});
