import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { delayMachine } from "@cardkeep/contract/accounts/delays";
import { kycMachine } from "@cardkeep/contract/verification/kyc";
import { listStates, type Machine } from "@cardkeep/contract/core/machine";
import { machines } from "@cardkeep/contract/machines";
import { orderMachine } from "@cardkeep/contract/cards/orders";
import { paymentMachine } from "@cardkeep/contract/spending/spending";
import { drawAttempts } from "@cardkeep/html/pictures/attempts";
import { drawBalance } from "@cardkeep/html/pictures/balance";
import { drawBars } from "@cardkeep/html/pictures/bars";
import { countInBins } from "@cardkeep/html/pictures/bins";
import { formatLeft } from "@cardkeep/html/pictures/countdown";
import { renderMachineState } from "@cardkeep/html/pictures/machineState";
import { drawLine } from "@cardkeep/html/pictures/line";
import { findWay } from "@cardkeep/html/pictures/machineWay";
import { drawPaymentLine } from "@cardkeep/html/pictures/paymentLine";
import { heightPx } from "@cardkeep/html/pictures/picture";
import { drawQueue, renderQueueLegend } from "@cardkeep/html/pictures/queue";
import { chooseQueueRows, type QueueRow } from "@cardkeep/html/pictures/queueRows";
import { filled } from "../support/filled.ts";

const start = Date.UTC(2026, 0, 1);
const at = (seconds: number): Date => new Date(start + seconds * 1_000);

/** The left and the right end of everything that a picture draws, in percent of its width. */
const listEnds = (html: string): number[] => [
  ...[...html.matchAll(/ (?:x|x1|x2|cx)="(-?[\d.]+)%?"/g)].map(([, x]) => Number(x)),
  ...[...html.matchAll(/x="(-?[\d.]+)%" width="(-?[\d.]+)%"/g)].map(([, x, width]) => Number(x) + Number(width)),
];

/** Whether nothing of a picture is outside of it or of a negative width. */
const isWithin = (html: string): boolean => !/="[^"]*NaN/.test(html) && listEnds(html).every((x) => x >= 0 && x <= 100);

const queueRow = fc
  .record({
    id: fc.uuid(),
    label: fc.string({ maxLength: 400, unit: "binary" }),
    queueNonce: fc.option(fc.bigInt({ min: 0n, max: 10n ** 6n })),
    acceptedS: fc.integer({ min: 0, max: 1_000_000 }),
    // Seconds from each instant to the next; null where it never came.
    queuedS: fc.option(fc.integer({ min: 0, max: 600 })),
    endedS: fc.option(fc.integer({ min: 0, max: 10_000 })),
    isExecuted: fc.boolean(),
    isHead: fc.boolean(),
    reason: fc.option(fc.string()),
  })
  .map(({ acceptedS, queuedS, endedS, ...row }): QueueRow => {
    const queued = queuedS === null ? null : acceptedS + queuedS;
    return {
      ...row,
      acceptedAt: at(acceptedS),
      queuedAt: queued === null ? null : at(queued),
      readyAt: queued === null ? null : at(queued + 180),
      expiresAt: queued === null ? null : at(queued + 1_980),
      endedAt: endedS === null ? null : at(acceptedS + endedS),
    };
  });
const queueRows = fc.uniqueArray(queueRow, { maxLength: 200, selector: ({ id }) => id, size: "max" });
const words = { name: "queue", title: "Queue", summary: "Operations" };

test.each(["02:00", "2026-11", "2026-11-29"])(
  "labels like %s touch no other below bars and a line on a phone",
  (label) => {
    const format = String;
    for (const count of Array.from({ length: 48 }, (_, index) => index + 1)) {
      const bars = Array.from({ length: count }, () => ({ label, values: [1] }));
      const points = bars.map(() => ({ label, value: 1 }));
      for (const { html } of [
        drawBars({ ...words, series: [{ name: "One", tone: "good" }], bars, format }),
        drawLine({ ...words, points, tone: "good", format }),
      ]) {
        const labels = [...html.matchAll(/<text x="([\d.]+)%"[^>]* text-anchor="(\w+)"/g)];
        const ends = labels.map(([, x, anchor]) => {
          const from = Number(x) * 3 - (anchor === "middle" ? label.length * 3.25 : 0);
          return { from, to: from + label.length * 6.5 };
        });
        expect(ends.length).toBeGreaterThan(0);
        expect(ends.slice(1).every(({ from }, index) => from >= (ends[index]?.to ?? 0) + 6.5)).toBe(true);
      }
    }
  },
);

describe("the picture of a queue", () => {
  test("draws every operation once and within the picture, for any count, order and length of names", () => {
    fc.assert(
      fc.property(queueRows, fc.integer({ min: 0, max: 1_100_000 }), (rows, nowS) => {
        const { html } = drawQueue({ ...words, now: at(nowS), rows });
        expect(isWithin(html)).toBe(true);
        expect(html.match(/<g>/g)?.length ?? 0).toBe(rows.length);
        expect(html.match(/<circle/g)?.length ?? 0).toBe(rows.filter(({ endedAt }) => endedAt !== null).length);
        expect(html.match(/class="head"/g)?.length ?? 0).toBe(rows.filter(({ isHead }) => isHead).length);
      }),
      { numRuns: 30 },
    );
  });

  test("chooses all open operations before ended ones, and counts those that it leaves out", () => {
    fc.assert(
      fc.property(queueRows, fc.integer({ min: 1, max: 60 }), (rows, rowsMax) => {
        const { shown, open, left } = chooseQueueRows(rows, rowsMax);
        expect(shown.length + left).toBe(rows.length);
        expect(new Set(shown).size).toBe(shown.length);
        const openShown = shown.filter(({ endedAt }) => endedAt === null).length;
        expect(openShown).toBe(Math.min(open, rowsMax));
        expect(shown.length).toBeLessThanOrEqual(rowsMax);
        expect(shown.length > 0).toBe(rows.length > 0);
      }),
      { numRuns: 30 },
    );
  });

  test("shows how much of a cooldown has passed, counts the rest down, and names only the colours that it uses", () => {
    const row: QueueRow = {
      id: "one",
      label: "25 EURe to an address with a name that does not fit on a phone",
      queueNonce: 7n,
      acceptedAt: at(0),
      queuedAt: at(20),
      readyAt: at(200),
      expiresAt: at(2_000),
      endedAt: null,
      isExecuted: false,
      reason: null,
      isHead: true,
    };
    const { html } = drawQueue({ ...words, now: at(110), rows: [row] });
    const widths = [...html.matchAll(/class="tone-waiting( ahead)?" x="[\d.]+%" width="([\d.]+)%"/g)];
    expect(widths.map(([, ahead = " passed", width]) => [ahead.trim(), width])).toEqual([
      ["passed", "44.01"],
      ["ahead", "44.01"],
    ]);
    expect(html).toContain('<tspan data-left="90">1 min 30 s</tspan>');
    expect(html).toContain("#7 25 EURe to an addres…");
    const { html: legend } = renderQueueLegend([row], at(110));
    expect([...legend.matchAll(/">([^<]+)<\/li>/g)].map(([, name]) => name)).toEqual([
      "accepted, being queued",
      "cooling down",
      "now",
    ]);
  });
});

test("a countdown has two units, and never goes below zero", () => {
  expect([-5, 0, 59.4, 60, 3_599, 3_600, 90_000, 200_000].map(formatLeft)).toEqual([
    "0 s",
    "0 s",
    "59 s",
    "1 min",
    "59 min 59 s",
    "1 h",
    "1 d 1 h",
    "2 d 7 h",
  ]);
});

test("the picture of a balance draws every change once and within the picture, for any count", () => {
  const step = fc.record({
    at: fc.integer({ min: 0, max: 10_000_000 }).map(at),
    balance: fc.double({ min: 0, max: 1e12, noNaN: true }),
    change: fc.string({ maxLength: 200 }),
  });
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 200, size: "max" }),
      fc.integer({ min: 0, max: 11_000_000 }),
      (any, nowS) => {
        const steps = any.toSorted((one, other) => one.at.getTime() - other.at.getTime());
        const { html } = drawBalance({ ...words, steps, now: at(nowS), format: String });
        expect(isWithin(html)).toBe(true);
        expect(html.match(/class="held"/g)?.length ?? 0).toBe(steps.length);
        const ys = [...html.matchAll(/ (?:y|y1|y2)="([-\d.]+)"/g)].map(([, y]) => Number(y));
        expect(ys.every((y) => y >= 0 && y <= heightPx)).toBe(true);
        expect([...html.matchAll(/ height="([-\d.]+)"/g)].every(([, height]) => Number(height) >= 0)).toBe(true);
      },
    ),
    { numRuns: 20, examples: [[[{ at: at(0), balance: 2e-323, change: "" }], 0]] },
  );
});

test("the picture of a payment draws every step once, below each other, and each transfer as one branch", () => {
  const step = fc.record({
    at: fc.integer({ min: 0, max: 10_000_000 }).map(at),
    word: fc.oneof(fc.constantFrom("authorized", "held", "mined", "captured"), fc.string({ maxLength: 300 })),
    amount: fc.option(fc.string({ maxLength: 300 })),
    transfer: fc.option(fc.integer({ min: 1, max: 9 })),
    isBooking: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200, size: "max" }), (steps) => {
      const { html } = drawPaymentLine({ ...words, steps });
      expect(html).not.toMatch(/="[^"]*NaN/);
      expect(html.match(/<circle|<rect/g)?.length ?? 0).toBe(steps.length);
      const transfers = new Set(steps.flatMap(({ transfer }) => transfer ?? []));
      expect(html.match(/<path/g)?.length ?? 0).toBe(Math.min(transfers.size, 6));
      const ys = [...html.matchAll(/ (?:y|y1|y2|cy)="([-\d.]+)"/g)].map(([, y]) => Number(y));
      expect(ys.every((y) => y >= 0 && y <= steps.length * 38)).toBe(true);
      const xs = [...html.matchAll(/ (?:x|x1|x2|cx)="([-\d.]+)"/g)].map(([, x]) => Number(x));
      expect(xs.every((x) => x >= 0 && x < 130)).toBe(true);
    }),
    { numRuns: 20 },
  );
});

test("counts over time hold every outcome once, in at most so many spans of one length", () => {
  const outcome = fc.record({ at: fc.integer({ min: 0, max: 100_000_000 }).map(at), isGood: fc.boolean() });
  fc.assert(
    fc.property(
      fc.array(outcome, { maxLength: 200, size: "max" }),
      fc.integer({ min: 1, max: 40 }),
      (outcomes, binsMax) => {
        const bins = countInBins(outcomes, binsMax);
        expect(bins.length).toBeLessThanOrEqual(binsMax);
        expect(bins.reduce((sum, { good, bad }) => sum + good + bad, 0)).toBe(outcomes.length);
        expect(bins.reduce((sum, { good }) => sum + good, 0)).toBe(outcomes.filter(({ isGood }) => isGood).length);
        const lengths = new Set(bins.slice(1).map(({ from }, index) => from.getTime() - Number(bins[index]?.from)));
        expect(lengths.size).toBeLessThanOrEqual(1);
      },
    ),
    { numRuns: 30 },
  );
});

test("the picture of a delivery draws every attempt once and within the picture, and counts down to the next", () => {
  const attempt = fc.record({
    at: fc.integer({ min: 0, max: 1_000_000 }).map(at),
    isGood: fc.boolean(),
    answer: fc.string({ maxLength: 300 }),
  });
  const attempts = fc.array(attempt, { maxLength: 200, size: "max" });
  fc.assert(
    fc.property(attempts, fc.option(fc.integer({ min: 0, max: 2_000_000 })), (drawn, nextS) => {
      const next = nextS === null ? null : at(nextS);
      const { html } = drawAttempts({ ...words, createdAt: at(0), attempts: drawn, next, now: at(0) });
      expect(isWithin(html.replaceAll(/ (x|cx|x1|x2)="\d+"/g, ""))).toBe(true);
      expect(html.match(/<circle/g)?.length ?? 0).toBe(drawn.length + (next ? 1 : 0));
      expect(html.includes("data-left")).toBe(next !== null);
    }),
    { numRuns: 20 },
  );
});

describe("the picture of a state machine", () => {
  test("lights the present state once in every state of every machine, and never one that it does not have", async () => {
    for (const machine of machines) {
      for (const current of filled(listStates(machine))) {
        const { html } = await renderMachineState({ machine, title: "Thing", current });
        expect(html.match(/state\d+ is-now/g)).toHaveLength(1);
        expect(html.match(/(state|move)\d+ is-(now|passed|next|open|out)"/g)).toHaveLength(
          listStates(machine).length + machine.transitions.filter(({ to }) => to !== "any").length,
        );
        expect(html).toContain(`<title>Thing: ${current}</title>`);
        expect(html.match(/<title>/g)).toHaveLength(1);
        expect(html).not.toContain(" id=");
      }
      const unknown = await renderMachineState({ machine, title: "Thing", current: "<b>" });
      expect(unknown.html).not.toMatch(/state\d+ is-now/);
      expect(unknown.html).toContain("Thing: &lt;b&gt;");
    }
  });

  test("claims only what holds on every way to the present state, or what the history knows", () => {
    const wayOf = (machine: Machine, current: string, history: readonly string[] = []) => {
      const past = history.map((state) => ({ state, at: null }));
      const { passed, passedMoves, reachable, next } = findWay(machine, current, past);
      return [passed, passedMoves, reachable, next].map((set) => [...set].toSorted().join(" "));
    };
    // A free order and a paid one come to READY by different moves.
    expect(wayOf(orderMachine, "READY")).toEqual(["PENDINGTRANSACTION READY", "", "CANCELLED CARDCREATED", "10 6"]);
    expect(wayOf(orderMachine, "CONFIRMATIONREQUIRED")).toEqual([
      "CONFIRMATIONREQUIRED PENDINGTRANSACTION TRANSACTIONCOMPLETE",
      "2 4",
      "CANCELLED CARDCREATED READY",
      "5 9",
    ]);
    expect(wayOf(kycMachine, "approved")[0]).toBe("approved notStarted");
    // Our own execution may have been between.
    expect(wayOf(delayMachine, "EXECUTED", ["QUEUING", "WAITING"])).toEqual(["EXECUTED QUEUING WAITING", "1", "", ""]);
    expect(wayOf(delayMachine, "EXECUTED", ["EXECUTING"])[1]).toBe("1 2 4");
    // It may begin there, so nothing before it is certain.
    expect(wayOf(paymentMachine, "AUTHORIZED")[0]).toBe("AUTHORIZED");
  });
});
