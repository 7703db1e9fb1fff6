/** Mutants of what is recorded once, taken back with its block, and erased with its person. */
import { mutantsOf } from "./mutant.ts";

const domain = "packages/domain/src";

export const recordMutants = [
  ...mutantsOf(
    `${domain}/performOnce.ts`,
    ["tests/api/idempotency.test.ts"],
    [
      ["a request under way keeps no other one out", "!(await claimKey(work.tx, claim.scope, claim.key))", "false"],
      ["a refusal is not stored", "await insertReply(ctx.db, {", "void ({"],
    ],
  ),
  ...mutantsOf(
    `${domain}/privacy/keptHours.ts`,
    ["tests/api/idempotency.test.ts"],
    [["replies are kept for 100 days", "idempotency_keys: dayHours", "idempotency_keys: 100 * dayHours"]],
  ),
  ...mutantsOf(
    `${domain}/chain/reorgGuard.ts`,
    ["tests/chaos/reorganisation.test.ts"],
    [
      [
        "a decision from before a reorganisation is written",
        "(await holdReorganisations(work.tx, rules.chainId)) !== begun",
        "false",
      ],
      ["rows rest on a block that another one replaced", "!(await insertSeenBlock(tx, block))", "false"],
    ],
  ),
];
