import { formatDuration, formatOffset, formatRelative } from "@cardkeep/contract/core/durations";
import { renderRelativeTime, renderTime, renderTimeOfDay } from "@cardkeep/html/time";
import { describe, expect, test } from "bun:test";
import fc from "fast-check";

describe("a span of time", () => {
  test("shows its two largest units, rounded down, and none that is zero", () => {
    const shown = [0, 0.9, 45, 60, 181, 3_600, 8_045, 86_399, 86_400, 90_061, 34_560_000].map(formatDuration);
    expect(shown.join(", ")).toBe(
      "0 s, 0 s, 45 s, 1 min, 3 min 1 s, 1 h, 2 h 14 min, 23 h 59 min, 1 d, 1 d 1 h, 400 d",
    );
  });

  test("is never shown longer than it is, and never short by a whole second unit", () => {
    const sizes: Record<string, number> = { d: 86_400, h: 3_600, min: 60, s: 1 };
    fc.assert(
      fc.property(fc.nat(40_000_000), (seconds) => {
        const parts = [...formatDuration(seconds).matchAll(/(\d+) (\w+)/g)];
        const shown = parts.reduce((sum, [, count, unit = ""]) => sum + Number(count) * (sizes[unit] ?? NaN), 0);
        expect(parts.length).toBeWithin(1, 3);
        expect(seconds - shown).toBeWithin(0, 3_600);
      }),
      { numRuns: 200 },
    );
  });

  test("has a sign where it is the offset of a clock", () => {
    expect([0, 0.4, 8_045, -8_045].map(formatOffset)).toEqual(["+0 s", "+0 s", "+2 h 14 min", "-2 h 14 min"]);
  });
});

describe("an instant", () => {
  const now = new Date("2026-11-22T14:02:11.345Z");
  const after = (seconds: number) => new Date(now.getTime() + seconds * 1000);

  test("is seen from another of the same clock, ahead and behind", () => {
    const shown = [0.5, 2, 120, -300, 86_400 * 3, -0.5].map((seconds) => formatRelative(after(seconds), now));
    expect(shown).toEqual(["now", "in 2 s", "in 2 min", "5 min ago", "in 3 d", "now"]);
  });

  test("is shown in UTC to the second, with the whole of it for programs", () => {
    expect(renderTime(now).html).toBe(
      '<time datetime="2026-11-22T14:02:11.345Z" title="2026-11-22 14:02:11 UTC">2026-11-22 14:02:11</time>',
    );
    expect(renderTimeOfDay(now).html).toContain(">14:02:11</time>");
    expect(renderRelativeTime(after(120), now).html).toContain('title="2026-11-22 14:04:11 UTC">in 2 min</time>');
    expect([renderTime(null).html, renderRelativeTime(null, now).html]).toEqual(
      Array(2).fill('<span class="none">–</span>'),
    );
  });
});
