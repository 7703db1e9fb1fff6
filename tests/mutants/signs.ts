/** Mutants of the signs of clearings, of the end of holds, and of the bound of what a person may leave unpaid. */
import { mutantsOf } from "./mutant.ts";

const threadTests = ["tests/unit/thread-state.test.ts"];

export const signMutants = [
  ...mutantsOf("packages/providers/src/issuer/stripeSpending.ts", threadTests, [
    [
      "a refund that is taken back alone is not collected",
      `refund_reversal: "capture"`,
      `refund_reversal: "refund_reversal"`,
    ],
  ]),
  ...mutantsOf("packages/providers/src/issuer/stripeClearings.ts", threadTests, [
    ["an amount has no sign", "isOut ? kinds.out : kinds.back", `type === "capture" ? kinds.out : kinds.back`],
    [
      "the sum of a faulty clearing has no sign",
      `fault: "type", signedCents: BigInt(amount)`,
      `fault: "type", signedCents: abs(amount)`,
    ],
    ["signs that contradict each other are booked", "amount * merchant < 0", "amount * merchant > 10 ** 18"],
    [
      "an unknown type is booked as a capture",
      `if (!kinds) return { id, fault: "type", signedCents: BigInt(amount) };`,
      `if (!kinds) return readClearing({ ...parsed, type: "capture" });`,
    ],
  ]),
  ...mutantsOf(
    "packages/providers/src/issuer/stripeClearings.ts",
    ["tests/unit/stripe.test.ts"],
    [
      [
        "a capture in another currency is booked",
        "toCode(currency) !== toCode(use.currency)",
        `toCode(currency) === ""`,
      ],
      ["a capture of another card is booked", "card === use.card ? null", "card !== null ? null"],
    ],
  ),
  ...mutantsOf("packages/domain/src/spending/payments/clearingSums.ts", threadTests, [
    ["a capture that is taken back is paid", ` - sumKind(clearings, "capture_reversal")`, ""],
    ["a refund that is taken back is kept", ` - sumKind(clearings, "refund_reversal")`, ""],
    ["more is taken back than there was", `(capturedCents < 0n || refundedCents < 0n ? "sign" : null)`, "null"],
    ["a repeated capture is booked", "one.amountCents === other.amountCents", "one.amountCents !== other.amountCents"],
    ["parts of what was approved count as repeated", "capturedCents <= approvedCents", "capturedCents <= 0n"],
  ]),
  ...mutantsOf(
    "packages/domain/src/spending/payments/holdEnd.ts",
    ["tests/unit/holds.test.ts"],
    [
      ["a hold ends before the issuer's own end", `authorization?.status !== "closed"`, `authorization === null`],
      ["a captured hold ends", " || isCaptured({ clearings })", ""],
      ["a hold beside a refund never ends", `clearings.some(({ kind }) => kind === "capture")`, "clearings.length > 0"],
      [
        "holds end early where people travel",
        "isTravel(mcc) ? policy.holdTravelDays",
        "isTravel(mcc) ? policy.holdDays",
      ],
      ["a hold never ends", "return now >= findLastInstant(", "return now < findLastInstant("],
      [
        "a hold that ended here counts on although the issuer reversed it",
        ` || (status === "reversed" && payment.status === "EXPIRED")`,
        "",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/db/src/queue/inspect.ts",
    ["tests/long/queue.test.ts"],
    [
      [
        "a job behind another of its queue says that no worker runs",
        "where ${isInState.waiting} and ${isInFreeQueue} order by",
        "where ${isInState.waiting} order by",
      ],
      ["its age is that of the oldest job", "state <> 'waiting' or ${isInFreeQueue}", "true"],
    ],
  ),
  ...mutantsOf(
    "packages/db/src/queue/openRows.ts",
    ["tests/long/blocked-people.test.ts"],
    [
      [
        "a person that the issuer refuses has everybody derived again and again",
        "(select true from ${jobsTable} own\n      where own.key = ${jobKeyIn(sql`'cardholder.sync'::text`, sql`${cardholders.userId}`)}) is null",
        "true",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/core/cardholders/mirrorCardholders.ts",
    ["tests/long/blocked-people.test.ts"],
    [
      [
        "a job that was given up begins again each hour",
        `await enqueueIfAbsent(ctx.db, "cardholder.sync", { userId, requestId: ctx.requestId })`,
        `await enqueue(ctx.db, "cardholder.sync", { userId, requestId: ctx.requestId })`,
      ],
    ],
  ),
  ...mutantsOf(
    "packages/db/src/queue/catalogue.ts",
    ["tests/long/queue-lateness.test.ts"],
    [
      [
        "a blocked person stays active at the issuer behind controls of others' cards",
        `"cardholder.sync": define("userId", { pool: "standing"`,
        `"cardholder.sync": define("userId", { pool: "bulk"`,
      ],
      [
        "after a stop everybody stays active at the issuer behind controls of cards",
        `"cardholders.mirror": define("chainId", { pool: "standing"`,
        `"cardholders.mirror": define("chainId", { pool: "bulk"`,
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/operations/health/diagnose.ts",
    ["tests/long/issuer-calls.test.ts"],
    [
      [
        "a frozen card may spend at the issuer for days and no operator sees it",
        `    look("cards at the issuer", onDatabase, () => checkLateCards(ctx)),\n`,
        "",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/db/src/queries/cards/cards.ts",
    ["tests/long/issuer-calls.test.ts"],
    [
      [
        "a month's end is a fault of the issuer",
        "and(sql`(${isBehindAtIssuer(cards)})`, isLive)",
        "sql`(${isBehindAtIssuer(cards)})`",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/operations/health/checkCardholders.ts",
    ["tests/long/blocked-people.test.ts"],
    [["a blocked person that the issuer does not take is no fault", "late.length === 0", "late.length >= 0"]],
  ),
  ...mutantsOf(
    "packages/domain/src/cards/cards/changeStatus.ts",
    ["tests/long/issuer-calls.test.ts"],
    [["a block waits at the issuer for all cards of a month's end", "? enqueueLast(", "? enqueue("]],
  ),
  ...mutantsOf(
    "packages/domain/src/core/cardholders/findBlock.ts",
    ["tests/unit/blocked-people.test.ts"],
    [
      ["a stop is not mirrored", `if (standing.isStopped) return "payments_stopped";`, ""],
      ["a deactivated user stays active at the issuer", `if (!standing.isUserActive) return "user_deactivated";`, ""],
      ["a rejected person stays active at the issuer", `if (!standing.isKycApproved) return "kyc_not_approved";`, ""],
      ["a changed account stays active at the issuer", `if (standing.isChanged) return "account_changed";`, ""],
      [
        "captures that repeat others have no bound",
        "sumOwedCents(standing) + standing.waitingCents",
        "sumOwedCents(standing)",
      ],
      ["holds that ended beside a capture have no bound", " + standing.matchedCents", ""],
      ["the bound itself blocks nobody", "unpaidCents < unpaidCentsMax", "unpaidCents <= unpaidCentsMax"],
      ["parts of a cent are free", "(amount + unit - 1n) / unit", "amount / unit"],
    ],
  ),
];
