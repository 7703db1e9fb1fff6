import { cardCaseKinds } from "@cardkeep/contract/spending/cardCases";
import { tokens } from "@cardkeep/chain/tokens";
import { keysOf } from "@cardkeep/contract/core/keysOf";
import type { OperatorAlert } from "@cardkeep/db/queries/operators/alerts";
import { listCases } from "@cardkeep/db/queries/spending/cases";
import { listDebtorsFrom } from "@cardkeep/db/queries/spending/debts";
import { listCover } from "@cardkeep/db/queries/treasury/issuerMoney";
import { listDiscrepancies } from "@cardkeep/db/queries/sync/reconciliations";
import { centsToBaseUnits } from "../../core/money.ts";
import type { Services } from "../../core/services.ts";
import { formatMinor, formatTokenShort } from "../../spending/payments/formatMoney.ts";
import { describeCover } from "../../treasury/issuerMoney/describeCover.ts";
import { isOfPerson } from "../../spending/cases/listCases.ts";
import { diagnose } from "../health/diagnose.ts";

export type FoundAlert = Pick<OperatorAlert, "key" | "text" | "path">;

/** Rows of a kind that are looked at; the newest ones count. */
const rowsMax = 300;

/** What is to be alerted to now: doctor's faults, open cases, discrepancies, debts from a limit on, and short cover. No personal data. */
export async function findAlerts(ctx: Services): Promise<FoundAlert[]> {
  const findings = await diagnose(ctx, { asksProviders: false });
  const faults = findings
    .filter(({ severity }) => severity === "fault")
    .flatMap(({ check, text, parts = [] }) => {
      const alert = { text: `${check}: ${text}`, path: "/operator" };
      return parts.length === 0
        ? [{ ...alert, key: `doctor:${check}` }]
        : parts.map((part) => ({ ...alert, key: `doctor:${check}:${part}` }));
    });
  const [cases, open, debts, short] = await Promise.all([
    findCases(ctx),
    findDiscrepancies(ctx),
    findDebts(ctx),
    findShortCovers(ctx),
  ]);
  return [...faults, ...cases, ...open, ...debts, ...short];
}

/** Currencies whose balance at the issuer ends before a transfer would arrive. */
async function findShortCovers({ db }: Pick<Services, "db">): Promise<FoundAlert[]> {
  const covers = (await listCover(db)).filter(({ shortSince }) => shortSince !== null);
  return covers.map((cover) => ({
    key: `cover:${cover.currency}`,
    text: `Hours of cover: ${describeCover([cover])}`,
    path: "/operator/money",
  }));
}

async function findCases({ db }: Pick<Services, "db">): Promise<FoundAlert[]> {
  const all = { kind: null, userId: null, paymentId: null, after: null };
  const rows = await listCases(db, { ...all, status: "OPEN", limit: rowsMax });
  return rows.map((row) => ({
    key: `case:${row.id}`,
    text: `Case ${row.kind}${isOfPerson(row) ? "" : ` of ${formatMinor(row.amountCents, row.currency)}`}: ${cardCaseKinds[row.kind]}`,
    path: `/operator/cases/${row.id}`,
  }));
}

async function findDiscrepancies({ db }: Pick<Services, "db">): Promise<FoundAlert[]> {
  const rows = await listDiscrepancies(db, rowsMax);
  return rows
    .filter(({ resolvedAt }) => resolvedAt === null)
    .map(({ id, kind }) => ({
      key: `discrepancy:${id}`,
      text: `Discrepancy ${kind}: \`cardkeep reconcile --report\` shows it`,
      path: "/operator",
    }));
}

async function findDebts({ db, policy }: Pick<Services, "db" | "policy">): Promise<FoundAlert[]> {
  const { debtCentsMin } = policy.operators.alerts;
  const lists = await Promise.all(
    keysOf(tokens).map(async (symbol) => {
      const least = centsToBaseUnits(debtCentsMin, tokens[symbol]);
      return (await listDebtorsFrom(db, symbol, least, rowsMax)).map((userId) => ({
        key: `debt:${userId}:${symbol}`,
        text: `A user owes ${formatTokenShort(least, symbol)} or more for card payments`,
        path: `/operator/users/${userId}`,
      }));
    }),
  );
  return lists.flat();
}
