/** Statements as PDF pages: A4, with the operator's name and logo, both balances, and the number of each page. */
import type { Statement } from "@cardkeep/contract/spending/statements";
import type { Language } from "@cardkeep/domain/core/languages/languages";
import boldPath from "dejavu-fonts-ttf/ttf/DejaVuSansCondensed-Bold.ttf" with { type: "file" };
import regularPath from "dejavu-fonts-ttf/ttf/DejaVuSansCondensed.ttf" with { type: "file" };
import { setImmediate } from "node:timers/promises";
import PDFDocument from "pdfkit";
import { createPageTexts, listDetails, nameEntry, nameStatement, type PageTexts } from "./pageTexts.ts";
import { findLastInstant, roundEntries, toCents } from "./rounded.ts";

type Page = PDFKit.PDFDocument;

const margin = 48;
const [pageWidth, pageHeight] = [595.28, 841.89];
const right = pageWidth - margin;
const bottom = pageHeight - 64;
/** Left edges of the columns; amounts end at the right edge of theirs. */
const columns = { date: margin, text: 108, amountEnd: 430, balanceEnd: right } as const;
const textWidth = 250;
/** Names of fonts. pdfkit reads a font once for the name of its first use. */
const [regular, bold] = ["regular", "bold"];
const lineGap = 4;
const gray = "#5b6470";
const ink = "#14181f";
const rule = "#d5dae1";

const readFont = async (path: string): Promise<Buffer> =>
  // A bundle names the file beside itself, the source the whole path.
  Buffer.from(await Bun.file(new URL(path, import.meta.url)).arrayBuffer());

interface Pen {
  readonly page: Page;
  readonly statement: Statement;
  readonly texts: PageTexts;
}

function write(
  { page }: Pen,
  text: string,
  x: number,
  y: number,
  look: { size?: number; isBold?: boolean; color?: string; width?: number; endsAt?: number } = {},
): number {
  const { size = 9, isBold = false, color = ink, width = textWidth, endsAt } = look;
  page
    .font(isBold ? bold : regular)
    .fontSize(size)
    .fillColor(color);
  const left = endsAt === undefined ? x : endsAt - page.widthOfString(text);
  const options = endsAt === undefined ? { width } : { lineBreak: false };
  page.text(text, left, y, options);
  return endsAt === undefined ? page.heightOfString(text, { width }) : page.currentLineHeight();
}

const line = ({ page }: Pen, y: number): void => {
  page.moveTo(margin, y).lineTo(right, y).lineWidth(0.5).strokeColor(rule).stroke();
};

/** Height of the logo, and how wide it may be. */
const logoHeight = 24;
const logoWidth = 120;

/** The logo, with the name below it; the name alone where there is none, or no picture that can be read. */
function writeBrand(pen: Pen, logo: Buffer | null): void {
  const { page, statement } = pen;
  try {
    if (logo) page.image(logo, margin, margin - logoHeight - 4, { fit: [logoWidth, logoHeight] });
  } catch {
    // A picture of an unknown form. The name says who issued the statement.
  }
  write(pen, statement.issuedBy, margin, margin, { size: 15, isBold: true });
}

function writeHead(pen: Pen, title: string, logo: Buffer | null): number {
  const { statement, texts } = pen;
  writeBrand(pen, logo);
  write(pen, title, margin, margin, { size: 11, endsAt: right });
  let y = margin + 40;
  for (const text of [statement.holder.name, ...statement.holder.address]) y += write(pen, text, margin, y) + 1;
  const facts = [
    [texts.say("statement.account"), statement.account],
    ...(statement.iban === null ? [] : [["IBAN", statement.iban]]),
    [texts.say("statement.currency"), statement.currency],
    [texts.say("statement.zone"), statement.timeZone],
    [texts.say("statement.made"), `${statement.createdAt.slice(0, 16).replace("T", " ")} UTC`],
  ] as const;
  let factY = margin + 40;
  for (const [name = "", value = ""] of facts) {
    write(pen, name, 300, factY, { color: gray, size: 8, width: 90 });
    factY += write(pen, value, 300, factY, { size: 8, endsAt: right }) + 2;
  }
  return Math.max(y, factY) + 16;
}

function writeTitles(pen: Pen, y: number): number {
  const look = { color: gray, size: 8 };
  const { say } = pen.texts;
  write(pen, say("statement.date"), columns.date, y, look);
  write(pen, say("statement.entry"), columns.text, y, look);
  write(pen, say("statement.amount"), 0, y, { ...look, endsAt: columns.amountEnd });
  write(pen, say("statement.balance"), 0, y, { ...look, endsAt: columns.balanceEnd });
  line(pen, y + 13);
  return y + 18;
}

const writeBalance = (pen: Pen, y: number, name: string, day: string, cents: bigint): number => {
  write(pen, day, columns.date, y, { isBold: true });
  write(pen, name, columns.text, y, { isBold: true });
  write(pen, pen.texts.amount(cents), 0, y, { isBold: true, endsAt: columns.balanceEnd });
  return y + 18;
};

/** Other requests have their turn after each few entries: a decision about a card does not wait for a year of pages. */
const entriesAtOnce = 10;

async function writeEntries(pen: Pen, start: number): Promise<number> {
  const { page, statement, texts } = pen;
  let y = start;
  for (const [index, { entry, cents, balanceCents }] of roundEntries(statement).entries()) {
    if (index % entriesAtOnce === 0) await setImmediate();
    const details = listDetails(texts, entry, statement.currency).join(" · ");
    const name = nameEntry(texts, entry);
    page.font(regular).fontSize(9);
    const nameHeight = page.heightOfString(name, { width: textWidth });
    page.fontSize(7);
    const height = nameHeight + page.heightOfString(details, { width: textWidth }) + lineGap + 3;
    if (y + height > bottom) {
      page.addPage();
      y = writeTitles(pen, margin);
    }
    write(pen, texts.day(entry.statedAt), columns.date, y);
    write(pen, name, columns.text, y);
    write(pen, texts.amount(cents), 0, y, { endsAt: columns.amountEnd });
    write(pen, texts.amount(balanceCents), 0, y, { endsAt: columns.balanceEnd, color: gray });
    write(pen, details, columns.text, y + nameHeight, { size: 7, color: gray });
    y += height;
  }
  return y;
}

function writeFeet(pen: Pen): void {
  const { page, statement, texts } = pen;
  const { start, count } = page.bufferedPageRange();
  for (let index = start; index < start + count; index++) {
    page.switchToPage(index);
    // The foot is below the margin, where text would begin a page.
    page.page.margins.bottom = 0;
    const open = texts.say(statement.isFinal ? "statement.final" : "statement.open");
    const digest = statement.digest === null ? open : `SHA-256 ${statement.digest}`;
    write(pen, digest, margin, pageHeight - 40, { size: 6.5, color: gray, width: 400 });
    write(pen, texts.say("statement.page", { page: index - start + 1, pages: count }), 0, pageHeight - 40, {
      size: 8,
      color: gray,
      endsAt: right,
    });
  }
}

/** The pages of a statement. The same statement has the same bytes in one language. */
export async function buildStatementPdf(
  statement: Statement,
  { language, logo }: { language: Language; logo: Buffer | null },
): Promise<Uint8Array<ArrayBuffer>> {
  const fonts = { regular: await readFont(regularPath), bold: await readFont(boldPath) };
  const texts = createPageTexts(language, statement.timeZone);
  const lastAt = findLastInstant(statement);
  const title = nameStatement(texts, statement, lastAt);
  const page = new PDFDocument({
    size: "A4",
    margin,
    bufferPages: true,
    // None of the fonts that every PDF reader has: they know no letters outside of Western Europe.
    font: "",
    lang: language.code,
    displayTitle: true,
    info: {
      Title: `${statement.issuedBy}: ${title}`,
      Author: statement.issuedBy,
      CreationDate: new Date(statement.createdAt),
    },
  });
  page.registerFont(regular, fonts.regular);
  page.registerFont(bold, fonts.bold);
  const chunks: Uint8Array[] = [];
  const done = new Promise<void>((resolve, reject) => {
    page.on("data", (chunk: Uint8Array) => chunks.push(chunk));
    page.on("end", resolve);
    page.on("error", reject);
  });
  const pen: Pen = { page, statement, texts };
  let y = writeTitles(pen, writeHead(pen, title, logo));
  y = writeBalance(
    pen,
    y,
    texts.say("statement.opening"),
    texts.day(statement.from),
    toCents(statement.openingBalance),
  );
  y = await writeEntries(pen, y);
  if (y + 70 > bottom) {
    page.addPage();
    y = margin;
  }
  line(pen, y);
  y = writeBalance(pen, y + 8, texts.say("statement.closing"), texts.day(lastAt), toCents(statement.closingBalance));
  write(
    pen,
    texts.say("statement.totals", {
      amount: `${texts.amount(toCents(statement.totalIn))} ${statement.currency}`,
      more: `${texts.amount(toCents(statement.totalOut))} ${statement.currency}`,
      lines: `${texts.amount(toCents(statement.cardTotal))} ${statement.currency}`,
    }),
    margin,
    y,
    { size: 8, color: gray, width: right - margin },
  );
  writeFeet(pen);
  page.end();
  await done;
  return new Uint8Array(Buffer.concat(chunks));
}
