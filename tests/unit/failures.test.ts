import { expect, test } from "bun:test";
import { findFailures } from "../support/failures.ts";

test("each failure of a run is shown with its file and its reason, once, hooks without a name too", () => {
  const said = [
    "tests/a.test.ts:",
    "(pass) one [1.00ms]",
    "error: Port 5 is taken",
    "      at <anonymous> (tests/a.test.ts:3:56)",
    "\u001b[31m(fail)\u001b[0m (unnamed) [10.59ms]",
    "TypeError: undefined is not an object",
    "(fail) (unnamed) [0.13ms]",
    "",
    "tests/b.test.ts:",
    "(pass) two [1.00ms]",
    "",
    "tests/a.test.ts:",
    "error: expect(received).toBe(expected)",
    "(fail) three [0.20ms]",
    "",
    "3 tests failed:",
    "(fail) (unnamed) [10.59ms]",
    "(fail) (unnamed) [0.13ms]",
    "(fail) three [0.20ms]",
  ].join("\n");
  expect(findFailures(said)).toEqual([
    "tests/a.test.ts:\nerror: Port 5 is taken\n      at <anonymous> (tests/a.test.ts:3:56)\n(fail) (unnamed) [10.59ms]",
    "tests/a.test.ts:\nTypeError: undefined is not an object\n(fail) (unnamed) [0.13ms]",
    "tests/a.test.ts:\nerror: expect(received).toBe(expected)\n(fail) three [0.20ms]",
  ]);
  expect(findFailures("tests/b.test.ts:\n(pass) two [1.00ms]\n")).toEqual([]);
});
