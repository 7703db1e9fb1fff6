/**
 * Messages by choice: payments, declines, refunds, withdrawals, cards; and warnings about who signs in. What waits for a person
 * goes out as one mail and one text message, and then nothing for a minute: a burst of payments is no flood.
 *
 * Texts cost the operator, and a person chooses the country of the number. Beyond the day's texts, and without a proven
 * number, all goes by mail. An unproven mail address may be a stranger's: it gets as many mails as it gets codes, and no payment in
 * words.
 */
import { dayMs } from "@cardkeep/contract/core/durations";
import type { Quota } from "@cardkeep/contract/core/errors";
import { defaultMessageChoices } from "@cardkeep/contract/users/messages";
import { deleteMessages, listMessages, type UserMessage } from "@cardkeep/db/queries/users/messages";
import { warningKind, type WarningWay, readWarning } from "@cardkeep/db/queries/users/warnings";
import { findUser, type User } from "@cardkeep/db/queries/users/users";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { addIdleMessageJobs } from "@cardkeep/db/queue/missing";
import { ProviderUnavailable } from "@cardkeep/providers/http";
import { findProvenPhone } from "../../core/cardholders/contactWindow.ts";
import type { WorkerContext } from "../../core/context.ts";
import type { Services } from "../../core/services.ts";
import { composeMail, composeText, languageOf } from "../../core/messages/composeMessage.ts";
import { leaveOutRefused } from "../../core/messages/leaveOutRefused.ts";
import { takeUnprovenMail } from "../../core/messages/takeUnprovenMail.ts";
import { tryTake } from "../../core/limits/rateLimits.ts";
import { describeMessage } from "./describeMessage.ts";

const pauseMs = 60_000;
/** Tries count where the gateway may have sent a text that it did not answer. Codes and messages about changes do not. */
const textsPerDay: Quota = { name: "texts-by-choice", count: 20, withinSeconds: dayMs / 1000 };
/** The same of warnings, which all go by mail too. Texts by choice take none of them. */
const warningTextsPerDay: Quota = { name: "texts-of-warnings", count: 5, withinSeconds: dayMs / 1000 };
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
  const isKept = (row: UserMessage): boolean =>
    user?.erasedAt === null && (isWarning(row) || choices[row.kind] !== "none");
  await remove(
    ctx,
    rows.filter((row) => !isKept(row)),
  );
  const kept = rows.filter(isKept);
  if (user === null || kept.length === 0) return;
  const sendings = await listSendings(ctx, user, kept);
  const failures: unknown[] = [];
  let isSent = false;
  let waitMs = pauseMs;
  for (const { way, to, rows: chosen, quota } of sendings) {
    const isDiscreet = way === "mail" && user.emailProvenAt === null;
    const unprovenWaitMs = isDiscreet ? await takeUnprovenMail(ctx, userId) : 0;
    if (unprovenWaitMs > 0) {
      // A text may come meanwhile, and waits for no mail.
      if (sendings.length === 1 && user.phone === null) waitMs = Math.max(pauseMs, unprovenWaitMs);
      isSent = true;
      continue;
    }
    try {
      await send(ctx, user, { way, to, rows: chosen, isDiscreet });
      await remove(ctx, chosen);
      isSent = true;
    } catch (error) {
      failures.push(error);
      const isUnsent = error instanceof ProviderUnavailable && error.isWithoutEffect;
      if (isUnsent && quota !== null) ctx.rateLimits.giveBack(quota, userId);
    }
  }
  const [failure] = failures;
  if (failure !== undefined && !isSent) throw failure;
  if (failure !== undefined) ctx.log.warn({ err: failure, userId }, "messages wait: one way is away");
  await ctx.commit(({ tx }) => enqueue(tx, "user.messages", { userId, requestId }, waitMs));
}

const isWarning = ({ kind }: UserMessage): boolean => kind === warningKind;

/**
 * What is shown first, the least weight before the rest: a thief makes any number of tokens and small payments, and none of them
 * may hide a wallet of the thief's.
 */
function weigh(row: UserMessage): number {
  if (!isWarning(row)) return 2;
  return readWarning(row).what === "token" ? 1 : 0;
}

/** Messages that go out as one. */
interface Sending {
  readonly way: WarningWay;
  readonly to: string;
  readonly rows: readonly UserMessage[];
  /** Of what one was taken for it. */
  readonly quota: Quota | null;
}

/** What goes where. A text of a warning that cannot be sent is deleted: the warning goes by mail too. */
async function listSendings(ctx: WorkerContext, user: User, rows: readonly UserMessage[]): Promise<Sending[]> {
  const choices = { ...defaultMessageChoices, ...user.messageChoices };
  const phone = user.isPhoneValidated ? user.phone : null;
  const isTextWanted = phone !== null && rows.some((row) => !isWarning(row) && choices[row.kind] === "sms");
  const isTextLeft = isTextWanted && (await tryTake(ctx.rateLimits, textsPerDay, user.id));
  const texts = rows.filter((row) => isWarning(row) && readWarning(row).way === "sms");
  const warningPhone = texts.length === 0 ? null : await findProvenPhone(ctx.db, user, await ctx.clock.now(ctx.db));
  const isWarningLeft = warningPhone !== null && (await tryTake(ctx.rateLimits, warningTextsPerDay, user.id));
  if (!isWarningLeft) await remove(ctx, texts);
  const byChoice = rows.filter((row) => !isWarning(row) && isTextLeft && choices[row.kind] === "sms");
  const sendings: Sending[] = [
    {
      way: "mail",
      to: user.email,
      rows: rows.filter((row) => !texts.includes(row) && !byChoice.includes(row)),
      quota: null,
    },
    // The number that counts for warnings is an earlier one while the window of a change is open.
    { way: "sms", to: phone ?? "", rows: byChoice, quota: textsPerDay },
    { way: "sms", to: warningPhone ?? "", rows: isWarningLeft ? texts : [], quota: warningTextsPerDay },
  ];
  return sendings.filter((sending) => sending.rows.length > 0);
}

async function remove(ctx: WorkerContext, rows: readonly UserMessage[]): Promise<void> {
  if (rows.length === 0) return;
  const ids = rows.map(({ id }) => id);
  await ctx.commit(({ tx }) => deleteMessages(tx, ids));
}

/** Sends messages as one. A discreet one names no merchant, amount or reason. */
async function send(
  ctx: WorkerContext,
  user: User,
  { way, to, rows, isDiscreet }: Omit<Sending, "quota"> & { isDiscreet: boolean },
): Promise<void> {
  const language = languageOf(ctx, user);
  const shown = rows.toSorted((one, other) => weigh(one) - weigh(other)).slice(0, shownMax[way]);
  const lines = (await Promise.all(shown.map((row) => describeMessage(ctx, language, row, { isDiscreet })))).filter(
    (line) => line !== null,
  );
  if (lines.length === 0) return;
  const values = { lines: lines.join("\n\n"), more: rows.length - shown.length, count: rows.length };
  const { app } = ctx.policy.programme.links;
  const textOf = (): string => [composeText(ctx, language, "messages", { values }), app].filter(Boolean).join(" ");
  const sending =
    way === "mail"
      ? ctx.mailer.send({ to, ...composeMail(ctx, language, "messages", { values }) })
      : ctx.sms.send({ to, text: textOf() });
  await leaveOutRefused(ctx, { userId: user.id, way }, sending);
}
