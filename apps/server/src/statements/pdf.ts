/** Statements as PDF pages: A4, with the operator's name, both balances, and the number of each page. */
import type { Statement } from "@cardkeep/contract/spending/statements";
import boldPath from "dejavu-fonts-ttf/ttf/DejaVuSansCondensed-Bold.ttf" with { type: "file" };
import regularPath from "dejavu-fonts-ttf/ttf/DejaVuSansCondensed.ttf" with { type: "file" };
import { setImmediate } from "node:timers/promises";
import PDFDocument from "pdfkit";
import { createDay, formatCents, roundEntries, toCents } from "./rounded.ts";

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

const groupDigits = (text: string): string => text.replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");

function writeHead(pen: Pen, title: string): number {
  const { statement } = pen;
  write(pen, statement.issuedBy, margin, margin, { size: 15, isBold: true });
  write(pen, title, margin, margin, { size: 11, endsAt: right });
  let y = margin + 40;
  for (const text of [statement.holder.name, ...statement.holder.address]) y += write(pen, text, margin, y) + 1;
  const facts = [
    ["Account", statement.account],
    ...(statement.iban === null ? [] : [["IBAN", statement.iban]]),
    ["Currency", statement.currency],
    ["Days end in", statement.timeZone],
    ["Made", `${statement.createdAt.slice(0, 16).replace("T", " ")} UTC`],
  ] as const;
  let factY = margin + 40;
  for (const [name = "", value = ""] of facts) {
    write(pen, name, 300, factY, { color: gray, size: 8, width: 60 });
    factY += write(pen, value, 300, factY, { size: 8, endsAt: right }) + 2;
  }
  return Math.max(y, factY) + 16;
}

function writeTitles(pen: Pen, y: number): number {
  const look = { color: gray, size: 8 };
  write(pen, "Date", columns.date, y, look);
  write(pen, "Entry", columns.text, y, look);
  write(pen, "Amount", 0, y, { ...look, endsAt: columns.amountEnd });
  write(pen, "Balance", 0, y, { ...look, endsAt: columns.balanceEnd });
  line(pen, y + 13);
  return y + 18;
}

const writeBalance = (pen: Pen, y: number, name: string, day: string, cents: bigint): number => {
  write(pen, day, columns.date, y, { isBold: true });
  write(pen, name, columns.text, y, { isBold: true });
  write(pen, groupDigits(formatCents(cents)), 0, y, { isBold: true, endsAt: columns.balanceEnd });
  return y + 18;
};

/** The second line of an entry: currency, rate, mark-up, fee, original and transaction. */
function listDetails({ card, counterpart, hash }: Statement["entries"][number]): string[] {
  const original = card?.original ? `original ${card.original.threadId}` : null;
  const parts = [
    card &&
      card.transactionCurrency !== "" &&
      card.rate !== null &&
      `${card.transactionAmount} ${card.transactionCurrency}`,
    card?.rate && `rate ${card.rate}`,
    card?.markupPercent &&
      `mark-up ${card.markupPercent} % over the reference rate ${card.referenceRate} of ${card.referenceDay}`,
    card && card.feeAmount !== "0.00" && `fee ${card.feeAmount}`,
    card?.isPending === true && "not captured yet",
    counterpart?.iban,
    original,
    `${hash.slice(0, 18)}…${hash.slice(-8)}`,
  ];
  return parts.filter((part): part is string => typeof part === "string" && part !== "");
}

/** Other requests have their turn after each few entries: a decision about a card does not wait for a year of pages. */
const entriesAtOnce = 10;

async function writeEntries(pen: Pen, start: number): Promise<number> {
  const { page, statement } = pen;
  const dayOf = createDay(statement.timeZone);
  let y = start;
  for (const [index, { entry, cents, balanceCents }] of roundEntries(statement).entries()) {
    if (index % entriesAtOnce === 0) await setImmediate();
    const details = listDetails(entry).join(" · ");
    page.font(regular).fontSize(9);
    const nameHeight = page.heightOfString(entry.description, { width: textWidth });
    page.fontSize(7);
    const height = nameHeight + page.heightOfString(details, { width: textWidth }) + lineGap + 3;
    if (y + height > bottom) {
      page.addPage();
      y = writeTitles(pen, margin);
    }
    write(pen, dayOf(entry.statedAt), columns.date, y);
    write(pen, entry.description, columns.text, y);
    write(pen, groupDigits(formatCents(cents)), 0, y, { endsAt: columns.amountEnd });
    write(pen, groupDigits(formatCents(balanceCents)), 0, y, { endsAt: columns.balanceEnd, color: gray });
    write(pen, details, columns.text, y + nameHeight, { size: 7, color: gray });
    y += height;
  }
  return y;
}

function writeFeet(pen: Pen): void {
  const { page, statement } = pen;
  const { start, count } = page.bufferedPageRange();
  for (let index = start; index < start + count; index++) {
    page.switchToPage(index);
    // The foot is below the margin, where text would begin a page.
    page.page.margins.bottom = 0;
    const digest = statement.digest === null ? "Not final: the month is not over" : `SHA-256 ${statement.digest}`;
    write(pen, digest, margin, pageHeight - 40, { size: 6.5, color: gray, width: 400 });
    write(pen, `Page ${index - start + 1} of ${count}`, 0, pageHeight - 40, { size: 8, color: gray, endsAt: right });
  }
}

/** The pages of a statement. The same statement has the same bytes. */
export async function buildStatementPdf(statement: Statement): Promise<Uint8Array<ArrayBuffer>> {
  const fonts = { regular: await readFont(regularPath), bold: await readFont(boldPath) };
  const dayOf = createDay(statement.timeZone);
  // Of a month that is not over, the balance is that of the day on which it was made.
  const lastMs = Math.min(Date.parse(statement.to) - 1, Date.parse(statement.createdAt));
  const last = dayOf(new Date(lastMs).toISOString());
  const title = `Statement ${statement.month ?? `${dayOf(statement.from)} to ${last}`}`;
  const page = new PDFDocument({
    size: "A4",
    margin,
    bufferPages: true,
    // None of the fonts that every PDF reader has: they know no letters outside of Western Europe.
    font: "",
    lang: "en",
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
  const pen: Pen = { page, statement };
  let y = writeTitles(pen, writeHead(pen, title));
  y = writeBalance(pen, y, "Opening balance", dayOf(statement.from), toCents(statement.openingBalance));
  y = await writeEntries(pen, y);
  if (y + 70 > bottom) {
    page.addPage();
    y = margin;
  }
  line(pen, y);
  y = writeBalance(pen, y + 8, "Closing balance", last, toCents(statement.closingBalance));
  write(
    pen,
    `In ${groupDigits(formatCents(toCents(statement.totalIn)))}, out ${groupDigits(formatCents(toCents(statement.totalOut)))} ${statement.currency}. Card items by the issuer's dates: ${groupDigits(statement.cardTotal)} ${statement.currency}.`,
    margin,
    y,
    { size: 8, color: gray, width: right - margin },
  );
  writeFeet(pen);
  page.end();
  await done;
  return new Uint8Array(Buffer.concat(chunks));
}
