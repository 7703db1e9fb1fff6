/** Closes of the books for an operator: to list, to show, to make. */
import { fail } from "@cardkeep/contract/core/errors";
import { findClose, listCloses as listRows } from "@cardkeep/db/queries/books/closes";
import { createContext, type OperatorContext } from "../../core/context.ts";
import type { Services } from "../../core/services.ts";
import type { CloseDocument } from "./closeDocument.ts";
import { digestOf } from "./merkle.ts";
import { isDay } from "../../core/calendar.ts";
import { closeUpTo, findLastDay, parseClose, requireClosable } from "./closeDay.ts";

/** A close with the digest of its document. */
export interface Close extends CloseDocument {
  readonly digest: string;
}

/** @throws books.changed where the document is not the one of its digest */
const toClose = (row: { digest: string; document: string }): Close =>
  digestOf(row.document) === row.digest ? { ...parseClose(row), digest: row.digest } : fail("books.changed");

/** The closed days, newest first. @throws books.invalid_day */
export async function listCloses(
  { db }: Pick<Services, "db">,
  { after, limit }: { after: string | null; limit: number },
): Promise<Close[]> {
  if (after !== null && !isDay(after)) fail("books.invalid_day");
  return (await listRows(db, { before: after, limit })).map(toClose);
}

/** @throws books.invalid_day, books.not_closed */
export async function getClose({ db }: Pick<Services, "db">, { day }: { day: string }): Promise<Close> {
  if (!isDay(day)) fail("books.invalid_day");
  return toClose((await findClose(db, day)) ?? fail("books.not_closed"));
}

/**
 * Closes every open day up to one, as an operator; without a day, up to yesterday. One that is closed stays as it is.
 *
 * @throws operators.forbidden, books.invalid_day, books.day_not_over, books.day_before, books.witness_behind
 */
export async function closeAsOperator(ctx: OperatorContext, { day }: { day: string | null }): Promise<Close> {
  const last = day ?? (await findLastDay(ctx));
  await requireClosable(ctx, last);
  const known = await findClose(ctx.db, last);
  if (known !== null) return toClose(known);
  await ctx.act("books.close", async () => ({
    output: null,
    subject: { kind: "close", id: last },
    before: { isClosed: false },
    after: { isClosed: true },
  }));
  // It reads as many blocks and entries as passed since the last close.
  const patient = { ...ctx, chain: ctx.patientChain };
  await closeUpTo(createContext(patient, { log: ctx.log, requestId: ctx.requestId }), last);
  return getClose(ctx, { day: last });
}
