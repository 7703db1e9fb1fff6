/** Reads the operator's money at the issuer: top-ups that arrived, the balance, and how long it lasts. */
import { dayMs, secondMs } from "@cardkeep/contract/core/durations";
import { tokenOf, tokens } from "@cardkeep/chain/tokens";
import type { SettlementToken } from "@cardkeep/db/schema/chain/settlementFunds";
import { readWeekPattern } from "@cardkeep/db/queries/treasury/returns";
import {
  findNewestIssuerTopUp,
  insertTopUpOnce,
  listUnannouncedTopUps,
  lockOpenFunds,
  type OpenFund,
  putCover,
  setTopUpMove,
} from "@cardkeep/db/queries/treasury/issuerMoney";
import { changeMove, type TreasuryMove } from "@cardkeep/db/queries/treasury/moves";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import type { BalanceEntry, IssuerBalance } from "@cardkeep/providers/issuer/port";
import type { Work, WorkerContext } from "../../core/context.ts";
import { baseUnitsToCents } from "../../core/money.ts";
import { countTransferHours, findArrival, isOverdue } from "./findArrival.ts";
import { forecastCover } from "./forecastCover.ts";
import { skewMsMax } from "../../core/skewMsMax.ts";

const everyMs = 60_000;
/** While announced money is under way, the issuer is asked more often. */
const awaitedMs = 3_000;
const weeks = 4;
/** A top-up is listed at the issuer's time, and may appear some time later. */
const overlapDays = 3;

/** Reads balance and top-ups, ends the moves that arrived, and writes the forecast; runs again a minute later. */
export async function readIssuerMoney(ctx: WorkerContext): Promise<void> {
  const now = await ctx.clock.now(ctx.db);
  const newest = await findNewestIssuerTopUp(ctx.db);
  const since = new Date((newest?.arrivedAt ?? now).getTime() - overlapDays * dayMs);
  const patternSince = new Date(now.getTime() - weeks * 7 * dayMs);
  try {
    const [topUps, balances, pattern] = await Promise.all([
      ctx.issuer.listBalanceEntries({ from: since, to: new Date(now.getTime() + secondMs), kind: "topup" }),
      ctx.issuer.readBalances(),
      readWeekPattern(ctx.db, { since: patternSince, weeks }),
    ]);
    const isAwaited = await ctx.commit(async (work) => {
      await recordTopUps(work, topUps);
      const open = await matchFunds(work);
      for (const balance of balances)
        await writeCover(ctx, work, balance, { open, week: pattern.get(balance.currency) ?? [] });
      return open.length > 0;
    });
    await again(ctx, isAwaited ? awaitedMs : everyMs);
  } catch (error) {
    await again(ctx, everyMs);
    throw error;
  }
}

const again = (ctx: WorkerContext, delayMs: number): Promise<void> =>
  ctx.commit(({ tx, requestId }) =>
    enqueue(tx, "issuer.balance", { chainId: String(ctx.policy.chainId), requestId }, delayMs),
  );

async function recordTopUps({ tx, now }: Work, topUps: readonly BalanceEntry[]): Promise<void> {
  for (const { id, currency, amountCents, at: arrivedAt } of topUps)
    await insertTopUpOnce(tx, {
      id,
      currency,
      amountCents,
      arrivedAt,
      moveId: null,
      createdAt: now,
    });
}

/** The token of a currency of the issuer; null where we have none. */
const findToken = (currency: string): SettlementToken | null =>
  Object.values(tokenOf).find(({ fiat }) => fiat === currency)?.symbol ?? null;

const centsOf = ({ amount, token }: TreasuryMove): bigint => baseUnitsToCents(amount, tokens[token]);

/** The issuer's instants are by its own clock. Money that an operator announces may be there for a day. */
const findEarliest = ({ causeId, createdAt }: TreasuryMove): number =>
  createdAt.getTime() - (causeId === null ? dayMs : skewMsMax);

/** Ends the announced moves whose money is there, one top-up each, oldest first. Returns those that are still under way. */
async function matchFunds({ tx, now }: Work): Promise<OpenFund[]> {
  const waiting = await lockOpenFunds(tx);
  if (waiting.length === 0) return [];
  // The institution may answer days after the money arrived, when newer top-ups are there.
  const since = new Date(Math.min(...waiting.map(findEarliest)));
  const arrived = [...(await listUnannouncedTopUps(tx, since))];
  const open: OpenFund[] = [];
  for (const move of waiting) {
    const place = arrived.findIndex(
      ({ amountCents, currency, arrivedAt }) =>
        amountCents === centsOf(move) &&
        findToken(currency) === move.token &&
        arrivedAt.getTime() >= findEarliest(move),
    );
    const [topUp] = place === -1 ? [] : arrived.splice(place, 1);
    if (!topUp) {
      open.push(move);
      continue;
    }
    if (await changeMove(tx, move.id, { status: "DONE", externalId: topUp.id, updatedAt: now }))
      await setTopUpMove(tx, topUp.id, move.id);
  }
  return open;
}

async function writeCover(
  ctx: WorkerContext,
  { tx, now }: Work,
  { currency, amountCents }: IssuerBalance,
  { open, week }: { open: readonly OpenFund[]; week: readonly bigint[] },
): Promise<void> {
  // What is overdue may be in the balance already, less a bank's fee.
  const own = open.filter(({ token, sentAt }) => findToken(currency) === token && !isOverdue(sentAt, now));
  const arrivals = own.map((move) => ({ at: findArrival(move.sentAt), cents: centsOf(move) }));
  const balanceCents = BigInt(amountCents);
  const hours = forecastCover({ balanceCents, arrivals, week, now });
  const transferHours = countTransferHours(now);
  const isShort = hours !== null && hours < transferHours;
  const inTransitCents = arrivals.reduce((sum, { cents }) => sum + cents, 0n);
  await putCover(tx, {
    currency,
    balanceCents,
    inTransitCents,
    hours,
    transferHours,
    shortSince: isShort ? now : null,
    readAt: now,
  });
  if (isShort)
    ctx.log.warn({ currency, hours, transferHours }, "The balance at the issuer ends before a transfer would arrive.");
}
