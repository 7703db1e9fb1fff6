/**
 * Months with too many lines for one statement.
 *
 * - line: an entry or a card item. - volume: the statement of a part of a month; it is stored once it is made, and stays.
 *
 * A job makes one volume and adds itself again, so other people's jobs have their turn, and memory holds the lines of one volume.
 */
import { CardkeepError } from "@cardkeep/contract/core/errors";
import { volumeLinesMax } from "@cardkeep/contract/spending/statements";
import type { Executor } from "@cardkeep/db/client";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import type { Jobs } from "@cardkeep/db/queue/catalogue";
import type { Summed } from "@cardkeep/db/queries/spending/statedMovements";
import { keepStatement } from "@cardkeep/db/queries/spending/statements";
import {
  countClearings,
  countStandingAlone,
  findClearingAt,
  findMovementAt,
  findVolume,
  keepVolume,
  listVolumes,
} from "@cardkeep/db/queries/spending/statementVolumes";
import { holdUser } from "@cardkeep/db/queries/users/users";
import { readSnapshot } from "@cardkeep/db/readSnapshot";
import { monthOf, startOfMonth } from "../../core/calendar.ts";
import { formatAmount, parseAmount } from "./cardFacts.ts";
import {
  type Account,
  buildDocument,
  rangeOfMonth,
  readStatementAccount,
  readStatement,
  readStored,
  type StatementContext,
  subjectOf,
} from "./makeStatement.ts";
import { recordedFor } from "./readCardLines.ts";
import { centOf, chooseSummed } from "./readStatementEntries.ts";
import type { Range } from "./readPayments.ts";

const accountOf = ({ user, token }: Account) => ({ userId: user.id, token: token.address });

/** The clearings that count in a range of a month. */
function recordedIn({ user, zone }: Account, range: Range) {
  const start = startOfMonth(monthOf(range.from, zone), zone);
  return { userId: user.id, start, recorded: recordedFor(range, zone), ...range };
}

/** How many lines the statement of a range has, without the sums of days. */
export async function countLines(tx: Executor, account: Account, range: Range, summed: Summed): Promise<number> {
  const [entries, cardItems] = await Promise.all([
    countStandingAlone(tx, accountOf(account), range, { summed, cent: centOf(account.token) }),
    countClearings(tx, recordedIn(account, range)),
  ]);
  return entries + cardItems;
}

/** Where a volume ends: half of its lines are entries at most, and half of them card items. Lines of one instant stay together. */
async function findEnd(
  tx: Executor,
  account: Account,
  range: Range,
  { summed, linesMax }: { summed: Summed; linesMax: number },
): Promise<Date> {
  const place = Math.ceil(linesMax / 2);
  const [movedAt, clearedAt] = await Promise.all([
    findMovementAt(tx, accountOf(account), range, { summed, cent: centOf(account.token), place }),
    findClearingAt(tx, recordedIn(account, range), place),
  ]);
  const firstMs = Math.min(...[movedAt, clearedAt, range.to].map((at) => at?.getTime() ?? Number.POSITIVE_INFINITY));
  return new Date(Math.max(firstMs, range.from.getTime() + 1));
}

/** Makes the next volume of a month that is over; true once all are made, and the month's own row with their digests. */
export async function makeNextVolume(
  ctx: StatementContext,
  account: Account,
  month: string,
  linesMax = volumeLinesMax,
): Promise<boolean> {
  const { id: userId } = account.user;
  const whole = rangeOfMonth(month, account.zone);
  const now = await ctx.clock.now(ctx.db);
  const made = await listVolumes(ctx.db, userId, month);
  const last = made.at(-1);
  const from = last?.endsAt ?? whole.from;
  if (from >= whole.to) {
    await keepMonth(ctx, account, { month, made, now });
    return true;
  }
  const { statement, endsAt } = await readSnapshot(ctx.db, async (tx) => {
    const summed = await chooseSummed(tx, subjectOf(account), whole);
    const end = await findEnd(tx, account, { from, to: whole.to }, { summed, linesMax });
    const head = { month, now, isFinal: true, summed };
    return { statement: await readStatement(tx, account, { from, to: end }, head), endsAt: end };
  });
  const volume = (last?.volume ?? 0) + 1;
  const row = { userId, month, volume, endsAt, ...buildDocument({ ...statement, volume }), createdAt: now };
  return ctx.commit(async ({ tx }) => {
    const isHeld = await holdUser(tx, userId);
    if (isHeld) await keepVolume(tx, row);
    return !isHeld;
  });
}

/** Stores the month's own row: its head without lines. */
async function keepMonth(
  ctx: StatementContext,
  { user: { id: userId }, token, zone }: Account,
  { month, made, now }: { month: string; made: readonly { volume: number; digest: string }[]; now: Date },
): Promise<void> {
  const sums = { totalIn: 0n, totalOut: 0n, cardTotal: 0n };
  let [first, last]: ReturnType<typeof readStored>[] = [];
  for (const { volume } of made) {
    const row = await findVolume(ctx.db, userId, month, volume);
    if (row === null) return;
    const { entries: _, cardItems: __, ...rest } = readStored(row);
    last = { ...rest, entries: [], cardItems: [] };
    first ??= last;
    sums.totalIn += parseAmount(last.totalIn, token.decimals);
    sums.totalOut += parseAmount(last.totalOut, token.decimals);
    sums.cardTotal += parseAmount(last.cardTotal, 2);
  }
  if (!first || !last) return;
  const { volume: _, ...head } = last;
  const { from, to } = rangeOfMonth(month, zone);
  const { document, digest } = buildDocument({
    ...head,
    from: from.toISOString(),
    to: to.toISOString(),
    digest: null,
    openingBalance: first.openingBalance,
    totalIn: formatAmount(sums.totalIn, token.decimals),
    totalOut: formatAmount(sums.totalOut, token.decimals),
    cardTotal: formatAmount(sums.cardTotal, 2),
    volumes: made.length,
    volumeDigests: made.map((each) => each.digest),
  });
  await ctx.commit(async ({ tx }) => {
    if (await holdUser(tx, userId)) await keepStatement(tx, { userId, month, document, digest, createdAt: now });
  });
}

/** Adds the job that makes the volumes of a month. */
export const enqueueVolumes = (
  { requestId, commit }: Pick<StatementContext, "requestId" | "commit">,
  userId: string,
  month: string,
): Promise<void> =>
  commit(({ tx }) => enqueue(tx, "statement.volume", { statementId: `${userId}/${month}`, requestId }));

/** Makes one volume of a month, and has the next one made. */
export async function makeVolume(ctx: StatementContext, { statementId }: Jobs["statement.volume"]): Promise<void> {
  const [userId = "", month = ""] = statementId.split("/");
  try {
    const isComplete = await makeNextVolume(ctx, await readStatementAccount(ctx, userId), month);
    if (!isComplete) await enqueueVolumes(ctx, userId, month);
  } catch (error) {
    // The person was erased meanwhile.
    if (!(error instanceof CardkeepError && error.code === "safes.not_found")) throw error;
  }
}
