/** Makes a statement of a range from the rows that there are. */
import { tokens } from "@cardkeep/chain/tokens";
import { fail } from "@cardkeep/contract/core/errors";
import { type Statement, statement as statementSchema } from "@cardkeep/contract/spending/statements";
import type { Executor } from "@cardkeep/db/client";
import { findActiveSafe } from "@cardkeep/db/queries/accounts/safes";
import { type Summed, sumMovements } from "@cardkeep/db/queries/spending/statedMovements";
import { findIban } from "@cardkeep/db/queries/users/ibans";
import { findUser } from "@cardkeep/db/queries/users/users";
import { createHash } from "node:crypto";
import { closeOfMonth, nextMonth, startOfMonth } from "../../core/calendar.ts";
import type { CommitContext, Context } from "../../core/context.ts";
import { buildStatement } from "./buildStatement.ts";
import { readCardLines } from "./readCardLines.ts";
import { readStatementEntries } from "./readStatementEntries.ts";
import type { Range, StatementSubject } from "./readPayments.ts";

/** What was recorded just before the close may be committed this much later. */
const lateCommitMs = 60_000;

export type StatementContext = Pick<Context, "requestId"> &
  Pick<CommitContext, "db" | "clock" | "policy" | "languages" | "commit">;

/** @throws safes.not_found */
export async function readStatementAccount({ db, policy, languages }: StatementContext, userId: string) {
  const [user, safe, iban] = await Promise.all([
    findUser(db, userId),
    findActiveSafe(db, userId),
    findIban(db, userId),
  ]);
  if (!user || !safe) return fail("safes.not_found");
  const token = tokens[safe.tokenSymbol];
  return {
    user,
    language: languages.of(user.language).code,
    safeAddress: safe.address,
    iban: iban?.iban ?? null,
    token,
    zone: policy.statementTimeZone,
    issuedBy: policy.programme.name,
    openedAt: safe.createdAt,
  };
}

export type Account = Awaited<ReturnType<typeof readStatementAccount>>;

/** Whether what happened in a month is all recorded. */
export const isOver = (month: string, zone: string, now: Date): boolean =>
  now.getTime() >= closeOfMonth(month, zone).getTime() + lateCommitMs;

export const rangeOfMonth = (month: string, zone: string): Range => ({
  from: startOfMonth(month, zone),
  to: startOfMonth(nextMonth(month), zone),
});

export const subjectOf = ({ user, token, zone }: Account): StatementSubject => ({ userId: user.id, token, zone });

/** Reads the statement of a range on one snapshot: both balances and all entries belong together. */
export async function readStatement(
  tx: Executor,
  account: Account,
  range: Range,
  { summed, ...head }: { month: string | null; now: Date; isFinal: boolean; summed: Summed },
): Promise<Statement> {
  const subject = subjectOf(account);
  const opening = await sumMovements(tx, { userId: subject.userId, token: account.token.address }, range.from);
  const entries = await readStatementEntries(tx, subject, range, { opening, summed });
  const cardItems = await readCardLines(tx, subject, range);
  return buildStatement({ ...account, ...head }, range, { opening, entries, cardItems });
}

/** What is stored of a statement. */
export function buildDocument(statement: object): { document: string; digest: string } {
  const document = JSON.stringify(statement);
  return { document, digest: createHash("sha256").update(document).digest("hex") };
}

export const readStored = ({ document, digest }: { document: string; digest: string }): Statement => ({
  ...statementSchema.parse(JSON.parse(document)),
  digest,
});
