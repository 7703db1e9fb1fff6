/** Mutants of the budget of reverted gas, and of what it holds up. */
import { mutantsOf } from "./mutant.ts";

const flow = ["tests/long/gas-budget.test.ts"];

export const gasMutants = [
  ...mutantsOf(
    "packages/domain/src/chain/relay/gasBudget.ts",
    ["tests/unit/gas-budget.test.ts"],
    [
      ["a used-up hour holds up nothing", "max: perHourMax, windowMs: hourMs", "max: perHourMax, windowMs: 0"],
      ["a used-up day ends with its hour", "max: perDayMax, windowMs: dayMs", "max: perDayMax, windowMs: hourMs"],
      ["a budget that is spent exactly is not used up", "spent >= max", "spent > max"],
      ["pauses do not grow", "pauseMsMin * pauseGrowth ** (recent.length - 1)", "pauseMsMin"],
      ["pauses grow without an end", ", pauseMsMax)", ", Infinity)"],
    ],
  ),
  ...mutantsOf("packages/domain/src/chain/relay/countReverted.ts", flow, [
    ["a transaction is overtaken by one behind it", "found.transactionIndex < own.transactionIndex", "true"],
    ["a transaction is overtaken by none of its block", "found.transactionIndex < own.transactionIndex", "false"],
    ["gas counts without its price", "receipt.gasUsed * receipt.gasPrice", "receipt.gasUsed"],
  ]),
  ...mutantsOf("packages/domain/src/accounts/delays/relayNext.ts", flow, [
    ["a used-up budget holds up no enqueue", "if (heldUntil) return", "if (heldUntil && false) return"],
    [
      "a Safe fills its lane with enqueues that its contract refuses",
      "!canShareEnqueue(item) && (await isEnqueueOpen(work.tx, safeId))",
      "false",
    ],
  ]),
  ...mutantsOf("packages/domain/src/accounts/delays/dispatch.ts", flow, [
    ["a used-up budget holds up no dispatch", "if (waitMs > 0) return", "if (false) return"],
    ["an operation expires while the budget holds it up", "calmMs > -lastTryMs ? 0 : waitMs", "waitMs"],
    ["an owner's own entries wait for no budget", ": readForeignMs(ctx, item))", ": 0)"],
  ]),
  ...mutantsOf("packages/domain/src/accounts/delays/settleDispatch.ts", flow, [
    ["an owner's own entries count in no budget", "isRefused || isDear", "isRefused"],
  ]),
  ...mutantsOf(
    "packages/domain/src/accounts/delays/signDispatch.ts",
    ["tests/long/expired-entries.test.ts"],
    [
      [
        "skipping expired entries may cost what an operation may",
        `"delay.skip": skipGasMax`,
        `"delay.skip": operationGasMax`,
      ],
    ],
  ),
  ...mutantsOf("packages/domain/src/accounts/delays/signDispatch.ts", flow, [
    [
      "an owner's own entry may cost what an operation may",
      `"delay.unblock": foreignEntryGasMax`,
      `"delay.unblock": operationGasMax`,
    ],
  ]),
  ...mutantsOf(
    "packages/domain/src/accounts/integrity/settleViolations.ts",
    ["tests/long/expired-entries.test.ts"],
    [
      ["a Safe whose skip is refused is looked at as often as others", "refused: refusedAgainMs", "refused: lookMsMin"],
      ["only the first violations of a Safe end", "first < left.length", "first < endsMax"],
      ["a job of the release before is dropped", `violation?.status !== "QUEUED"`, `violation?.status === "QUEUED"`],
      ["an expired entry of a known kind stays in its queue", "!oldest && (isEmpty || ", "!oldest && (true || "],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/sync/chainSync/compareQueues.ts",
    ["tests/long/expired-entries.test.ts"],
    [
      [
        "nothing looks at an entry that an owner queued",
        `await enqueueIfNone(tx, "safe.violations", { safeId, requestId }, 0)`,
        "void safeId",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/spending/decision/authorize.ts",
    ["tests/long/expired-entries.test.ts"],
    [["a paused card does not bring the job of its queue back", "if (queueNonce > txNonce) await", "if (false) await"]],
  ),
  ...mutantsOf(
    "packages/domain/src/accounts/integrity/recordViolation.ts",
    ["tests/long/expired-entries.test.ts"],
    [["each violation of a Safe hurries its look", "{ enqueueIfNone }", "{ enqueue as enqueueIfNone }"]],
  ),
  ...mutantsOf(
    "packages/domain/src/core/limits/requireQuota.ts",
    ["tests/api/safe.test.ts", "tests/long/card-quota.test.ts"],
    [
      [
        "a person begins any number of Safes and cards",
        'if (waitMs > 0) fail("request.rate_limited"',
        'if (false) fail("request.rate_limited"',
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/cards/cards/startCard.ts",
    ["tests/long/card-quota.test.ts"],
    [
      [
        "a person makes and ends any number of cards",
        "requireQuota(quota, await listIssueTimes(",
        "void (quota, await (",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/db/src/queries/cards/issues.ts",
    ["tests/long/card-quota.test.ts"],
    [
      [
        "cards that operators have made use up a person's",
        "cardIssues.createdAt, since), isOfUser",
        "cardIssues.createdAt, since)",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/spending/payments/settleSpend.ts",
    ["tests/long/attacks.test.ts"],
    [
      ["a mere revert opens a case", "if (reason === null) return", "if (reason === null && false) return"],
      ["a refused spend's code runs without a bound", ", gasMax: spendGasMax", ""],
    ],
  ),
];
