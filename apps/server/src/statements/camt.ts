/** Statements as camt.053.001.08 (ISO 20022), which bookkeeping programs read as a bank's statement. */
import type { Statement, StatementEntry } from "@cardkeep/contract/spending/statements";
import {
  createDay,
  findLastInstant,
  formatCents,
  nameRange,
  type RoundedEntry,
  roundEntries,
  toCents,
} from "./rounded.ts";

const namespace = "urn:iso:std:iso:20022:tech:xsd:camt.053.001.08";
/** XML 1.0 has no other control characters. */
const unwritable = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

const lengths = { reference: 35, account: 34, name: 140, accountName: 70, remittance: 140, more: 500 } as const;

/** A text of a bounded length; empty texts have no element. */
function text(name: string, value: string | null | undefined, length: number): string {
  const cut = [...(value ?? "").replaceAll(unwritable, "").trim()].slice(0, length).join("");
  return cut === "" ? "" : `<${name}>${cut.replaceAll(/[&<>"]/g, (sign) => escapes[sign] ?? "")}</${name}>`;
}

const element = (name: string, ...children: readonly string[]): string => {
  const inner = children.join("");
  return inner === "" ? "" : `<${name}>${inner}</${name}>`;
};

const absolute = (cents: bigint): string => formatCents(cents < 0n ? -cents : cents);
const indicator = (cents: bigint): string => `<CdtDbtInd>${cents < 0n ? "DBIT" : "CRDT"}</CdtDbtInd>`;
const amount = (value: string, currency: string): string => `<Amt Ccy="${currency}">${value}</Amt>`;

const balance = (code: "OPBD" | "CLBD", cents: bigint, currency: string, day: string): string =>
  element(
    "Bal",
    `<Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp>`,
    amount(absolute(cents), currency),
    indicator(cents),
    `<Dt><Dt>${day}</Dt></Dt>`,
  );

/** XchgRate has 11 digits at most; a rate has fewer than that before its point. */
const cutRate = (rate: string): string => rate.slice(0, 12);

/** The merchant's amount and its rate. */
function exchange({ card }: StatementEntry, currency: string): string {
  if (!card?.rate) return "";
  const { transactionAmount, transactionCurrency, rate } = card;
  return element(
    "AmtDtls",
    element(
      "InstdAmt",
      amount(transactionAmount, transactionCurrency),
      `<CcyXchg><SrcCcy>${currency}</SrcCcy><TrgtCcy>${transactionCurrency}</TrgtCcy><XchgRate>${cutRate(rate)}</XchgRate></CcyXchg>`,
    ),
  );
}

function parties({ card, counterpart }: StatementEntry, cents: bigint): string {
  const name = card?.merchant.name ?? counterpart?.name ?? "";
  const party = element("Pty", text("Nm", name, lengths.name));
  const account = counterpart?.iban ? `<Id><IBAN>${counterpart.iban}</IBAN></Id>` : "";
  return cents < 0n
    ? element("RltdPties", element("Cdtr", party), element("CdtrAcct", account))
    : element("RltdPties", element("Dbtr", party), element("DbtrAcct", account));
}

/** Gives entries, in their order, a reference that is the same in every statement that has the entry. */
function createReferences(): (entry: StatementEntry) => string {
  const counts = new Map<string, number>();
  return ({ hash, kind, statedAt }) => {
    // A range may cut a day, so a day may have several sums: no two of them end at one instant.
    if (hash === "") return `sum-${statedAt}-${kind === "transfer_in" ? "in" : "out"}`;
    const count = (counts.get(hash) ?? 0) + 1;
    counts.set(hash, count);
    return `${hash.slice(2, 26)}-${count}`;
  };
}

interface Referenced extends RoundedEntry {
  readonly reference: string;
}

function entryElement({ entry, cents, reference }: Referenced, place: number, currency: string): string {
  const { card, counterpart } = entry;
  const transaction = entry.hash === "" ? "" : ` Transaction ${entry.hash}.`;
  const original = card?.original ? ` Original payment: ${card.original.threadId} ${card.original.hash ?? ""}` : "";
  return element(
    "Ntry",
    `<NtryRef>${place}</NtryRef>`,
    amount(absolute(cents), currency),
    indicator(cents),
    "<Sts><Cd>BOOK</Cd></Sts>",
    `<BookgDt><DtTm>${entry.statedAt}</DtTm></BookgDt>`,
    `<ValDt><DtTm>${entry.at}</DtTm></ValDt>`,
    text("AcctSvcrRef", reference, lengths.reference),
    `<BkTxCd><Prtry><Cd>${entry.kind}</Cd></Prtry></BkTxCd>`,
    element(
      "NtryDtls",
      element(
        "TxDtls",
        element("Refs", text("EndToEndId", card?.threadId, lengths.reference)),
        amount(absolute(cents), currency),
        indicator(cents),
        exchange(entry, currency),
        parties(entry, cents),
        element("RmtInf", text("Ustrd", counterpart?.memo ?? entry.description, lengths.remittance)),
      ),
    ),
    text("AddtlNtryInf", `${entry.description}.${transaction}${original}`, lengths.more),
  );
}

/** The document of a statement, in cents. Entries that change less than that are left out. */
export function buildCamt(statement: Statement): string {
  const { currency, from, to, createdAt, account, iban, holder, timeZone, volume, volumes } = statement;
  const dayOf = createDay(timeZone);
  const last = findLastInstant(statement);
  const id = `${account.slice(2, 14)}-${nameRange(statement)}`;
  const pagination = volume === undefined ? "" : `<PgNb>${volume}</PgNb><LastPgInd>${volume === volumes}</LastPgInd>`;
  const refer = createReferences();
  const entries = roundEntries(statement)
    // Entries that are left out count too: whether one is depends on the balance before it.
    .map((rounded) => ({ ...rounded, reference: refer(rounded.entry) }))
    .filter(({ cents }) => cents !== 0n);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element(
    `Document xmlns="${namespace}"`,
    element(
      "BkToCstmrStmt",
      element("GrpHdr", text("MsgId", id, lengths.reference), `<CreDtTm>${createdAt}</CreDtTm>`),
      element(
        "Stmt",
        text("Id", id, lengths.reference),
        element("StmtPgntn", pagination),
        `<CreDtTm>${createdAt}</CreDtTm>`,
        `<FrToDt><FrDtTm>${from}</FrDtTm><ToDtTm>${to}</ToDtTm></FrToDt>`,
        element(
          "Acct",
          iban ? `<Id><IBAN>${iban}</IBAN></Id>` : `<Id><Othr>${text("Id", account, lengths.account)}</Othr></Id>`,
          `<Ccy>${currency}</Ccy>`,
          text("Nm", `Safe ${account}`, lengths.accountName),
          element("Ownr", text("Nm", holder.name, lengths.name)),
        ),
        balance("OPBD", toCents(statement.openingBalance), currency, dayOf(from)),
        balance("CLBD", toCents(statement.closingBalance), currency, dayOf(last)),
        ...entries.map((entry, index) => entryElement(entry, index + 1, currency)),
      ),
    ),
  ).replace(`</Document xmlns="${namespace}">`, "</Document>")}\n`;
}
