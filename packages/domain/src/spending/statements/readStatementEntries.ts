/** The entries of a range, from the rows that there are. */
import { entryKinds, type StatementEntry, statementEntriesMax } from "@cardkeep/contract/spending/statements";
import type { Executor } from "@cardkeep/db/client";
import type { Movement } from "@cardkeep/db/queries/accounts/movements";
import {
  countMovements,
  listMovements,
  type Summed,
  type SummedMovements,
  sumUnnamed,
} from "@cardkeep/db/queries/spending/statedMovements";
import { listCauses } from "@cardkeep/db/queries/spending/statements";
import { toMerchantMinor } from "../payments/buildCardEvent.ts";
import { buildCardFacts, formatAmount } from "./cardFacts.ts";
import { describeStatementEntry, type NamedMovement, nameMovements } from "./nameEntries.ts";
import {
  type Payments,
  type Range,
  rateDayOf,
  readPayments,
  pageRowsDefault,
  type StatementSubject,
} from "./readPayments.ts";

/** An entry before the balance behind it is known. */
interface Line {
  readonly amount: bigint;
  readonly statedAt: Date;
  readonly entry: Omit<StatementEntry, "amount" | "balance" | "statedAt">;
}

function buildCard(
  { transfer, kind }: NamedMovement,
  { byId, clearingsOf, rates, hashOf }: Payments,
  zone: string,
): StatementEntry["card"] {
  const payment = transfer && byId.get(transfer.paymentId);
  if (!payment) return null;
  const own = clearingsOf.get(payment.id) ?? [];
  const followed = own.find(({ id }) => id === transfer.clearingId);
  const captures = own.filter((clearing) => clearing.kind === "capture");
  const cents = payment.capturedCents > 0n ? payment.capturedCents : payment.authorizedCents;
  const amounts = followed
    ? { cents: followed.amountCents, minor: followed.merchantMinor }
    : { cents, minor: payment.capturedCents > 0n ? payment.capturedMinor : toMerchantMinor(cents, payment) };
  const dated = followed ?? captures[0];
  return {
    ...buildCardFacts(payment, followed ? [followed] : captures, {
      ...amounts,
      day: rateDayOf(payment, dated, zone),
      rates,
    }),
    isPending: payment.status === "AUTHORIZED",
    clearedAt: (dated?.postedAt ?? payment.clearedAt)?.toISOString() ?? null,
    original: kind === "card_payment" ? null : { threadId: payment.threadId, hash: hashOf(payment.id) },
  };
}

function buildLine(named: NamedMovement, payments: Payments, zone: string): Line {
  const { movement, kind, ibanPayment } = named;
  const card = buildCard(named, payments, zone);
  return {
    amount: movement.amount,
    statedAt: movement.statedAt,
    entry: {
      at: movement.at.toISOString(),
      kind,
      description: describeStatementEntry(named, card?.merchant ?? null),
      hash: movement.hash,
      party: movement.party,
      counterpart: ibanPayment && {
        name: ibanPayment.counterpart.details.name ?? null,
        iban: "iban" in ibanPayment.counterpart.identifier ? ibanPayment.counterpart.identifier.iban : null,
        memo: ibanPayment.memo,
      },
      card,
    },
  };
}

/** One line for the transfers of a day that do not stand alone. */
function buildSum({ isIn, amount, count, at, statedAt }: SummedMovements): Line {
  const kind = isIn ? "transfer_in" : "transfer_out";
  const description = `${entryKinds[kind]}: ${count} of this day`;
  const entry = {
    at: at.toISOString(),
    kind,
    description,
    count,
    hash: "",
    party: "",
    counterpart: null,
    card: null,
  } as const;
  return { amount, statedAt, entry };
}

/** The movements that stand alone, page by page. */
async function listLines(
  on: Executor,
  subject: StatementSubject,
  range: Range,
  how: Pick<Parameters<typeof listMovements>[2], "summed" | "cent" | "limit">,
): Promise<Line[]> {
  const account = { userId: subject.userId, token: subject.token.address };
  const lines: Line[] = [];
  const taken = new Set<string>();
  for (let after: Movement | null = null; ;) {
    const page: Movement[] = await listMovements(on, account, { ...range, ...how, after });
    const causes = await listCauses(on, subject.userId, [...new Set(page.map(({ hash }) => hash))]);
    const paymentIds = [...new Set(causes.transfers.map(({ paymentId }) => paymentId))];
    const payments = await readPayments(on, subject, paymentIds, range);
    for (const named of nameMovements(page, causes, payments.clearings, taken))
      lines.push(buildLine(named, payments, subject.zone));
    after = page.at(-1) ?? null;
    if (page.length < how.limit) return lines;
  }
}

/** Base units of a cent. */
export const centOf = ({ decimals }: StatementSubject["token"]): bigint => 10n ** BigInt(decimals - 2);

/**
 * What of a range is summed: transfers into the account of less than a cent that no act of the person caused. Behind `entriesMax`
 * other movements, so are all transfers without such a cause: strangers can make them.
 */
export async function chooseSummed(
  on: Executor,
  { userId, token }: StatementSubject,
  range: Range,
  entriesMax = statementEntriesMax,
): Promise<Summed> {
  const { all, small } = await countMovements(on, { userId, token: token.address }, range, centOf(token));
  if (all - small > entriesMax) return "all";
  return small === 0 ? "none" : "small";
}

/** The entries of a range behind an opening balance. What is summed is one entry a day and direction. */
export async function readStatementEntries(
  on: Executor,
  subject: StatementSubject,
  range: Range,
  { opening, summed, pageRows = pageRowsDefault }: { opening: bigint; summed: Summed; pageRows?: number },
): Promise<StatementEntry[]> {
  const { userId, token, zone } = subject;
  const account = { userId, token: token.address };
  const cent = centOf(token);
  const sums = summed === "none" ? [] : await sumUnnamed(on, account, { ...range, summed, cent, zone });
  const lines = [...(await listLines(on, subject, range, { summed, cent, limit: pageRows })), ...sums.map(buildSum)];
  let balance = opening;
  return lines
    .toSorted((a, b) => a.statedAt.getTime() - b.statedAt.getTime())
    .map(({ amount, statedAt, entry: { at, kind, ...rest } }) => {
      balance += amount;
      return {
        at,
        statedAt: statedAt.toISOString(),
        kind,
        amount: formatAmount(amount, token.decimals),
        balance: formatAmount(balance, token.decimals),
        ...rest,
      };
    });
}
