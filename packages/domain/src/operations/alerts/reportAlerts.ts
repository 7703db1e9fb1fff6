/**
 * Alerts of operators, by a signed webhook and by mail: once while a fault lasts, all new ones of a minute together.
 *
 * - way: `webhook` or `mail`. Each is a job of its own: one may fail alone.
 */
import { hourMs } from "@cardkeep/contract/core/durations";
import {
  addAlerts,
  alertWays,
  type AlertWay,
  deleteGoneAlerts,
  listUnsentAlerts,
  markAlertsSent,
  type OperatorAlert,
} from "@cardkeep/db/queries/operators/alerts";
import { keysOf } from "@cardkeep/contract/core/keysOf";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { createHash } from "node:crypto";
import { postWebhook } from "../../core/postWebhook.ts";
import { publicUrlOf } from "../../core/publicUrl.ts";
import type { CommitContext, WorkerContext } from "../../core/context.ts";
import type { Services } from "../../core/services.ts";
import { findAlerts } from "./findAlerts.ts";

/** A fault that comes and goes is reported once an hour. */
const forgottenAfterMs = hourMs;
/** Alerts of one message, and those that it shows one by one. */
const takenMax = 1_000;
const shownMax = 20;

/** The ways that the settings name. */
const listWays = ({ policy }: Pick<Services, "policy">): AlertWay[] => {
  const { webhookUrl, mail } = policy.operators.alerts;
  return keysOf(alertWays).filter((way) => (way === "webhook" ? webhookUrl : mail) !== null);
};

/**
 * Compares what is wrong with what is known, and has the news sent. Several workers may do so at once: a fault that one of
 * them does not see any more stays known for an hour.
 */
export async function reportAlerts(ctx: CommitContext): Promise<void> {
  const ways = listWays(ctx);
  if (ways.length === 0) return;
  // Before the transaction: it asks the chain too.
  const found = await findAlerts(ctx);
  await ctx.commit(async ({ tx, now, requestId }) => {
    await addAlerts(tx, found, now);
    const keys = found.map(({ key }) => key);
    await deleteGoneAlerts(tx, keys, new Date(now.getTime() - forgottenAfterMs));
    for (const way of ways) {
      const [unsent] = await listUnsentAlerts(tx, way, 1);
      if (unsent) await enqueue(tx, "operator.alert", { way, requestId });
    }
  });
}

/**
 * Sends what was not sent one way yet, as one message. A crash before the end sends the same message again, with the same id.
 *
 * @throws Error where the receiver does not take it; the job is run again
 */
export async function sendAlerts(ctx: WorkerContext, { way: given }: { way: string }): Promise<void> {
  const way = listWays(ctx).find((known) => known === given);
  const rows = way === undefined ? [] : await listUnsentAlerts(ctx.db, way, takenMax);
  if (way === undefined || rows.length === 0) return;
  await (way === "webhook" ? post(ctx, rows) : mail(ctx, rows));
  const keys = rows.map(({ key }) => key);
  await ctx.commit(({ tx, now }) => markAlertsSent(tx, way, keys, now));
}

const urlOf = ({ policy }: Pick<Services, "policy">, path: string): string => publicUrlOf(policy.publicUrl, path);

/** Names a message by its alerts, so that a receiver knows one that comes again. */
const idOf = (rows: readonly OperatorAlert[]): string => {
  const named = rows.map(({ key, foundAt }) => `${key} ${foundAt.getTime()}`).join("\n");
  return `alert_${createHash("sha256").update(named).digest("hex").slice(0, 32)}`;
};

async function post(ctx: WorkerContext, rows: readonly OperatorAlert[]): Promise<void> {
  const id = idOf(rows);
  const alerts = rows.slice(0, shownMax).map(({ key, text, path, foundAt }) => ({
    key,
    text,
    url: urlOf(ctx, path),
    foundAt: foundAt.toISOString(),
  }));
  const body = JSON.stringify({ eventType: "operator.alert", data: { alerts, more: rows.length - alerts.length } });
  await postWebhook(ctx, { whose: "alert", url: ctx.policy.operators.alerts.webhookUrl ?? "", id, body, secrets: [] });
}

async function mail(ctx: WorkerContext, rows: readonly OperatorAlert[]): Promise<void> {
  const shown = rows.slice(0, shownMax).map(({ text, path }) => `${text}\n${urlOf(ctx, path)}`);
  const rest = rows.length - shown.length;
  const more = rest === 0 ? [] : [`And ${rest} more: ${urlOf(ctx, "/operator")}`];
  const [first] = rows;
  const about = rows.length === 1 ? first?.text.split(":")[0] : `${rows.length} alerts`;
  await ctx.mailer.send({
    to: ctx.policy.operators.alerts.mail ?? "",
    subject: `${ctx.policy.programme.name}: ${about}`,
    text: `${[...shown, ...more].join("\n\n")}\n`,
  });
}
