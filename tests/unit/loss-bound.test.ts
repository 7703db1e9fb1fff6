/** The oracle of `test:lives` by which a person's debt stays within its stated bound. */
import { expect, test } from "bun:test";
import { type DebtChange, findBeyondBound } from "../lives/lossBound.ts";

const change = (at: number, owed: bigint, approvedAt: number | null): DebtChange => ({
  userId: "ada",
  paymentId: `p${at}`,
  at: at * 1_000,
  owed,
  approvedAt: approvedAt === null ? null : approvedAt * 1_000,
});

test.each([
  ["below the sum every payment may add to the debt", [change(100, 49n, 50), change(200, 49n, 190)], 0],
  [
    "so may the capture that reaches it, and those of authorizations that are open then",
    [change(100, 60n, 50), change(200, 900n, 99)],
    0,
  ],
  ["and a capture that no authorization covers", [change(100, 60n, 50), change(200, 900n, null)], 0],
  ["a payment that was approved afterwards may not", [change(100, 60n, 50), change(200, 1n, 150)], 1],
  ["until the debt is paid", [change(100, 60n, 50), change(120, -20n, 50), change(200, 49n, 150)], 0],
  ["a debt of another person does not count", [change(100, 60n, 50), { ...change(200, 9n, 150), userId: "bob" }], 0],
])("%s", (_what, changes, faults) => {
  expect(findBeyondBound(changes, 50n)).toHaveLength(faults);
});
