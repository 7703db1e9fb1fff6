/**
 * Messages by choice: payments, declines, refunds, sign-ins, withdrawals, cards. What waits for a person goes out as one
 * mail and one text message, and then nothing for a minute: a burst of payments is no flood.
 *
 * Texts cost the operator, and a person chooses the country of the number. Beyond the day's texts, and without a proven
 * number, all goes by mail.
 */
import { dayMs } from "@cardkeep/contract/core/durations";
import type { Quota } from "@cardkeep/contract/core/errors";
import { defaultMessageChoices } from "@cardkeep/contract/users/messages";
import { deleteMessages, listMessages, type UserMessage } from "@cardkeep/db/queries/users/messages";
import { findUser, type User } from "@cardkeep/db/queries/users/users";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { addIdleMessageJobs } from "@cardkeep/db/queue/missing";
import { ProviderRefused } from "@cardkeep/providers/http";
import type { WorkerContext } from "../../core/context.ts";
import type { Services } from "../../core/services.ts";
import { composeMail, composeText, languageOf } from "../../core/messages/composeMessage.ts";
import { tryTake } from "../../core/limits/rateLimits.ts";
import { describeMessage } from "./describeMessage.ts";

const pauseMs = 60_000;
/** Tries count, since the gateway may have sent a text that it did not answer. Codes and notices of changes do not. */
const textsPerDay: Quota = { name: "texts-by-choice", count: 20, withinSeconds: dayMs / 1000 };
/** Messages that are taken at once, and those that are shown one by one; the rest is counted. */
const takenMax = 500;
const shownMax = { mail: 20, sms: 3 } as const;

/** Adds the job of every person with waiting messages and without a job. */
export const enqueueMessages = async ({ db }: Pick<Services, "db">): Promise<void> => addIdleMessageJobs(db);

/**
 * Sends what waits for a person, each way by itself: what was sent is deleted at once, also where the other way is away.
 *
 * @throws ProviderUnavailable where nothing was sent; the job is run again
 */
export async function sendMessages(
  ctx: WorkerContext,
  { userId, requestId }: { userId: string; requestId: string },
): Promise<void> {
  const rows = await listMessages(ctx.db, userId, takenMax);
  if (rows.length === 0) return;
  const user = await findUser(ctx.db, userId);
  const choices = { ...defaultMessageChoices, ...user?.messageChoices };
  const isKept = (row: UserMessage): boolean => user?.erasedAt === null && choices[row.kind] !== "none";
  await remove(
    ctx,
    rows.filter((row) => !isKept(row)),
  );
  const kept = rows.filter(isKept);
  const phone = user?.isPhoneValidated ? user.phone : null;
  const isTextWanted = phone !== null && kept.some(({ kind }) => choices[kind] === "sms");
  const isTextLeft = isTextWanted && (await tryTake(ctx.rateLimits, textsPerDay, userId));
  const failures: unknown[] = [];
  let isSent = false;
  for (const way of ["mail", "sms"] as const) {
    const chosen = kept.filter(({ kind }) => way === (isTextLeft ? choices[kind] : "mail"));
    if (user === null || chosen.length === 0) continue;
    try {
      await send(ctx, user, way === "sms" ? phone : null, chosen);
      await remove(ctx, chosen);
      isSent = true;
    } catch (error) {
      failures.push(error);
    }
  }
  const [failure] = failures;
  if (failure !== undefined && !isSent) throw failure;
  if (failure !== undefined) ctx.log.warn({ err: failure, userId }, "messages wait: one way is away");
  await ctx.commit(({ tx }) => enqueue(tx, "user.messages", { userId, requestId }, pauseMs));
}

async function remove(ctx: WorkerContext, rows: readonly UserMessage[]): Promise<void> {
  if (rows.length === 0) return;
  const ids = rows.map(({ id }) => id);
  await ctx.commit(({ tx }) => deleteMessages(tx, ids));
}

/** Sends messages to a phone, or by mail where it is null. */
async function send(ctx: WorkerContext, user: User, phone: string | null, rows: readonly UserMessage[]): Promise<void> {
  const way = phone === null ? "mail" : "sms";
  const language = languageOf(ctx, user);
  const shown = rows.slice(0, shownMax[way]);
  const lines = (await Promise.all(shown.map((row) => describeMessage(ctx, language, row)))).filter(
    (line) => line !== null,
  );
  if (lines.length === 0) return;
  const values = { lines: lines.join("\n\n"), more: rows.length - shown.length, count: rows.length };
  const { app } = ctx.policy.programme.links;
  const textOf = (): string => [composeText(ctx, language, "messages", { values }), app].filter(Boolean).join(" ");
  const sending =
    phone === null
      ? ctx.mailer.send({ to: user.email, ...composeMail(ctx, language, "messages", { values }) })
      : ctx.sms.send({ to: phone, text: textOf() });
  await sending.catch((error: unknown) => {
    if (!(error instanceof ProviderRefused)) throw error;
    ctx.log.warn({ err: error, userId: user.id, way }, "a message was refused");
  });
}
