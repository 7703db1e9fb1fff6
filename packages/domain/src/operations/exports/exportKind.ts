/**
 * What an export is.
 *
 * - record: the values of one row by their names. - cursor: the key of a record; an export goes on behind one.
 */
import { type Token, type TokenSymbol, tokens } from "@cardkeep/chain/tokens";
import type { Executor } from "@cardkeep/db/client";
import type { ExportPage } from "@cardkeep/db/queries/operations/exports";
import type { Services } from "../../core/services.ts";
import type { Booking } from "./bookkeeping.ts";

export type ExportValue = string | number | null;

/** What all records of an export are built with. */
export interface ExportSetting {
  readonly zone: string;
  readonly now: Date;
  /** Per cent of value added tax within the price of an order; null where none is stated. */
  readonly taxPercent: string | null;
  /** First and last day that were asked for; null for none. */
  readonly from: string | null;
  readonly to: string | null;
}

/** Builds it from the programme's policy. */
export const buildSetting = (
  { statementTimeZone, orderTaxPercent }: Services["policy"],
  given: Pick<ExportSetting, "now" | "from" | "to">,
): ExportSetting => ({ ...given, zone: statementTimeZone, taxPercent: orderTaxPercent });

export interface ExportRecord {
  readonly key: readonly string[];
  /** The day that the export's range chooses by; null for a row that is not exported. */
  readonly day: string | null;
  /** When its row was recorded. */
  readonly recordedAt: Date | null;
  readonly values: Readonly<Record<string, ExportValue>>;
  /** Of a record of several rows: what each row has in place of its own values. */
  readonly rows?: readonly Readonly<Record<string, ExportValue>>[];
  readonly booking?: Booking;
}

export interface ExportKind {
  readonly brief: string;
  /** What its days are. */
  readonly day: string;
  /** Its keys begin with the time of which the day is. */
  readonly isByTime: boolean;
  /** Parts of a record's key. */
  readonly keyLength: number;
  /** Each row counts for the whole range, and comes from the books alone. */
  readonly isReport?: true;
  /** Columns of amounts of money, of a report. */
  readonly amounts?: readonly string[];
  /** Its keys are numbers, not ids. */
  readonly isNumbered?: true;
  /** The accounts of an export of bookings. */
  readonly accounts?: readonly string[];
  read(on: Executor, page: ExportPage, setting: ExportSetting): Promise<ExportRecord[]>;
}

/** An entry books a Safe whose currency is chosen. */
export const tokenOf = (symbol: TokenSymbol | null): Token => tokens[symbol ?? "EURe"];

/** To the millisecond; null stays null. */
export const formatTimestamp = (at: Date | null): string | null => at?.toISOString() ?? null;
