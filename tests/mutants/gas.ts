/** Mutants of the budget of reverted gas, and of what it holds up. */
import { mutantsOf } from "./mutant.ts";

const domain = "packages/domain/src";
const flow = ["tests/flows/gas-budget.test.ts"];

export const gasMutants = [
  ...mutantsOf(
    `${domain}/relay/gasBudget.ts`,
    ["tests/unit/gas-budget.test.ts"],
    [
      ["a used-up hour holds up nothing", "max: perHourMax, windowMs: hourMs", "max: perHourMax, windowMs: 0"],
      ["a used-up day ends with its hour", "max: perDayMax, windowMs: dayMs", "max: perDayMax, windowMs: hourMs"],
      ["a budget that is spent exactly is not used up", "spent >= max", "spent > max"],
      ["pauses do not grow", "pauseMsMin * pauseGrowth ** (recent.length - 1)", "pauseMsMin"],
      ["pauses grow without an end", ", pauseMsMax)", ", Infinity)"],
    ],
  ),
  ...mutantsOf(`${domain}/relay/countReverted.ts`, flow, [
    ["a transaction is overtaken by one behind it", "found.transactionIndex < own.transactionIndex", "true"],
    ["a transaction is overtaken by none of its block", "found.transactionIndex < own.transactionIndex", "false"],
    ["gas counts without its price", "receipt.gasUsed * receipt.gasPrice", "receipt.gasUsed"],
  ]),
  ...mutantsOf(`${domain}/delays/relayNext.ts`, flow, [
    ["a used-up budget holds up no enqueue", "if (heldUntil) return", "if (heldUntil && false) return"],
    [
      "a Safe fills its lane with enqueues that its contract refuses",
      "!canTravel(item) && (await isEnqueueOpen(work.tx, safeId))",
      "false",
    ],
  ]),
  ...mutantsOf(`${domain}/delays/dispatch.ts`, flow, [
    ["a used-up budget holds up no dispatch", "if (waitMs > 0) return", "if (false) return"],
    ["an operation expires while the budget holds it up", "calmMs > -lastTryMs ? 0 : waitMs", "waitMs"],
  ]),
  ...mutantsOf(
    `${domain}/delays/signDispatch.ts`,
    ["tests/flows/expired-entries.test.ts"],
    [["skipping expired entries may cost what an operation may", `purpose === "delay.skip" ? skipGasMax : `, ""]],
  ),
  ...mutantsOf(
    `${domain}/integrity/settleViolation.ts`,
    ["tests/flows/expired-entries.test.ts"],
    [["each violation pays for a skip of all", "return oldest?.id === id;", "return true;"]],
  ),
  ...mutantsOf(
    `${domain}/safes/openSafe.ts`,
    ["tests/api/safe.test.ts"],
    [["a person begins any number of Safes", "if (!reachedAt) return;", "return;"]],
  ),
  ...mutantsOf(
    `${domain}/spending/settleSpend.ts`,
    ["tests/flows/attacks.test.ts"],
    [["a mere revert opens a case", "if (reason === null) return", "if (reason === null && false) return"]],
  ),
];
