/** Limits of requests, messages and relayed operations. */
import { hourMs, minuteMs } from "@cardkeep/contract/core/durations";
import type { LimitPolicy } from "@cardkeep/domain/core/policy";
import { budget, nativeAmount, type Values, wholeNumber } from "./types.ts";

export const limitEnvironment = {
  RELAYED_OPERATIONS_PER_HOUR: wholeNumber(60, 1, "Relayed operations per Safe and hour"),
  SAFE_DEPLOYMENTS_PER_DAY: wholeNumber(
    5,
    1,
    "Safes that one user may begin within 24 hours, after a reset or a failure",
  ),
  CARDS_PER_DAY: wholeNumber(
    20,
    1,
    "Cards that one user may have made within 24 hours, those that ended or were refused too",
  ),
  REVERTED_GAS_PER_HOUR_MAX: nativeAmount
    .prefault("0.02")
    .describe(
      "Whole native tokens that one person may cost within an hour in transactions that blocks refuse, and in dear entries " +
        "that the person queued past the service; " +
        "from then on the person's transactions wait",
    ),
  REVERTED_GAS_PER_DAY_MAX: nativeAmount.prefault("0.1").describe("The same within any 24 hours"),
  READS_PER_MINUTE: budget(1_200, "Read requests per user or partner and minute, on all servers together"),
  WRITES_PER_MINUTE: budget(300, "Write requests per user or partner and minute, on all servers together"),
  RULE_CHANGES_PER_MINUTE: budget(60, "Changes of card rules per partner and minute, and of the programme's rules"),
  // A token in a language as a rule takes two of the 50 writes in five seconds.
  // Source: docs.sumsub.com/reference/rate-limits.
  KYC_REQUESTS_PER_MINUTE: budget(24, "Links, tokens and shares of the identity provider per user and minute"),
  OPEN_REQUESTS_PER_MINUTE: budget(600, "Requests per source address and minute to one operation without a token"),
  CODE_REQUESTS_PER_MINUTE: budget(60, "One-time passwords per source address and minute, for any recipient"),
  MAIL_CODES_PER_MINUTE: budget(1, "One-time passwords per mail address and minute"),
  MAIL_CODES_PER_HOUR: budget(5, "One-time passwords per mail address and hour"),
  PHONE_CODES_PER_HOUR: budget(5, "Codes per user or phone number and hour"),
};

/** A request may take 10 s in total, with the work before and after a wait. */
const answerMsMax = 9_500;

const perMinute = (name: string, count: number) => ({ name, count, withinSeconds: minuteMs / 1000 });

export const readLimits = (e: Values<typeof limitEnvironment>): LimitPolicy => ({
  answerMsMax,
  relayedOperationsPerHour: e.RELAYED_OPERATIONS_PER_HOUR,
  safeDeploymentsPerDay: e.SAFE_DEPLOYMENTS_PER_DAY,
  cardsPerDay: e.CARDS_PER_DAY,
  gasBudget: { perHourMax: e.REVERTED_GAS_PER_HOUR_MAX, perDayMax: e.REVERTED_GAS_PER_DAY_MAX },
  quotas: {
    open: perMinute("open-requests", e.OPEN_REQUESTS_PER_MINUTE),
    messages: perMinute("code-requests", e.CODE_REQUESTS_PER_MINUTE),
    reads: perMinute("reads", e.READS_PER_MINUTE),
    writes: perMinute("writes", e.WRITES_PER_MINUTE),
    ruleChanges: perMinute("rule-changes", e.RULE_CHANGES_PER_MINUTE),
    kyc: perMinute("kyc-requests", e.KYC_REQUESTS_PER_MINUTE),
  },
  codeSends: {
    email: [
      { count: e.MAIL_CODES_PER_MINUTE, withinMs: minuteMs },
      { count: e.MAIL_CODES_PER_HOUR, withinMs: hourMs },
    ],
    phone: [{ count: e.PHONE_CODES_PER_HOUR, withinMs: hourMs }],
  },
});
