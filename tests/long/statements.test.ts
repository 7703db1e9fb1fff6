import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { toDecimal, tokens } from "@cardkeep/chain/tokens";
import {
  type CardItem,
  type Statement,
  type StatementEntry,
  statementEntriesMax,
  statementLinesMax,
  volumeLinesMax,
} from "@cardkeep/contract/spending/statements";
import { findNewestSafe } from "@cardkeep/db/queries/accounts/safes";
import { setReferenceRates } from "@cardkeep/db/queries/spending/referenceRates";
import { readSnapshot } from "@cardkeep/db/readSnapshot";
import { issuerObjects } from "@cardkeep/db/sandbox/tables";
import { ledgerEntries, movements, statements, statementVolumes } from "@cardkeep/db/schema/tables";
import { readCardLines } from "@cardkeep/domain/spending/statements/readCardLines";
import { chooseSummed, readStatementEntries } from "@cardkeep/domain/spending/statements/readStatementEntries";
import type { Range, StatementSubject } from "@cardkeep/domain/spending/statements/readPayments";
import { parseAmount } from "@cardkeep/domain/spending/statements/cardFacts";
import { closeStatements } from "@cardkeep/domain/spending/statements/closeStatements";
import { proveStatement } from "@cardkeep/domain/books/closes/proveStatement";
import { makeVolume } from "@cardkeep/domain/spending/statements/volumes";
import { beginExport, listExports } from "@cardkeep/domain/operations/exports/runExport";
import { reportNames } from "@cardkeep/domain/operations/exports/showReport";
import { listActions } from "@cardkeep/domain/core/operators/listActions";
import { development } from "@cardkeep/runtime/development";
import { createLanguages } from "@cardkeep/domain/core/languages/languages";
import { createContext } from "@cardkeep/domain/core/context";
import { buildCamt } from "@cardkeep/server/statements/camt";
import { buildStatementCsv } from "@cardkeep/server/statements/csv";
import { buildStatementPdf } from "@cardkeep/server/statements/pdf";
import { createPageTexts, listDetails, nameEntry } from "@cardkeep/server/statements/pageTexts";
import { replyStatement } from "@cardkeep/server/statements/replyStatement";
import { roundEntries, toCents } from "@cardkeep/server/statements/rounded";
import { addDays, dayOf, startOfDay } from "@cardkeep/domain/core/calendar";
import type { Runtime } from "@cardkeep/runtime/compose";
import { initSync, ParsedLedger } from "@rustledger/wasm";
import { parse } from "csv-parse/sync";
import { eq, sql } from "drizzle-orm";
import fc from "fast-check";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCliOn } from "../support/cli.ts";
import { filled } from "../support/filled.ts";
import { operatorOf } from "../support/operator.ts";
import { readPdfTexts } from "../support/pdfText.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { talk } from "../support/rawClient.ts";
import { type Service, startService } from "../support/service.ts";
import { becomeCardHolder, type CardHolder, euro, follow, give, untilSettled, use } from "../support/spending.ts";

const zone = "Europe/Berlin";
let service: Service;
let holder: CardHolder;
/** The statement of a month is made an hour after its end. */
async function passFirstHours(): Promise<void> {
  const now = new Intl.DateTimeFormat("en-GB", { timeZone: zone, day: "2-digit", hour: "2-digit" }).formatToParts();
  const read = (type: string) => Number(now.find((part) => part.type === type)?.value);
  if (read("day") > 1 || read("hour") > 1) return;
  await new Person(service).sandbox("POST", "/chain/advance", { seconds: 7_200 });
}
beforeAll(async () => {
  service = await startService({ env: { STATEMENT_TIME_ZONE: zone, PROGRAMME_NAME: "Acme Card" } });
  await passFirstHours();
  holder = await becomeCardHolder(service, 0n);
}, 60_000);
afterAll(() => service.stop());

const decimals = tokens.EURe.decimals;
const value = (text: string): bigint => parseAmount(text, decimals);
const sumOf = (entries: readonly { amount: string }[]): bigint =>
  entries.reduce((sum, { amount }) => sum + value(amount), 0n);
const bookOf = ({ openingBalance, closingBalance, entries }: Statement): bigint =>
  value(closingBalance) - value(openingBalance) - sumOf(entries);

const rangeOf = async (person: Person, from: string, to: string): Promise<Statement> => {
  const { status, body } = await person.call("GET", `/statements?from=${from}&to=${to}`);
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
};

/** Reads rows of a statement's range again, at one instant. */
function readRows<T>(
  person: Person,
  { from, to }: Statement,
  read: (
    ...of: [tx: Parameters<typeof readStatementEntries>[0], subject: StatementSubject, range: Range]
  ) => Promise<T>,
): Promise<T> {
  const subject = { userId: person.userId ?? "", token: tokens.EURe, zone };
  const range = { from: new Date(from), to: new Date(to) };
  return readSnapshot(service.runtime.db, (tx) => read(tx, subject, range));
}

/** Reads the entries of a range with what is summed of it. */
const readAll = async (
  tx: Parameters<typeof readStatementEntries>[0],
  subject: StatementSubject,
  range: Range,
  { entriesMax, ...how }: { opening: bigint; pageRows?: number; entriesMax?: number },
): Promise<StatementEntry[]> =>
  readStatementEntries(tx, subject, range, { ...how, summed: await chooseSummed(tx, subject, range, entriesMax) });

/** The present month, as the service counts it. */
const presentMonth = async (person: Person): Promise<string> => (await person.call("GET", "/statements")).body[0].month;

const statementOf = async (person: Person, month: string): Promise<Statement> =>
  (await person.call("GET", `/statements/${month}`)).body;

describe("a statement of a month that is not over", () => {
  test("has every movement with its cause, and its closing balance is that of the API", async () => {
    const { person, safe } = holder;
    await give(person, safe, 100n * euro);
    await service.runtime.db.transaction((tx) =>
      setReferenceRates(tx, [
        { currency: "USD", day: "2020-01-01", rate: "2", source: "old", createdAt: new Date() },
        {
          currency: "USD",
          day: new Date().toISOString().slice(0, 10),
          rate: "1.10",
          source: "ECB",
          createdAt: new Date(),
        },
      ]),
    );
    const { threadId } = await use(holder, 1_000, { merchant: "=Corner Shop", city: "Berlin" });
    await follow(holder, threadId, "clear");
    const foreign = await use(holder, 2_000, { merchantAmount: 2_100, merchantCurrency: "USD" });
    await follow(holder, foreign.threadId, "clear");
    await untilSettled(service);
    const stated = async () => statementOf(person, await presentMonth(person));
    const since = new Date().toISOString();
    await follow(holder, threadId, "refund", { amount: 400 });
    await until(async () => (await stated()).entries.length === 4);
    const open = await use(holder, 300);
    await untilSettled(service);
    await until(async () => (await stated()).entries.length === 5);
    const found = await stated();
    const { body: balances } = await person.call("GET", "/account-balances");
    expect(value(found.closingBalance)).toBe(BigInt(balances.total));
    expect([found.openingBalance, bookOf(found), found.isFinal, found.digest]).toEqual(["0.00", 0n, false, null]);
    const kinds = found.entries.map(({ kind, amount }) => [kind, amount]);
    expect(kinds).toEqual([
      ["transfer_in", "100.00"],
      ["card_payment", "-10.00"],
      ["card_payment", "-20.00"],
      ["card_refund", "4.00"],
      ["card_payment", "-3.00"],
    ]);
    const byThread = (id: string): StatementEntry[] => found.entries.filter(({ card }) => card?.threadId === id);
    const [paid, refunded] = byThread(threadId);
    expect(paid?.card).toMatchObject({
      isPending: false,
      original: null,
      merchant: { name: "=Corner Shop", city: "Berlin" },
    });
    expect(refunded?.card?.original).toEqual({ threadId, hash: paid?.hash ?? "" });
    const lines = (await person.call("GET", "/cards/transactions")).body.results as {
      kind: string;
      original: unknown;
    }[];
    const changed = (await person.call("GET", `/cards/transactions?updatedSince=${since}`)).body.results as {
      kind: string;
      threadId: string;
    }[];
    const ofRefund = changed.filter((line) => line.threadId !== open.threadId);
    expect(ofRefund.map((line) => [line.kind, line.threadId])).toEqual([
      ["Refund", threadId],
      ["Payment", threadId],
    ]);
    expect(lines.find(({ kind }) => kind === "Refund")?.original).toEqual({ threadId, hash: paid?.hash });
    expect(byThread(open.threadId)[0]?.card).toMatchObject({
      isPending: true,
      clearedAt: null,
      rate: null,
      markupPercent: null,
    });
    // 20.00 EUR for 21.00 USD is a rate of 1.05; at 1.10 it would have been less.
    expect(byThread(foreign.threadId)[0]?.card).toMatchObject({
      transactionAmount: "21.00",
      transactionCurrency: "USD",
      rate: "1.05",
      referenceRate: "1.10",
      markupPercent: "4.76",
    });
    expect(found.cardItems.map(({ kind, amount }) => [kind, amount]).toSorted()).toEqual([
      ["payment", "-10.00"],
      ["payment", "-20.00"],
      ["refund", "4.00"],
    ]);
    expect([found.cardTotal, found.issuedBy]).toEqual(["-26.00", "Acme Card"]);
    const ofApi = (await person.call("GET", "/cards/transactions")).body.results as {
      kind: string;
      threadId: string;
      billingAmount: string;
    }[];
    for (const item of filled<CardItem>(found.cardItems.filter(({ kind }) => kind === "payment")))
      expect(ofApi.find(({ kind, threadId: id }) => kind === "Payment" && id === item.threadId)?.billingAmount).toBe(
        String(-toCents(item.amount)),
      );
  }, 60_000);

  test("is the same on tRPC, and on REST in the form that is asked for", async () => {
    const { person } = holder;
    const month = await presentMonth(person);
    const byTrpc = await person.trpc().statements.get.query({ month });
    const { createdAt: _, ...rest } = await statementOf(person, month);
    expect(byTrpc).toMatchObject(rest);
    const forms = [
      ["?format=csv", {}, "text/csv; charset=utf-8"],
      ["", { Accept: "text/html;q=0.1, application/pdf" }, "application/pdf"],
      ["?format=camt053", { Accept: "application/pdf" }, "application/xml; charset=utf-8"],
      ["", { Accept: "*/*" }, "application/json;charset=utf-8"],
    ] as const;
    for (const [query, headers, type] of forms) {
      const answer = await person.call("GET", `/statements/${month}${query}`, undefined, headers);
      expect([query, answer.status, answer.headers.get("content-type")]).toEqual([query, 200, type]);
    }
    expect((await person.call("GET", `/statements/${month}?format=docx`)).status).toBe(422);
    const csv = (await person.call("GET", `/statements/${month}?format=csv`)).body as string;
    expect(csv).toContain(",'=Corner Shop,");
    expect(csv.split("\r\n")).toHaveLength(1 + 1 + rest.entries.length + 1 + 1);
  });

  test("is set as pages for one person beside many of another, who has places of their own", async () => {
    const [{ person: one }, { person: other }] = [holder, await becomeCardHolder(service)];
    const month = await presentMonth(one);
    const ask = ({ token }: Person) =>
      fetch(`${service.url}/api/v1/statements/${month}?format=pdf`, { headers: { Authorization: `Bearer ${token}` } });
    // The first one loads the fonts.
    expect((await ask(one)).status).toBe(200);
    // More than there are places. Many more would take a busy machine past the ten seconds of an answer.
    const many = Array.from({ length: 24 }, () => ask(one));
    expect((await ask(other)).status).toBe(200);
    for (const answer of filled(await Promise.all(many))) expect([200, 503]).toContain(answer.status);
  }, 60_000);

  test("is answered with any Host header, in each form", async () => {
    const { person } = holder;
    const month = await presentMonth(person);
    for (const host of ["localhost:99999", "a b%%", "a@b:c@d", ""])
      for (const path of ["/statements", `/statements/${month}?format=csv`]) {
        const head = `GET /api/v1${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${person.token}`;
        const said = await talk(service.url, `${head}\r\nConnection: close\r\n\r\n`);
        expect([host, path, said.split(" ")[1]]).toEqual([host, path, "200"]);
      }
  });

  test("an unchanged answer is 304 to who has it, and a new one has another tag", async () => {
    const { person, safe } = holder;
    const path = "/statements";
    const first = await person.call("GET", path);
    const tag = first.headers.get("etag") ?? "";
    const again = await person.call("GET", path, undefined, { "If-None-Match": `"other", W/${tag}` });
    expect([again.status, again.body, again.headers.get("etag")]).toEqual([304, "", tag]);
    const before = (await person.call("GET", "/account-balances")).headers.get("etag") ?? "";
    await give(person, safe, euro);
    await until(
      async () =>
        (await person.call("GET", "/account-balances", undefined, { "If-None-Match": before })).status === 200,
    );
  });

  test("of each form an unchanged statement is 304, whenever it is made, and that of another form is not", async () => {
    const { person } = holder;
    const month = await presentMonth(person);
    const own = await statementOf(person, month);
    await until(async () => {
      const { body: balances } = await person.call("GET", "/account-balances");
      return value((await statementOf(person, month)).closingBalance) === BigInt(balances.total);
    });
    const paths = [
      `?from=${own.from}&to=${own.to}`,
      `/${month}`,
      ...["csv", "pdf", "camt053"].map((form) => `/${month}?format=${form}`),
    ];
    const tags = new Set<string>();
    for (const path of paths) {
      const tag = (await person.call("GET", `/statements${path}`)).headers.get("etag") ?? "none";
      const again = await person.call("GET", `/statements${path}`, undefined, { "If-None-Match": tag });
      expect([path, again.status, again.headers.get("etag")]).toEqual([path, 304, tag]);
      tags.add(tag);
    }
    expect(tags.size).toBe(paths.length);
    const known = { "If-None-Match": [...tags].join(", ") };
    for (const [format, isSame] of [
      ["json", true],
      ["csv", false],
      ["camt053", false],
    ] as const) {
      const tagMadeAt = async (createdAt: string) => {
        const statement = { ...own, month: null, createdAt };
        const answer = await replyStatement(
          service.runtime,
          statement,
          new Request(`${service.url}/?format=${format}`),
          {},
        );
        return answer?.headers.get("etag");
      };
      const tagged = await Promise.all(
        [own.from, new Date(Date.parse(own.from) + 86_400_000).toISOString()].map(tagMadeAt),
      );
      expect([format, new Set(tagged).size === 1]).toEqual([format, isSame]);
    }
    await give(person, holder.safe, euro);
    await until(async () => (await person.call("GET", `/statements/${month}`, undefined, known)).status === 200);
    for (const path of paths)
      expect([path, (await person.call("GET", `/statements${path}`, undefined, known)).status]).toEqual([path, 200]);
  });

  test.each([
    ["?from=2026-01-01", 422],
    ["?from=2026-01-02&to=2026-01-01", 422],
    ["?from=yesterday&to=2026-01-01", 422],
    ["?from=2020-01-01&to=2026-01-01", 422],
    ["?from=9999-12-31&to=9999-12-31", 422],
    ["?from=9999-12-01T00:00:00Z&to=9999-12-31T23:59:59-14:00", 422],
    ["?from=0000-01-01&to=0000-01-02", 422],
    ["/2019-01", 404],
    ["/2026-13", 404],
    ["/9999-12", 404],
  ])("%s is %d", async (path, status) => {
    expect((await holder.person.call("GET", `/statements${path}`)).status).toBe(status);
  });

  test("says the merchant's amount, rate and mark-up in króna, of which the issuer counts hundredths", async () => {
    const day = new Date().toISOString().slice(0, 10);
    const rate = { currency: "ISK", day, rate: "145", source: "ECB", createdAt: new Date() };
    await service.runtime.db.transaction((tx) => setReferenceRates(tx, [rate]));
    const { person, safe } = holder;
    await give(person, safe, 10n * euro);
    const { threadId } = await use(holder, 1_000, { merchantAmount: 1_430, merchantCurrency: "ISK" });
    await follow(holder, threadId, "clear");
    await untilSettled(service);
    const stated = async () =>
      (await statementOf(person, await presentMonth(person))).entries.find(({ card }) => card?.threadId === threadId);
    await until(async () => (await stated()) !== undefined);
    const isk = { transactionAmount: "1430.00", transactionCurrency: "ISK", referenceRate: "145.00" };
    expect((await stated())?.card).toMatchObject({ ...isk, rate: "143.00", markupPercent: "1.40" });
    const [line] = (await person.call("GET", "/cards/transactions?transactionCurrency=ISK")).body.results;
    expect(line).toMatchObject({ transactionAmount: "1430", transactionCurrency: { symbol: "ISK", decimals: 0 } });
    const [kept] = await service.runtime.db.select().from(issuerObjects).where(eq(issuerObjects.id, threadId));
    expect(kept?.data).toMatchObject({ merchant_amount: 143_000, merchant_currency: "isk" });
  }, 60_000);

  test("a person without an account has none", async () => {
    const person = await (await new Person(service).signIn()).signUp();
    expect(await person.call("GET", "/statements")).toMatchObject({
      status: 404,
      body: { error: "Couldn't find associated Safe for the user" },
    });
  });
});

describe("an export of finance", () => {
  /** The day of all records is over for it. */
  let later: Runtime;
  let to: string;
  const read = async (given: object): Promise<string> => {
    const { pieces } = await beginExport(operatorOf(later), given);
    return (await Array.fromAsync(pieces)).join("");
  };
  const linesOf = async (given: object): Promise<Record<string, string>[]> =>
    (await read({ ...given, format: "jsonl" }))
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
  beforeAll(async () => {
    // What was recorded a moment ago may not be visible to all yet, so an export leaves it out.
    await holder.person.sandbox("POST", "/chain/advance", { seconds: 120 });
    const { clock, db } = service.runtime.services;
    to = dayOf(await clock.now(db), zone);
    const now: typeof clock.now = async (on) => startOfDay(addDays(dayOf(await clock.now(on), zone), 2), zone);
    later = { ...service.runtime, services: { ...service.runtime.services, clock: { ...clock, now } } };
    const module = await Bun.file(require.resolve("@rustledger/wasm/rustledger_wasm_bg.wasm")).arrayBuffer();
    initSync({ module });
  });

  test("goes on behind any record, and both parts are the whole, in each form", async () => {
    // Reports grow with each posting; those of days that are over are in long/books.
    const recorded = listExports().filter(({ name }) => !reportNames.some((report) => report === name));
    for (const { name, formats } of filled(recorded))
      for (const format of filled(formats)) {
        const whole = await read({ name, format, to });
        const cursors = (await linesOf({ name, to })).flatMap(({ cursor }) => cursor ?? []);
        const rests = await Promise.all(cursors.map((after) => read({ name, format, to, after })));
        expect(rests.filter((rest) => !whole.endsWith(rest))).toEqual([]);
        expect([name, new Set(rests).size]).toEqual([name, cursors.length]);
      }
  });

  test("of clearings has the amounts of the person's statement, and no released authorization", async () => {
    const { person } = holder;
    const lines = await linesOf({ name: "clearings" });
    const { cardTotal, cardItems } = await statementOf(person, await presentMonth(person));
    const total = lines.reduce((sum, { amount = "" }) => sum + parseAmount(amount, 2), 0n);
    expect([lines.length, -total]).toEqual([cardItems.length, parseAmount(cardTotal, 2)]);
    const days = [...new Set(lines.map(({ settlementDay = "" }) => settlementDay))];
    const [day = ""] = days;
    expect(await linesOf({ name: "clearings", from: day, to: days.at(-1) })).toEqual(lines);
    expect(await linesOf({ name: "clearings", to: "2020-01-01" })).toEqual([]);
  });

  test("of transactions has each payment once, and a merchant's formula is text in the CSV", async () => {
    const lines = await linesOf({ name: "transactions" });
    const ofApi = (await holder.person.call("GET", "/cards/transactions")).body.results as {
      kind: string;
      threadId: string;
    }[];
    const payments = ofApi.filter(({ kind }) => kind === "Payment").map(({ threadId }) => threadId);
    expect(lines.map(({ threadId = "" }) => threadId).toSorted()).toEqual(payments.toSorted());
    expect(await read({ name: "transactions", format: "csv" })).toContain(",'=Corner Shop,");
  });

  test("of the ledger is valid Beancount, with the balances of the ledger", async () => {
    const ledger = new ParsedLedger(await read({ name: "ledger", format: "beancount" }));
    expect([ledger.isValid(), ledger.getErrors()]).toEqual([true, []]);
    const [sums] = await service.runtime.db
      .select({ safe: sql<string>`sum(safe)`, settlement: sql<string>`sum(settlement)` })
      .from(ledgerEntries);
    const balances = JSON.stringify(ledger.balances());
    for (const sum of filled([sums?.safe, sums?.settlement]))
      expect(balances).toContain(`"number":"${toDecimal(BigInt(sum ?? 0), tokens.EURe)}"`);
  });

  test.each([
    [{ name: "everything" }],
    [{ name: "transactions", format: "beancount" }],
    [{ name: "transactions", from: "2026-02-01", to: "2026-01-01" }],
    [{ name: "transactions", from: "yesterday" }],
    [{ name: "ledger", after: "%" }],
    [{ name: "ledger", after: "one" }],
    [{ name: "ledger", after: "a~%00" }],
    [{ name: "ledger", colour: "red" }],
    [{ name: "journal", after: "1;" }],
    [{ name: "transactions", after: "a" }],
    [{ name: "ledger", after: "a~b", to: "2999-01-01" }],
  ])("%j is refused before anything is written or logged", async (given) => {
    const ctx = operatorOf(service.runtime);
    const before = await listActions(ctx, { verb: "exports.run", limit: 1_000 });
    await expect(beginExport(ctx, given)).rejects.toMatchObject({ code: "request.invalid" });
    expect(await listActions(ctx, { verb: "exports.run", limit: 1_000 })).toEqual(before);
  });

  test("comes over the API as a file, and on a terminal into one that goes on where it was cut", async () => {
    const headers = { Authorization: `Bearer ${development.OPERATOR_API_KEY}` };
    const answer = await fetch(`${service.url}/operator/api/exports/clearings/file?format=csv`, { headers });
    expect([answer.status, answer.headers.get("content-disposition")]).toEqual([
      200,
      expect.stringMatching(/^attachment; filename="cardkeep-clearings-\d{4}-\d\d-\d\d\.csv"$/),
    ]);
    const whole = await answer.text();
    expect((await fetch(`${service.url}/operator/api/exports/none/file`, { headers })).status).toBe(422);
    expect((await fetch(`${service.url}/operator/api/exports/clearings/file`)).status).toBe(401);
    const path = join(mkdtempSync(join(tmpdir(), "cardkeep-export-")), "clearings.csv");
    writeFileSync(path, whole.slice(0, whole.length * 0.6));
    const words = ["exports", "run", "clearings", "--out", path];
    expect((await runCliOn(later, ...words)).code).toBe(1);
    const open = await runCliOn(later, ...words, "--resume");
    expect([open.code, open.err]).toEqual([1, expect.stringContaining("with a last day that is over")]);
    expect((await runCliOn(later, ...words, "--to", to, "--resume")).code).toBe(0);
    expect(await Bun.file(path).text()).toBe(whole);
  });

  test.each([
    ["another export", ["transactions", "--resume"]],
    ["another form", ["clearings", "--format", "jsonl", "--resume"]],
    ["days that are none", ["clearings", "--from", "yesterday", "--resume"]],
  ])("resumed as %s is refused, and leaves the file as it was", async (_, words) => {
    const path = join(mkdtempSync(join(tmpdir(), "cardkeep-export-")), "clearings.csv");
    const run = (...given: string[]) => runCliOn(later, "exports", "run", ...given, "--to", to, "--out", path);
    expect((await run("clearings")).code).toBe(0);
    const whole = await Bun.file(path).text();
    expect((await run(...words)).code).not.toBe(0);
    expect(await Bun.file(path).text()).toBe(whole);
    writeFileSync(path, "no export\n");
    expect((await run("clearings", "--resume")).code).toBe(1);
    expect(await Bun.file(path).text()).toBe("no export\n");
  });

  test("resumed behind a cursor goes on in its own file alone", async () => {
    const path = join(mkdtempSync(join(tmpdir(), "cardkeep-export-")), "clearings.csv");
    const run = (...given: string[]) => runCliOn(later, "exports", "run", ...given, "--to", to, "--out", path);
    expect((await run("clearings")).code).toBe(0);
    const whole = await Bun.file(path).text();
    const [head = "", first = "", ...rest] = whole.split(/(?<=\r\n)/);
    const after = first.trim().split(",").at(-1) ?? "";
    const foreign = `${head.replace("cursor", "more,cursor")}${first}`;
    for (const written of [foreign, `one,more,${first}`]) {
      writeFileSync(path, written);
      expect((await run("clearings", "--after", after, "--resume")).code).toBe(1);
      expect(await Bun.file(path).text()).toBe(written);
    }
    writeFileSync(path, `${filled(rest)[0]}`);
    expect((await run("clearings", "--after", after, "--resume")).code).toBe(0);
    expect(await Bun.file(path).text()).toBe(rest.join(""));
  });
});

/** A picture of four blue points that one can see through. */
const logo = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAYAAABytg0kAAAAEUlEQVR4nGPQj79wAoQZYAwASPIImW+3YVkAAAAASUVORK5CYII=",
  "base64",
);

describe("a year of an account", () => {
  let rich: Person;
  let safeId: string;
  const dayMs = 86_400_000;
  /** Months of the past, oldest first. */
  let months: string[];
  beforeAll(async () => {
    rich = new Person(service);
    await rich.becomeAccountHolder({ firstName: "Zoë", lastName: "Łukasiewicz" });
    const safe = await findNewestSafe(service.runtime.db, rich.userId ?? "");
    safeId = safe?.id ?? "";
    const random = fc.sample(
      fc.record({
        day: fc.integer({ min: 35, max: 500 }),
        ms: fc.nat(dayMs - 1),
        amount: fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }),
      }),
      { numRuns: 400, seed: 47 },
    );
    const rows = random
      .filter(({ amount }) => amount !== 0n)
      .map(({ day, ms, amount }, index) => {
        const at = new Date(Date.now() - day * dayMs - ms);
        const hash = `0x${index.toString(16).padStart(4, "0").padEnd(64, "0")}` as const;
        return {
          safeId,
          blockNumber: BigInt(-index - 1),
          logIndex: 0,
          token: tokens.EURe.address,
          amount,
          party: tokens.GBPe.address,
          hash,
          at,
          statedAt: at,
          createdAt: at,
        };
      });
    await service.ownerDb.insert(movements).values(rows);
    months = ((await rich.call("GET", "/statements")).body as { month: string }[])
      .map(({ month }) => month)
      .toReversed();
  }, 60_000);

  test("its months follow each other without a gap, and all entries are the difference of both balances", async () => {
    let before = 0n;
    for (const month of filled(months)) {
      const found = await statementOf(rich, month);
      expect([month, value(found.openingBalance), bookOf(found)]).toEqual([month, before, 0n]);
      before = value(found.closingBalance);
    }
    const [total] = await service.runtime.db
      .select({ sum: sql<string>`sum(${movements.amount})` })
      .from(movements)
      .where(eq(movements.safeId, safeId));
    expect(before).toBe(BigInt(total?.sum ?? 0));
  }, 60_000);

  test("any split of a range has the entries and the balances of the whole", async () => {
    const start = Date.now() - 390 * dayMs;
    const at = (day: number) => new Date(start + day * dayMs).toISOString();
    const cuts = fc.uniqueArray(fc.integer({ min: 1, max: 364 }), { minLength: 1, maxLength: 4 });
    const whole = await rangeOf(rich, at(0), at(365));
    const property = fc.asyncProperty(cuts, async (days) => {
      const bounds = [0, ...days.toSorted((a, b) => a - b), 365];
      const parts: Statement[] = [];
      for (const [index, from] of bounds.slice(0, -1).entries())
        parts.push(await rangeOf(rich, at(from), at(bounds[index + 1] ?? 0)));
      expect(parts.flatMap(({ entries }) => entries)).toEqual(whole.entries);
      expect(parts[0]?.openingBalance).toBe(whole.openingBalance);
      expect(parts.at(-1)?.closingBalance).toBe(whole.closingBalance);
      for (const [index, part] of filled([...parts.entries()])) {
        expect(bookOf(part)).toBe(0n);
        if (index > 0) expect(part.openingBalance).toBe(parts[index - 1]?.closingBalance ?? "");
      }
    });
    await fc.assert(property, { numRuns: 6, seed: 47 });
  }, 60_000);

  test("a month that is over stays as it was made; what arrives late stands in the present one with its date", async () => {
    const [month = ""] = months.slice(3);
    const first = await statementOf(rich, month);
    expect([first.isFinal, first.digest]).toEqual([true, expect.stringMatching(/^[0-9a-f]{64}$/)]);
    const [row] = await service.runtime.db
      .select()
      .from(statements)
      .where(sql`${statements.userId} = ${rich.userId} and ${statements.month} = ${month}`);
    expect(new Bun.CryptoHasher("sha256").update(row?.document ?? "").digest("hex")).toBe(first.digest ?? "");
    const at = new Date(Date.parse(first.from) + dayMs);
    const late = {
      safeId,
      blockNumber: -10_000n,
      logIndex: 0,
      token: tokens.EURe.address,
      amount: 7n * euro,
      party: tokens.GBPe.address,
      hash: `0x${"7".repeat(64)}`,
      at,
    } as const;
    const now = new Date();
    await service.ownerDb.insert(movements).values({ ...late, statedAt: now, createdAt: now });
    expect(await statementOf(rich, month)).toEqual(first);
    const present = await statementOf(rich, await presentMonth(rich));
    expect(present.entries.find(({ amount }) => amount === "7.00")?.at).toBe(at.toISOString());
    const refused = service.runtime.db.update(statements).set({ document: "{}" });
    await expect(refused.execute()).rejects.toThrow();
    const days = (text: string) => new Intl.DateTimeFormat("sv-SE", { timeZone: zone }).format(new Date(text));
    expect([days(first.from), days(new Date(Date.parse(first.to) - 1).toISOString()).slice(0, 7)]).toEqual([
      `${month}-01`,
      month,
    ]);
  });

  test("strangers' small transfers of a day are one entry, and the worker makes the statements of the month that is over", async () => {
    const { runtime } = service;
    await service.ownerDb.delete(statements).where(eq(statements.userId, rich.userId ?? ""));
    const present = await statementOf(rich, await presentMonth(rich));
    const at = new Date(Date.parse(present.from) - dayMs);
    const row = {
      safeId,
      blockNumber: -20_000n,
      logIndex: 0,
      token: tokens.EURe.address,
      amount: euro,
      party: tokens.GBPe.address,
      hash: `0x${"8".repeat(64)}`,
      at,
      statedAt: at,
      createdAt: at,
    } as const;
    await service.ownerDb.insert(movements).values(row);
    const crowded = await findNewestSafe(runtime.db, holder.person.userId ?? "");
    await service.ownerDb.execute(sql`
      insert into movements (safe_id, block_number, log_index, token, amount, party, hash, at, stated_at, created_at)
      select ${crowded?.id ?? ""}, -30000, n, token, 1, party, hash, at, stated_at, created_at
      from generate_series(1, ${statementEntriesMax + 1}::int) n, movements where block_number = -20000`);
    await closeStatements(createContext(runtime.services, { log: runtime.log, requestId: "test" }));
    const made = await service.ownerDb
      .select()
      .from(statements)
      .where(eq(statements.userId, rich.userId ?? ""));
    expect(made.map(({ month }) => month)).toEqual([months.at(-2) ?? ""]);
    const { entries, isFinal, ...flooded } = await statementOf(holder.person, months.at(-2) ?? "");
    expect([isFinal, bookOf({ ...flooded, entries, isFinal })]).toEqual([true, 0n]);
    expect(entries.map(({ kind, amount, count, hash, statedAt }) => [kind, amount, count, hash, statedAt])).toEqual([
      ["transfer_in", "0.000000000000020001", statementEntriesMax + 1, "", at.toISOString()],
    ]);
    const text = (await holder.person.call("GET", `/statements/${months.at(-2)}?format=csv`)).body as string;
    expect(parse<Record<string, string>>(text, { columns: true }).map(({ count }) => count)).toEqual(["", "20001", ""]);
    await service.ownerDb.delete(movements).where(eq(movements.blockNumber, -30_000n));
  });

  test("a month with too many lines is in volumes of bounded size, which together have all of its lines and balances", async () => {
    const { person } = holder;
    const crowded = await findNewestSafe(service.runtime.db, person.userId ?? "");
    const month = months.at(-4) ?? "";
    const present = await presentMonth(person);
    const count = statementLinesMax + 1;
    const ask = (query: string, of = month) => person.call("GET", `/statements/${of}${query}`);
    // First they are of the present month, whose statement cannot be stored.
    await service.ownerDb.execute(sql`
      insert into movements (safe_id, block_number, log_index, token, amount, party, hash, at, stated_at, created_at)
      select ${crowded?.id ?? ""}, -40000, n, ${tokens.EURe.address}, case when n % 2 = 0 then ${euro.toString()}::numeric else ${(-euro).toString()}::numeric end,
        ${tokens.GBPe.address}, '0x' || lpad(to_hex(n), 64, '7'), now(), now(), now() from generate_series(1, ${count}::int) n`);
    expect((await ask("", present)).body).toMatchObject({ error: expect.stringContaining("fewer days") });
    await service.ownerDb.execute(sql`
      update movements set stated_at = ${`${month}-03T00:00:00Z`}::timestamptz + log_index * interval '100 seconds', at = stated_at where block_number = -40000`);
    const refused = await ask("");
    expect([refused.status, refused.headers.get("x-error-code"), refused.headers.get("retry-after")]).toEqual([
      409,
      "statements.in_progress",
      "30",
    ]);
    await until(async () => (await ask("")).headers.get("x-error-code") === "statements.in_volumes");
    const listed = (await person.call("GET", "/statements")).body as { month: string; volumes?: number }[];
    const { volumes = 0 } = listed.find((each) => each.month === month) ?? {};
    expect([volumes, (await ask("")).status]).toEqual([Math.ceil(count / (volumeLinesMax / 2)), 409]);
    await expect(person.trpc().statements.get.query({ month })).rejects.toThrow(`volume=1 to volume=${volumes}`);
    const made: Statement[] = [];
    for (let volume = 1; volume <= volumes; volume++) made.push((await ask(`?volume=${volume}`)).body as Statement);
    const lines = made.map(({ entries, cardItems }) => entries.length + cardItems.length);
    expect([Math.max(...lines) <= volumeLinesMax, lines.reduce((sum, each) => sum + each, 0)]).toEqual([true, count]);
    for (const [index, each] of filled([...made.entries()])) {
      expect([each.volume, each.volumes, each.isFinal, bookOf(each)]).toEqual([index + 1, volumes, true, 0n]);
      const before = made[index - 1];
      if (before) expect([each.from, each.openingBalance]).toEqual([before.to, before.closingBalance]);
    }
    const [from, to] = [made[0]?.from ?? "", made.at(-1)?.to ?? ""];
    const whole = made.flatMap(({ entries }) => entries);
    expect((await rangeOf(person, from, to)).entries).toEqual(whole);
    const proved = await proveStatement(service.runtime.services, { user: person.userId ?? "", month });
    expect(proved.statement.entries).toEqual(whole);
    const last = made.at(-1)?.entries ?? [];
    const csv = parse<Record<string, string>>((await ask(`?volume=${volumes}&format=csv`)).body as string, {
      columns: true,
    });
    expect(csv.slice(1, -1).map(({ transaction }) => transaction)).toEqual(last.map(({ hash }) => hash));
    expect((await ask(`?volume=${volumes}&format=camt053`)).body).toContain(
      `<StmtPgntn><PgNb>${volumes}</PgNb><LastPgInd>true</LastPgInd></StmtPgntn>`,
    );
    const pdf = await buildStatementPdf({ ...made[0], entries: last } as Statement, {
      language: createLanguages().of("en"),
      logo: null,
    });
    expect((await readPdfTexts(pdf)).join("\n")).toContain(`, Volume 1 of ${volumes}`);
    for (const query of ["?volume=0", "?volume=x"]) expect((await ask(query)).status).toBe(422);
    expect([(await ask("?volume=99")).status, (await ask("?volume=1", present)).status]).toEqual([404, 404]);
    // Once made they stay: neither another job nor the service's role changes them.
    const statementId = `${person.userId}/${month}`;
    await makeVolume(createContext(service.runtime.services, { log: service.runtime.log, requestId: "test" }), {
      statementId,
      requestId: "test",
    });
    expect((await ask("?volume=1")).body).toEqual(made[0]);
    const changed = service.runtime.db.update(statementVolumes).set({ document: "{}" });
    await expect(changed.execute()).rejects.toThrow();
    await service.ownerDb.delete(movements).where(eq(movements.blockNumber, -40_000n));
  }, 60_000);

  test("pages of any size have the rows of one page", async () => {
    const own = await statementOf(holder.person, await presentMonth(holder.person));
    const year = await rangeOf(rich, `${months[3]}-01`, `${months[4]}-28`);
    for (const pageRows of [1, 2, 3]) {
      for (const [person, stated] of [
        [holder.person, own],
        [rich, year],
      ] as const) {
        const opening = value(stated.openingBalance);
        const entries = await readRows(person, stated, (...of) => readAll(...of, { opening, pageRows }));
        expect(entries).toEqual(filled(stated.entries));
      }
      const items = await readRows(holder.person, own, (...of) => readCardLines(...of, pageRows));
      expect(items).toEqual(filled(own.cardItems));
    }
  });

  test("behind the bound, what no act of the person caused is one entry a day and direction, and all numbers stay", async () => {
    const read = (person: Person, stated: Statement, entriesMax: number) =>
      readRows(person, stated, (...of) => readAll(...of, { opening: 0n, entriesMax }));
    const own = await statementOf(holder.person, await presentMonth(holder.person));
    const summed = await read(holder.person, own, 1);
    const ofCards = (entries: readonly StatementEntry[]) => entries.filter(({ card }) => card !== null);
    const withoutBalance = (entries: readonly StatementEntry[]) => entries.map(({ balance: _, ...rest }) => rest);
    expect(withoutBalance(ofCards(summed))).toEqual(withoutBalance(filled(ofCards(own.entries))));
    expect(summed.at(-1)?.balance).toBe(own.entries.at(-1)?.balance ?? "");
    const year = await rangeOf(rich, `${months[3]}-01`, `${months[14]}-01`);
    const days = await read(rich, year, 1);
    const dayIn = (at: string) => new Intl.DateTimeFormat("sv-SE", { timeZone: zone }).format(new Date(at));
    const sums = (entries: readonly StatementEntry[]) => {
      const groups = Map.groupBy(entries, ({ statedAt, kind }) => `${dayIn(statedAt)} ${kind}`);
      return new Map([...groups].map(([key, each]) => [key, sumOf(each)]));
    };
    expect(sums(days)).toEqual(sums(filled(year.entries)));
    expect(days.length).toBe(sums(days).size);
    expect(days.reduce((all, { count = 0 }) => all + count, 0)).toBe(year.entries.length);
    const ordered = days.map(({ statedAt }) => statedAt);
    expect(ordered).toEqual(ordered.toSorted());
  });

  test("its pages name a sum in their language, and give the digits that an amount has behind its cents", async () => {
    const [entry] = (await rangeOf(rich, `${months[3]}-01`, `${months[4]}-28`)).entries;
    if (!entry) throw new Error("no entry");
    const sum = { ...entry, kind: "transfer_in", count: 12, hash: "", amount: "0.000012" } as const;
    const texts = createPageTexts(createLanguages().of("de"), zone);
    expect(nameEntry(texts, sum)).toBe("Eingehende Überweisung: 12 Überweisungen dieses Tages");
    expect(listDetails(texts, sum, "EUR")).toEqual(["0,000012 EUR"]);
    expect(listDetails(texts, { ...sum, amount: "0.50" }, "EUR")).toEqual([]);
  });

  test("its pages say all of it in their language, with the signs and days of that language, and whether it may change", async () => {
    const year = await rangeOf(rich, `${months[2]}-01`, `${months[13]}-28`);
    const own = await statementOf(holder.person, await presentMonth(holder.person));
    expect([year.isFinal, own.isFinal]).toEqual([true, false]);
    const today = new Intl.DateTimeFormat("sv-SE", { timeZone: zone }).format();
    const open = await rangeOf(rich, `${months.at(-3)}-01`, today);
    expect(open.isFinal).toBe(false);
    const read = async (statement: Statement, code: string) =>
      readPdfTexts(await buildStatementPdf(statement, { language: createLanguages().of(code), logo: null }));
    const texts = createPageTexts(createLanguages().of("de"), zone);
    const written = await read(year, "de");
    for (const { entry, cents, balanceCents } of filled(roundEntries(year))) {
      const begin = written.indexOf(texts.amount(balanceCents));
      expect([entry.hash, written[begin - 1], written[begin - 2]]).toEqual([
        entry.hash,
        texts.amount(cents),
        nameEntry(texts, entry),
      ]);
      written.splice(0, begin + 1);
      const details = listDetails(texts, entry, year.currency).join(" · ");
      expect(written.join("").replaceAll(" ", "")).toStartWith(details.replaceAll(" ", ""));
    }
    expect(written).toContain("Endgültig: Die Monate sind vorbei");
    expect(await read(open, "de")).toContain("Vorläufig: Der Monat ist nicht vorbei");
    const month = (await read(own, "de")).join("\n");
    expect(month).toMatch(/^Kontoauszug [A-ZÄ]\p{L}+ \d{4}$/mu);
    expect(month).toMatch(/21,00 USD · Kurs 1,05 · Aufschlag 4,76 % auf den Referenzkurs 1,10 vom\s+\d\d\.\d\d\.\d{4}/);
  }, 60_000);

  const listReferences = (stated: Statement): string[] =>
    [...buildCamt(stated).matchAll(/<AcctSvcrRef>([^<]*)</g)].map(([, reference = ""]) => reference);

  test("in camt.053 an entry has one reference: in its month, in a range, and behind dust that strangers send", async () => {
    const month = listReferences(await statementOf(rich, months[3] ?? ""));
    const range = listReferences(await rangeOf(rich, `${months[2]}-01`, `${months[4]}-28`));
    expect(range).toEqual(expect.arrayContaining(filled(month)));
    expect(new Set(range).size).toBe(range.length);
    const present = await presentMonth(holder.person);
    const own = await statementOf(holder.person, present);
    const safe = await findNewestSafe(service.runtime.db, holder.person.userId ?? "");
    const at = new Date(Date.parse(own.from) + 1);
    await service.ownerDb.insert(movements).values({
      safeId: safe?.id ?? "",
      blockNumber: -50_000n,
      logIndex: 0,
      token: tokens.EURe.address,
      amount: euro / 200n,
      party: tokens.GBPe.address,
      hash: `0x${"9".repeat(64)}`,
      at,
      statedAt: at,
      createdAt: at,
    });
    const dusty = await statementOf(holder.person, present);
    await service.ownerDb.delete(movements).where(eq(movements.blockNumber, -50_000n));
    expect(listReferences(dusty)).toEqual([`sum-${at.toISOString()}-in`, ...filled(listReferences(own))]);
  });

  test("in camt.053 two entries of one transaction, and the sums of two months, have references of their own", async () => {
    const [first, second] = [await statementOf(rich, months[3] ?? ""), await statementOf(rich, months[4] ?? "")];
    const ofHash = (stated: Statement, hash: string): string[] =>
      listReferences({ ...stated, entries: stated.entries.map((entry) => ({ ...entry, hash })) });
    const hash = `0x${"a".repeat(64)}`;
    expect(ofHash(first, hash).slice(0, 2)).toEqual([`${"a".repeat(24)}-1`, `${"a".repeat(24)}-2`]);
    const sums = [...filled(ofHash(first, "")), ...filled(ofHash(second, ""))];
    expect(new Set(sums).size).toBe(sums.length);
    expect(sums.filter((reference) => reference.length > 35)).toEqual([]);
  });

  test("in camt.053 a rate has 11 digits at most", async () => {
    const own = await statementOf(holder.person, await presentMonth(holder.person));
    const ratesOf = (rate: string) => {
      const entries = own.entries.map((entry) => ({
        ...entry,
        card: entry.card && { ...entry.card, rate, transactionCurrency: "LBP" },
      }));
      return [...buildCamt({ ...own, entries }).matchAll(/<XchgRate>([^<]*)</g)].map(([, found = ""]) => found);
    };
    expect([ratesOf("104427.736006")[0], ratesOf("1.0842")[0]]).toEqual(["104427.73600", "1.0842"]);
  });

  test("every form and file name of a month that is not over ends on the day on which it was made", async () => {
    const dayIn = (at: string) => new Intl.DateTimeFormat("sv-SE", { timeZone: zone }).format(new Date(at));
    const closingOf = (stated: Statement) => ({
      camt: /<Cd>CLBD<.*?<Dt><Dt>([^<]*)</.exec(buildCamt(stated))?.[1],
      csv: parse<Record<string, string>>(buildStatementCsv(stated), { columns: true }).at(-1)?.["date"],
    });
    const nameOf = async (stated: Statement) => {
      const request = new Request("http://localhost/?format=csv");
      return (await replyStatement(service.runtime, stated, request, {}))?.headers.get("content-disposition");
    };
    const own = await statementOf(holder.person, await presentMonth(holder.person));
    const made = dayIn(own.createdAt);
    expect(closingOf(own)).toEqual({ camt: made, csv: made });
    expect(await nameOf(own)).toContain(`"statement-${own.month}.csv"`);
    expect(await nameOf({ ...own, month: null })).toContain(`"statement-${own.month}-01-${made}.csv"`);
    const [begin, end] = [`${months[2]}-01`, `${months[4]}-28`];
    const past = await rangeOf(rich, begin, end);
    expect(closingOf(past)).toEqual({ camt: end, csv: end });
    expect(await nameOf(past)).toContain(`"statement-${begin}-${end}.csv"`);
  });

  test("its pages, its CSV and its camt.053 say the same as its JSON", async () => {
    const year = await rangeOf(rich, `${months[2]}-01`, `${months[13]}-28`);
    const look = (code: string) => ({ language: createLanguages().of(code), logo });
    const pdf = await buildStatementPdf(year, look("en"));
    const pages =
      Buffer.from(pdf)
        .toString("latin1")
        .match(/\/Type \/Page\b/g)?.length ?? 0;
    expect([Buffer.from(pdf.subarray(0, 5)).toString(), pages > 5]).toEqual(["%PDF-", true]);
    const month = await rangeOf(rich, `${months[2]}-01`, `${months[2]}-28`);
    const languages = await Promise.all(["en", "de", "es"].map((code) => buildStatementPdf(month, look(code))));
    const again = Buffer.from(await buildStatementPdf(month, look("en")));
    expect([filled(month.entries).length > 5, again.equals(languages[0] ?? pdf)]).toEqual([true, true]);
    const named = languages.map((bytes) => /\/Lang \((\w+)\)/.exec(Buffer.from(bytes).toString("latin1"))?.[1]);
    expect(named).toEqual(["en", "de", "es"]);
    expect(Buffer.from(pdf).toString("latin1")).toContain("/Subtype /Image");
    const longer = {
      ...year,
      entries: Array.from({ length: statementEntriesMax + 1 }).flatMap(() => year.entries.at(0) ?? []),
    };
    const asked = (format: string) =>
      replyStatement(service.runtime, longer, new Request(`http://localhost/?format=${format}`), {});
    await expect(asked("pdf")).rejects.toMatchObject({ code: "statements.too_many_pages" });
    expect((await asked("camt053"))?.status).toBe(200);
    const rounded = roundEntries(year);
    const sum = rounded.reduce((total, { cents }) => total + cents, 0n);
    expect(sum).toBe(toCents(year.closingBalance) - toCents(year.openingBalance));
    const camt = buildCamt(year);
    const amounts = [
      ...camt.matchAll(/<Ntry><NtryRef>\d+<\/NtryRef><Amt Ccy="EUR">([0-9.]+)<\/Amt><CdtDbtInd>(CRDT|DBIT)/g),
    ];
    const signed = amounts.map(([, amount = "", side]) => (side === "DBIT" ? -1n : 1n) * toCents(amount));
    expect(signed).toEqual(rounded.map(({ cents }) => cents).filter((cents) => cents !== 0n));
    const csv = buildStatementCsv(year);
    // A library of other people reads it, with the names of its columns.
    const rows = parse<Record<string, string>>(csv, { columns: true }).slice(1, -1);
    expect(rows.map(({ amount, balance, transaction }) => [amount, balance, transaction])).toEqual(
      year.entries.map(({ amount, balance, hash }) => [amount, balance, hash]),
    );
    if (process.env["STATEMENT_OUT"] !== undefined) {
      await Bun.write(`${process.env["STATEMENT_OUT"]}/year.pdf`, pdf);
      await Bun.write(`${process.env["STATEMENT_OUT"]}/year.xml`, camt);
      await Bun.write(`${process.env["STATEMENT_OUT"]}/year.csv`, csv);
      const own = await statementOf(holder.person, await presentMonth(holder.person));
      for (const code of filled(["en", "de", "es"]))
        await Bun.write(`${process.env["STATEMENT_OUT"]}/month-${code}.pdf`, await buildStatementPdf(own, look(code)));
      await Bun.write(`${process.env["STATEMENT_OUT"]}/month.xml`, buildCamt(own));
    }
  }, 60_000);
});
