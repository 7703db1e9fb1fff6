import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { describeChange, listComparable } from "../bench/change.ts";

const pairsOf = (...pairs: [number, number][]) => pairs.map(([before, after]) => ({ before, after }));

describe("a comparison of two trees", () => {
  test("calls a rate better where every pair shows more, and a time worse where every pair shows more", () => {
    const more = pairsOf([100, 120], [90, 110], [110, 121], [100, 118], [95, 115]);
    expect(describeChange("read.rest", "req/s", more)).toMatchObject({ before: 100, after: 118, verdict: "better" });
    expect(describeChange("start.warm", "s", more).verdict).toBe("worse");
  });

  test("calls it no change where one pair disagrees, or where all agree on less than 2 %", () => {
    const disagree = pairsOf([100, 120], [100, 120], [100, 120], [100, 120], [100, 99]);
    expect(describeChange("read.rest", "req/s", disagree).verdict).toBe("no change beyond the spread");
    const little = pairsOf([100, 101], [100, 101], [100, 101], [100, 101], [100, 101]);
    expect(describeChange("read.rest", "req/s", little).verdict).toBe("no change beyond the spread");
  });

  test("does not judge fewer than five pairs", () => {
    const four = pairsOf([1, 2], [1, 2], [1, 2], [1, 2]);
    expect(describeChange("read.rest", "req/s", four).verdict).toBe("too few pairs");
  });

  test("takes less than a megabyte or a block for nothing, also where memory shrank", () => {
    const shrunk = pairsOf([0.2, -3], [0.9, 0.1], [-1, -2], [0.5, 0], [0, 0]);
    expect(describeChange("memory.read", "MB", shrunk)).toMatchObject({ factor: 1, spread: [1, 1] });
  });

  test("gives the opposite verdict for the opposite order of trees", () => {
    const figure = fc.double({ min: 0.01, max: 1e6, noNaN: true });
    const opposite = { better: "worse", worse: "better" } as const;
    fc.assert(
      fc.property(fc.array(fc.record({ before: figure, after: figure }), { minLength: 5 }), (pairs) => {
        const there = describeChange("read.rest", "req/s", pairs);
        const back = describeChange(
          "read.rest",
          "req/s",
          pairs.map(({ before, after }) => ({ before: after, after: before })),
        );
        const { verdict } = there;
        // The median of an even number of factors is no exact inverse, so a change of about 2 % may fall on either side.
        if (Math.abs(Math.abs(Math.log(there.factor)) - Math.log(1.02)) < 0.01) return;
        expect(back.verdict).toBe(verdict === "better" || verdict === "worse" ? opposite[verdict] : verdict);
      }),
    );
  });
});

test("a rate's 99th percentile is a figure of its own, in milliseconds", () => {
  const measure = {
    name: "read.rest",
    ratio: 1,
    value: 5,
    unit: "req/s",
    baseline: 5,
    spread: [1, 1],
    target: null,
    met: null,
  } as const;
  expect(listComparable({ ...measure, p50: 1, p99: 9 })).toEqual([
    { name: "read.rest", value: 5, unit: "req/s" },
    { name: "read.rest p99", value: 9, unit: "ms" },
  ]);
  expect(listComparable(measure)).toHaveLength(1);
});
