import { describe, expect, test } from "bun:test";
import { createColors, plainColors } from "@cardkeep/terminal/colors";
import { createLinks } from "@cardkeep/terminal/links";
import { createProgress } from "@cardkeep/terminal/progress";
import { renderActivity } from "@cardkeep/terminal/progressText";
import { findSimilar, suggest } from "@cardkeep/terminal/suggestion";
import { PassThrough } from "node:stream";

/** A stream that keeps what is written, and says that it is a terminal if `columns` are given. */
function createStream(columns?: number) {
  const written: string[] = [];
  const write = (text: string) => written.push(text) > 0;
  return { written, stream: { write, isTTY: columns !== undefined, ...(columns !== undefined && { columns }) } };
}

describe("an unknown word is compared with the known ones:", () => {
  const known = ["list", "show", "deactivate", "activate", "CANCELLED", "card.transaction.created"];

  test.each([
    ["lst", "list"],
    ["LIST", "list"],
    ["deact", "deactivate"],
    ["activte", "activate"],
    ["canceled", "CANCELLED"],
    ["card.transaction.create", "card.transaction.created"],
  ])("%s may be %s", (given, meant) => expect(findSimilar(given, known)).toBe(meant));

  test.each(["x", "", "toString", "elephant"])("%p is like none", (given) => {
    expect([findSimilar(given, known), suggest(given, known)]).toEqual([null, ""]);
  });
});

describe("progress", () => {
  test("of a known number is a bar with its count, and of an unknown one a turning sign with the seconds", () => {
    const activity = { what: "deploys the contracts", elapsedMs: 3_400 };
    expect(renderActivity({ ...activity, count: { done: 12, total: 48 } }, 80)).toBe(
      "█████░░░░░░░░░░░░░░░ 12/48 deploys the contracts  3 s",
    );
    expect(renderActivity({ ...activity, count: null }, 80)).toBe("⠼ deploys the contracts  3 s");
  });

  test.each([20, 40, 80, 200])("never fills the line of %d columns", (width) => {
    const what = "waits for a worker that compares all that chain and partners know with the rows";
    for (const count of [null, { done: 0, total: 0 }, { done: 9, total: 3 }]) {
      const line = renderActivity({ what, count, elapsedMs: 100_000 }, width);
      expect(line.length).toBeLessThan(Math.max(width, 40));
    }
  });

  test("is shown on a terminal below the printed lines, and is gone at its end", () => {
    const { written, stream } = createStream(80);
    const progress = createProgress({ lines: stream, activity: stream });
    progress.begin("first", 2);
    progress.print("a line");
    progress.end();
    expect(written).toEqual([
      "\r\u001B[K░░░░░░░░░░░░░░░░░░░░ 0/2 first  0 s",
      "\r\u001B[K",
      "a line\n",
      "\r\u001B[K░░░░░░░░░░░░░░░░░░░░ 0/2 first  0 s",
      "\r\u001B[K",
    ]);
  });

  test("leaves a pipe with the printed lines alone", () => {
    const [lines, activity] = [createStream(), createStream()];
    const progress = createProgress({ lines: lines.stream, activity: activity.stream });
    progress.begin("first");
    progress.print("a line");
    progress.end();
    expect([lines.written, activity.written]).toEqual([["a line\n"], []]);
  });

  test("of what ends soon is not shown", () => {
    const { written, stream } = createStream(80);
    const progress = createProgress({ lines: stream, activity: stream }, { delayMs: 60_000 });
    progress.begin("first");
    progress.end();
    expect(written).toEqual([]);
  });
});

test("a pipe gets neither colours nor links", () => {
  const pipe = new PassThrough();
  const [colors, links] = [createColors(pipe), createLinks({})];
  expect([colors.ok("a"), plainColors.ok("a"), links.link("a", "http://localhost")]).toEqual(["a", "a", "a"]);
  expect(links.isSupported).toBe(false);
});
