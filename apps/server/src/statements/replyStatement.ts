/** Statements on REST in the form that the request asks for. */
import { fail } from "@cardkeep/contract/core/errors";
import {
  type Statement,
  statementEntriesMax,
  type StatementFormat,
  statementFormats,
} from "@cardkeep/contract/spending/statements";
import { createWaits, holdPlace } from "@cardkeep/domain/core/waits";
import type { Runtime } from "@cardkeep/runtime/compose";
import { createGate } from "@cardkeep/domain/core/gate";
import type { HeaderSet } from "../headers.ts";
import { urlOf } from "../url.ts";
import { hasTag, tagOf } from "../reply.ts";
import { buildCamt } from "./camt.ts";
import { buildStatementCsv } from "./csv.ts";
import { createLogoReader } from "./readLogo.ts";
import { createDay, findLastInstant, nameRange } from "./rounded.ts";

/** What each form is called in `Accept` and `Content-Type`, its own name first. */
const mediaTypes: Readonly<Record<StatementFormat, readonly [string, ...string[]]>> = {
  json: ["application/json", "application/*", "*/*"],
  csv: ["text/csv", "text/*"],
  pdf: ["application/pdf"],
  camt053: ["application/xml", "text/xml"],
};
const extensions = { json: "json", csv: "csv", pdf: "pdf", camt053: "xml" } as const;

const isFormat = (text: string | null): text is StatementFormat => statementFormats.some((format) => format === text);

/** The form of an answer: `format` of the query, else the one that `Accept` prefers, else JSON. */
function findFormat(request: Request): StatementFormat {
  const given = urlOf(request).searchParams.get("format");
  if (isFormat(given)) return given;
  const wanted = (request.headers.get("accept") ?? "")
    .split(",")
    .map((range, place) => {
      const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
      const quality = parameters.find((parameter) => parameter.startsWith("q="));
      return { type, place, weight: quality === undefined ? 1 : Number(quality.slice(2)) };
    })
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight || a.place - b.place);
  for (const { type } of wanted) {
    const found = statementFormats.find((format) => mediaTypes[format].includes(type));
    if (found) return found;
  }
  return "json";
}

/** One statement at a time is set as pages. Few of one account wait, because those of others wait behind them, ten seconds at most. */
const waitingMax = 20;
const waitingOfAccountMax = 4;
const pages = createGate({ pauseMs: 0, waitingMax });
const places = createWaits({ perUserMax: waitingOfAccountMax, totalMax: waitingMax, limit: "statement-pages" });

const readLogo = createLogoReader();

async function build(
  { services, log }: Pick<Runtime, "services" | "log">,
  format: Exclude<StatementFormat, "json">,
  statement: Statement,
): Promise<string | Uint8Array<ArrayBuffer>> {
  if (format === "csv") return buildStatementCsv(statement);
  if (format === "camt053") return buildCamt(statement);
  if (statement.entries.length > statementEntriesMax) fail("statements.too_many_pages");
  // Fonts and pages are loaded once a page is asked for.
  const { buildStatementPdf } = await import("./pdf.ts");
  const { policy, languages } = services;
  const logo = await readLogo(policy.programme.logo, (error) => log.warn({ err: error }, "the logo cannot be read"));
  const look = { language: languages.of(statement.language ?? null), logo };
  return holdPlace(places, statement.account, () => pages.take(() => buildStatementPdf(statement, look)));
}

/**
 * The tag of a statement in one form. It is weak: the instant at which the statement was made is no part of it. Its day is, in the forms
 * that close with the balance of a day.
 */
function tagStatement(statement: Statement, format: StatementFormat): string {
  const day = format === "json" ? null : createDay(statement.timeZone)(findLastInstant(statement));
  return `W/${tagOf(JSON.stringify({ ...statement, createdAt: { format, day } }))}`;
}

/**
 * A statement in the form that is asked for, or 304 to the one that has it; null for a list of months.
 *
 * @throws statements.too_many_pages
 */
export async function replyStatement(
  runtime: Pick<Runtime, "services" | "log">,
  output: unknown,
  request: Request,
  headers: HeaderSet,
): Promise<Response | null> {
  if (Array.isArray(output)) return null;
  const format = findFormat(request);
  // The operation's output, as its route says.
  const statement = output as Statement;
  const tagged = {
    ...headers,
    ETag: tagStatement(statement, format),
    Vary: headers["Vary"] === undefined ? "Accept" : `${headers["Vary"]}, Accept`,
  };
  if (hasTag(request, tagged.ETag)) return new Response(null, { status: 304, headers: tagged });
  if (format === "json") return Response.json(statement, { headers: tagged });
  const body = await build(runtime, format, statement);
  const [type] = mediaTypes[format];
  return new Response(body, {
    headers: {
      ...tagged,
      "Content-Type": format === "pdf" ? type : `${type}; charset=utf-8`,
      "Content-Disposition": `attachment; filename="statement-${nameRange(statement)}.${extensions[format]}"`,
    },
  });
}
