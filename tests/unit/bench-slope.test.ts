import { expect, test } from "bun:test";
import fc from "fast-check";
import { fitSlope, type Point } from "../bench/endurance/slope.ts";

const count = 720;
const teeth = fc.record({
  perHour: fc.double({ min: -50, max: 50, noNaN: true }),
  /** How far the figure rises between two collections. */
  height: fc.double({ min: 0, max: 100, noNaN: true }),
  /** Samples from one collection to the next; a window holds 24. */
  every: fc.integer({ min: 2, max: 20 }),
});

/** An hour of samples whose lows lie on a line. */
const draw = ({ perHour, height, every }: { perHour: number; height: number; every: number }): Point[] =>
  Array.from({ length: count }, (_, index) => {
    const hours = index / count;
    return [hours, 200 + perHour * hours + (height * (index % every)) / every];
  });

test("the slope under saw teeth is that of their lows, and its interval holds it", () => {
  fc.assert(
    fc.property(teeth, (saw) => {
      const { perHour, interval } = fitSlope(draw(saw));
      expect(Math.abs(perHour - saw.perHour)).toBeLessThan(0.01 + Math.abs(saw.perHour) * 0.1);
      expect(interval[0]).toBeLessThanOrEqual(perHour);
      expect(interval[1]).toBeGreaterThanOrEqual(perHour);
    }),
  );
});

test("a single jump does not move the slope, and four windows have no interval", () => {
  const flat = draw({ perHour: 0, height: 10, every: 5 });
  const jumped = flat.map(([hours, value]): Point => [hours, hours > 0.5 && hours < 0.6 ? value + 80 : value]);
  expect(Math.abs(fitSlope(jumped).perHour)).toBeLessThan(0.01);
  expect(fitSlope(flat, 4).interval).toEqual([Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]);
});
