/** Exports of finance: whole tables as text, page by page, from any record on. */
import { hourMs } from "@cardkeep/contract/core/durations";
import { fail } from "@cardkeep/contract/core/errors";
import { givenDay } from "@cardkeep/contract/core/instantOrDate";
import { z } from "zod";
import { dayOf, nextDay, startOfDay } from "../../core/calendar.ts";
import type { OperatorContext } from "../../core/context.ts";
import { type ExportFormat, exportFormats, forms, isBegunAs } from "./formats.ts";
import { buildSetting, type ExportKind, type ExportRecord } from "./exportKind.ts";
import { exportKinds, type ExportName, findExportKind, keyAt } from "./records.ts";

/**
 * Rows of one page. Each page is a query of its own, so an export holds no transaction. What lives of a page at a young collection
 * stays until the next full one: 1,000 rows left four times as much as these, and were no faster.
 */
const pageRows = 250;
/** What was recorded in this time before may not be visible yet. */
const lateCommitMs = 60_000;
/** Ids are made before their rows, by a clock that may differ. */
const clockMs = hourMs;

const day = givenDay("must be a day, such as 2026-11-30").optional();
const exportNames = Object.keys(exportKinds) as [ExportName, ...ExportName[]];

const hasForm = (name: ExportName, format: ExportFormat): boolean =>
  format !== "beancount" || findExportKind(name).accounts !== undefined;

export const exportInput = z
  .strictObject({
    name: z.enum(exportNames),
    format: z.enum(exportFormats).default("csv"),
    from: day,
    to: day,
    after: z.string().optional(),
  })
  .refine(({ name, format }) => hasForm(name, format), {
    path: ["format"],
    error: "beancount is a form of ledger and journal alone",
  })
  .refine(({ from, to }) => from === undefined || to === undefined || from <= to, {
    path: ["to"],
    error: "must not be before from",
  });
/** What can be exported. */
export const listExports = () =>
  exportNames.map((name) => {
    const { brief, day: of } = findExportKind(name);
    return {
      name,
      brief,
      day: of,
      formats: exportFormats.filter((format) => hasForm(name, format)),
    };
  });

export type ExportInput = z.output<typeof exportInput>;

const formatCursor = (key: readonly string[]): string =>
  key.map((part) => encodeURIComponent(part).replaceAll("~", "%7E")).join("~");

/** @throws request.invalid */
function readCursor(cursor: string): string[] {
  try {
    return cursor.split("~").map(decodeURIComponent);
  } catch (error) {
    if (error instanceof URIError) return fail("request.invalid", { text: "after is no cursor of an export" });
    throw error;
  }
}

/** Whether a cursor's parts can be the key of a record. */
const isKey = ({ keyLength, isNumbered }: ExportKind, key: readonly string[]): boolean =>
  key.length === keyLength && key.every((part) => (isNumbered ? /^\d{1,18}$/.test(part) : !part.includes("\0")));

export interface RunningExport {
  readonly fileName: string;
  readonly contentType: string;
  /** Pieces of text, none of which is long. */
  readonly pieces: AsyncGenerator<string>;
  /**
   * Whether the beginning of a file is one of this export in this form, which may have been begun behind a cursor. An export of no records
   * has none.
   */
  isOf(text: string, mayLackHead: boolean): Promise<boolean>;
}

/**
 * Whether an export that goes on has all that was recorded since it began. Of the journal, what is new comes last. Of the others it may
 * come before the cursor, so their days have to be over.
 */
async function isComplete({ clock, db, policy }: OperatorContext, { name, to }: ExportInput): Promise<boolean> {
  if (findExportKind(name).isNumbered) return true;
  return to !== undefined && to < dayOf(await clock.now(db), policy.statementTimeZone);
}

/** Begins an export, which the action log records; `isResumed` where it is to go on in a file. @throws request.invalid */
export async function beginExport(
  ctx: OperatorContext,
  given: unknown,
  { isResumed = false }: { isResumed?: boolean } = {},
): Promise<RunningExport> {
  const parsed = exportInput.safeParse(given);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return fail("request.invalid", { text: `Invalid value for ${issue?.path.join(".")}: ${issue?.message}` });
  }
  const input = parsed.data;
  const after = input.after === undefined ? null : readCursor(input.after);
  if (after !== null && !isKey(findExportKind(input.name), after))
    fail("request.invalid", { text: `after is no cursor of the export ${input.name}` });
  const { name, format, from = null, to = null } = input;
  if ((isResumed || after !== null) && !(await isComplete(ctx, input)))
    fail("request.invalid", { text: `The export ${name} goes on only with a last day that is over` });
  const now = await ctx.act("exports.run", async (work) => ({
    output: work.now,
    subject: { kind: "list", id: name },
    before: null,
    after: { format, from, to, after: input.after ?? null },
  }));
  const { extension, contentType } = forms[format];
  const accounts = findExportKind(name).accounts ?? [];
  const range = [from, to].filter((each) => each !== null).join("-");
  return {
    fileName: `cardkeep-${[name, range || now.toISOString().slice(0, 10)].join("-")}.${extension}`,
    contentType,
    pieces: listPieces(ctx, input, { after, now }),
    isOf: async (text, mayLackHead) => {
      const { kind, setting, below } = buildRange(ctx, input, now);
      const [record] = await ctx.lists.read((on) => kind.read(on, { after: null, below, limit: 1 }, setting));
      if (record === undefined) return false;
      return isBegunAs(format, text, { names: Object.keys(record.values), accounts, mayLackHead });
    },
  };
}

/** Where an export begins and ends. */
function buildRange({ policy }: OperatorContext, { name, from, to }: ExportInput, now: Date) {
  const setting = buildSetting(policy, { now, from: from ?? null, to: to ?? null });
  const until = new Date(now.getTime() - lateCommitMs);
  const keyNear = (at: Date, byMs: number) => keyAt(name, new Date(at.getTime() + byMs), now);
  const below = keyNear(to === undefined ? until : startOfDay(nextDay(to), setting.zone), clockMs);
  const start = from === undefined ? null : keyNear(startOfDay(from, setting.zone), -clockMs);
  return { kind: findExportKind(name), setting, until, below, start };
}

async function* listPieces(
  ctx: OperatorContext,
  input: ExportInput,
  { after, now }: { after: readonly string[] | null; now: Date },
): AsyncGenerator<string> {
  const { from, to } = input;
  const form = forms[input.format];
  const { kind, setting, until, below, start } = buildRange(ctx, input, now);
  let position = after ?? (start === null ? null : [start]);
  let isBegun = after !== null;
  for (;;) {
    const page = { after: position, below, limit: pageRows };
    const records = await ctx.lists.read((on) => kind.read(on, page, setting));
    const isYoung = ({ recordedAt }: ExportRecord): boolean => recordedAt !== null && recordedAt >= until;
    // What goes on behind a number never comes back to one before: the first that may have to wait ends it.
    const end = kind.isNumbered ? records.findIndex(isYoung) : -1;
    const chosen = (end < 0 ? records : records.slice(0, end)).filter(
      (record) =>
        record.day !== null &&
        (from === undefined || record.day >= from) &&
        (to === undefined || record.day <= to) &&
        !isYoung(record),
    );
    if (!isBegun && records.length > 0) yield form.head(Object.keys(records[0]?.values ?? {}), kind.accounts ?? []);
    isBegun ||= records.length > 0;
    if (chosen.length > 0)
      yield chosen.map((record) => form.format({ ...record, cursor: formatCursor(record.key) })).join("");
    const last = records.at(-1);
    if (end >= 0 || last === undefined || records.length < pageRows) return;
    position = last.key;
  }
}
