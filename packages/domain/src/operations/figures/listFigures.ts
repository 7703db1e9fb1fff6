/** Figures of the programme by day, week and month. */
import { currencies, type Currency } from "@cardkeep/contract/core/currencies";
import { type TokenSymbol, tokens } from "@cardkeep/chain/tokens";
import { keysOf } from "@cardkeep/contract/core/keysOf";
import { fail } from "@cardkeep/contract/core/errors";
import { type FigurePeriod, listPeriodFigures, type PeriodFigure } from "@cardkeep/db/queries/operations/figures";
import { isDay } from "../../core/calendar.ts";
import type { Services } from "../../core/services.ts";

/** The tokens whose withdrawals are summed. */
export const figureTokens = keysOf(tokens);

/** What happened in one period. */
export interface Figures {
  /** Its first day, also where the programme began later. */
  readonly from: string;
  /** Its last counted day. */
  readonly to: string;
  readonly signUps: number;
  /** People whose first card became active. */
  readonly activated: number;
  /** Cards with an approved payment. */
  readonly activeCards: number;
  readonly approved: number;
  readonly declined: number;
  /** The most frequent first. */
  readonly declines: readonly { readonly reason: string; readonly count: number }[];
  /** Captures less refunds, in cents. */
  readonly spent: Readonly<Record<Currency, bigint>>;
  readonly withdrawals: number;
  /** In base units. */
  readonly withdrawn: Readonly<Record<TokenSymbol, bigint>>;
  /** When its figures were read; the oldest reading counts. */
  readonly countedAt: Date;
}

const activeCardsOf = { day: "activeCards", week: "activeCardsOfWeek", month: "activeCardsOfMonth" } as const;

const sumByPart = <P extends string>(rows: readonly PeriodFigure[], parts: readonly P[]): Record<P, bigint> =>
  Object.fromEntries(parts.map((part) => [part, rows.find((row) => row.part === part)?.amount ?? 0n])) as Record<
    P,
    bigint
  >;

function describePeriod(period: FigurePeriod, from: string, rows: readonly PeriodFigure[]): Figures {
  const named = (name: string): PeriodFigure[] => rows.filter((row) => row.name === name);
  const countOf = (name: string): number => named(name).reduce((sum, { count }) => sum + Number(count), 0);
  const read = rows.map(({ countedAt }) => countedAt.getTime());
  return {
    from,
    to: rows[0]?.to ?? from,
    signUps: countOf("signUps"),
    activated: countOf("activated"),
    activeCards: countOf(activeCardsOf[period]),
    approved: countOf("approved"),
    declined: countOf("declined"),
    declines: named("declined")
      .map(({ part, count }) => ({ reason: part, count: Number(count) }))
      .toSorted((a, b) => b.count - a.count),
    spent: sumByPart(named("spent"), currencies),
    withdrawals: countOf("withdrawn"),
    withdrawn: sumByPart(named("withdrawn"), figureTokens),
    countedAt: new Date(Math.min(...read)),
  };
}

/** Lists periods, newest first; `after` is the first day of the last one that is known. @throws request.not_found */
export async function listFigures(
  { lists }: Pick<Services, "lists">,
  { period, after, limit }: { period: FigurePeriod | null; after: string | null; limit: number },
): Promise<Figures[]> {
  if (after !== null && !isDay(after)) fail("request.not_found");
  const of = period ?? "day";
  const rows = await lists.read((on) => listPeriodFigures(on, { period: of, before: after, limit }));
  return [...Map.groupBy(rows, ({ from }) => from)].map(([from, figures]) => describePeriod(of, from, figures));
}
