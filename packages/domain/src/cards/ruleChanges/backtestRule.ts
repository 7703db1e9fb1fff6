/** What a definition would have declined of our own past payments. */
import { dayMs } from "@cardkeep/contract/core/durations";
import type { RuleDefinition } from "@cardkeep/contract/cards/cardRules";
import { lowestIdOf } from "@cardkeep/db/queries/cards/cardRules/pastPayments";
import {
  listPartnerUserIds,
  listReplayedPayments,
  type ReplayedPayment,
  type ReplayPosition,
} from "@cardkeep/db/queries/cards/cardRules/replayedPayments";
import { compileDefinition } from "../../core/cardRules/compileRule.ts";
import { createReplay } from "../../core/cardRules/replayRule.ts";
import { windowStart } from "../../core/cardRules/windowStart.ts";
import type { Services } from "../../core/services.ts";
import type { RuleSubject } from "./writeRule.ts";

const paymentsPerPage = 5_000;
const usersPerPage = 500;
const samplesMax = 20;

/** A payment that the rule would have declined. */
export interface BacktestSample {
  readonly paymentId: string;
  readonly userId: string;
  readonly cardId: string;
  readonly amountCents: bigint;
  readonly currency: string;
  readonly merchantName: string | null;
  readonly mcc: string;
  readonly createdAt: Date;
}

/** The result of a back-test, in the card's currencies. */
export interface Backtest {
  readonly since: Date;
  readonly until: Date;
  /** False where the time ended before the payments did: the figures are of a part of the users. */
  readonly isComplete: boolean;
  /** Approved payments of the time, and of them those that the rule would have declined. */
  readonly payments: number;
  readonly declined: number;
  readonly declinedAmounts: readonly { readonly currency: string; readonly cents: bigint }[];
  readonly reason: string;
  /** The newest of them. */
  readonly samples: readonly BacktestSample[];
}

/**
 * Plays a definition over the approved payments of the last days, user by user. A payment that it would have declined counts
 * in none of its windows. Amounts are those of today, so what was reversed later does not count either.
 *
 * Reads a page of the index at a time and keeps the windows of one user, so memory does not grow with the payments.
 *
 * @param budgetMs it ends after this time; null for as long as it takes
 * @param ask runs each of its questions to the database
 * @param areSubscribed of a partner's users, those alone are played who let it receive their events
 */
export async function backtestRule(
  { db, clock }: Pick<Services, "db" | "clock">,
  { definition, subject }: { definition: RuleDefinition; subject: RuleSubject },
  {
    days,
    budgetMs,
    ask = (question) => question(),
    areSubscribed = false,
  }: {
    days: number;
    budgetMs: number | null;
    ask?: <T>(question: () => Promise<T>) => Promise<T>;
    areSubscribed?: boolean;
  },
): Promise<Backtest> {
  const endMs = budgetMs === null ? Infinity : performance.now() + budgetMs;
  const until = await clock.now(db);
  const since = new Date(until.getTime() - days * dayMs);
  const replay = createReplay(definition);
  const from = readFrom(definition, since);
  const samples: BacktestSample[] = [];
  const amounts = new Map<string, bigint>();
  let [payments, declined, isComplete] = [0, 0, true];
  let userId: string | null = null;

  const play = (payment: ReplayedPayment): void => {
    if (payment.userId !== userId) replay.startUser();
    userId = payment.userId;
    const use = { ...payment, at: payment.createdAt.getTime(), amountCents: payment.authorizedCents };
    if (payment.createdAt < since) return replay.remember(use);
    if (subject.scope === "card" && payment.cardId !== subject.subjectId) return replay.remember(use);
    payments += 1;
    if (!replay.decide(use)) return;
    declined += 1;
    amounts.set(payment.billingCurrency, (amounts.get(payment.billingCurrency) ?? 0n) + payment.authorizedCents);
    keepNewest(samples, payment);
  };

  const range = {
    since: from,
    until,
    lowestId: lowestIdOf(until.getTime() - (from?.getTime() ?? -Infinity), Date.now()),
  };
  for await (const userIds of listSubjects({ db }, subject, areSubscribed)) {
    let after: ReplayPosition | null = null;
    do {
      if (performance.now() >= endMs) {
        isComplete = false;
        break;
      }
      const query = { ...range, userIds, after, limit: paymentsPerPage };
      const page: ReplayedPayment[] = await ask(() => listReplayedPayments(db, query));
      for (const payment of page) play(payment);
      after = page.length < paymentsPerPage ? null : (page.at(-1) ?? null);
    } while (after !== null);
    if (!isComplete) break;
  }
  const declinedAmounts = [...amounts].map(([currency, cents]) => ({ currency, cents }));
  return { since, until, isComplete, payments, declined, declinedAmounts, reason: replay.reason, samples };
}

/** The first instant that the windows of the first payment reach back to; null for the beginning. */
function readFrom(definition: RuleDefinition, since: Date): Date | null {
  const { windows, newMerchantPer } = compileDefinition(definition);
  if (newMerchantPer !== null) return null;
  const from = Math.min(since.getTime(), ...windows.map(({ window }) => windowStart(window, since.getTime())));
  return Number.isFinite(from) ? new Date(from) : null;
}

/** The users whose payments are played, a part of them after the other; null for everybody. */
async function* listSubjects(
  { db }: Pick<Services, "db">,
  { scope, subjectId, userId }: RuleSubject,
  isSubscribed: boolean,
): AsyncGenerator<readonly string[] | null> {
  if (scope !== "partner") {
    // A rule about a card may count payments of all cards of its user.
    return yield userId === null ? null : [userId];
  }
  for (let after = ""; ;) {
    const page = { partnerId: subjectId ?? "", isSubscribed, after, limit: usersPerPage };
    const userIds = await listPartnerUserIds(db, page);
    if (userIds.length > 0) yield userIds;
    const last = userIds.at(-1);
    if (last === undefined || userIds.length < usersPerPage) return;
    after = last;
  }
}

function keepNewest(samples: BacktestSample[], payment: ReplayedPayment): void {
  const { id: paymentId, userId, cardId, authorizedCents: amountCents, billingCurrency: currency } = payment;
  const { merchantName, mcc, createdAt } = payment;
  const index = samples.findIndex((sample) => sample.createdAt < createdAt);
  if (index === -1 && samples.length >= samplesMax) return;
  const sample = { paymentId, userId, cardId, amountCents, currency, merchantName, mcc, createdAt };
  samples.splice(index === -1 ? samples.length : index, 0, sample);
  samples.length = Math.min(samples.length, samplesMax);
}
