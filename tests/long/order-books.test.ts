/** What the books say of payments that orders did not need. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Hex } from "@cardkeep/contract/core/primitives";
import { unpaid } from "@cardkeep/db/queries/cards/orders";
import { bookPostings, cardCases, orders } from "@cardkeep/db/schema/tables";
import type { Close } from "@cardkeep/domain/books/closes/closes";
import { beginExport } from "@cardkeep/domain/operations/exports/runExport";
import { and, eq, sql } from "drizzle-orm";
import { postFinal, sumByAccount } from "../support/bookSums.ts";
import { askCli } from "../support/cli.ts";
import { becomeComplete } from "../support/completePerson.ts";
import { operatorOf } from "../support/operator.ts";
import { fullPrice, order, payFromWallet, statusOf } from "../support/orders.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { type Service, startService } from "../support/service.ts";

let service: Service;
beforeAll(async () => {
  // The close of the night would come before the test's own.
  service = await startService({ env: { BOOKS_CLOSE_HOUR: "23", CARD_PRICE_VAT_PERCENT: "19" } });
}, 60_000);
afterAll(() => service.stop());

const advance = (seconds: number) => new Person(service).sandbox("POST", "/chain/advance", { seconds });
const attach = (person: Person, id: string, transactionHash: Hex) =>
  person.call("PUT", `/order/${id}/attach-transaction`, { transactionHash });

/** Orders a card, names a transaction for it, cancels it, and waits until the transaction was looked at. */
async function cancelWith(person: Person, hash: Hex): Promise<string> {
  const id = await order(person);
  expect((await attach(person, id, hash)).status).toBe(200);
  expect((await person.call("POST", `/order/${id}/cancel`)).status).toBe(200);
  await until(async () => {
    const jobs = await service.runtime.db.execute(
      sql`select from graphile_worker._private_jobs where key = ${`order.payment:${id}`}`,
    );
    return jobs.length === 0;
  });
  return id;
}

/** The types of postings of an order, after all is posted that may be. */
async function postingsOf(id: string): Promise<string[]> {
  await postFinal(service);
  const rows = await service.ownerDb
    .select({ type: bookPostings.type })
    .from(bookPostings)
    .where(eq(bookPostings.cause, id))
    .orderBy(bookPostings.id);
  return rows.map(({ type }) => type);
}

/** What the export of orders states of one: gross, tax, net, and what was received. */
async function exportOf(id: string): Promise<string[] | undefined> {
  const { pieces } = await beginExport(operatorOf(service.runtime), { name: "order-income", format: "jsonl" });
  const lines = (await Array.fromAsync(pieces)).join("").split("\n").filter(Boolean);
  const rows = lines.map((line) => JSON.parse(line) as Record<"id" | "gross" | "tax" | "net" | "received", string>);
  const row = rows.find((each) => each.id === id);
  return row && [row.gross, row.tax, row.net, row.received];
}

const countCases = (id: string, status: "OPEN" | "CLOSED") =>
  service.ownerDb.$count(cardCases, and(eq(cardCases.orderId, id), eq(cardCases.status, status)));

test("a transaction that several cancelled orders named is kept and posted for one of them", async () => {
  const person = await becomeComplete(new Person(service));
  const hash = await payFromWallet(service, person.account);
  const ids = [await cancelWith(person, hash), await cancelWith(person, hash), await cancelWith(person, hash)];
  const kept = await Promise.all(ids.map((id) => countCases(id, "OPEN")));
  expect(kept).toEqual([1, 0, 0]);
  const posted = [];
  for (const id of ids) posted.push(await postingsOf(id));
  expect(posted).toEqual([["order"], [], []]);
}, 60_000);

test("what was posted for a cancelled order is taken back once its transaction pays the next one", async () => {
  const person = await becomeComplete(new Person(service));
  const hash = await payFromWallet(service, person.account);
  const first = await cancelWith(person, hash);
  expect(await countCases(first, "OPEN")).toBe(1);
  expect(await postingsOf(first)).toEqual(["order"]);
  const next = await order(person);
  expect((await attach(person, next, hash)).status).toBe(200);
  expect((await person.call("PUT", `/order/${next}/confirm-payment`)).status).toBe(200);
  expect(await statusOf(person, next)).toBe("READY");
  expect(await postingsOf(first)).toEqual(["order", "order-end"]);
  expect(await postingsOf(first)).toEqual(["order", "order-end"]);
  expect(await postingsOf(next)).toEqual(["order"]);
  const lines = await service.ownerDb.execute<{ sum: string }>(sql`
    select sum(l.amount)::text as sum from book_lines l join book_postings p on p.id = l.posting_id
    where p.cause in (${first}, ${next}) and l.account in ('treasury:EUR', 'payable:EUR') group by l.account order by l.account`);
  expect(lines.map(({ sum }) => sum)).toEqual(["0", String(fullPrice)]);
  await advance(86_400);
  const { items } = await askCli<Close>(service, "books", "close");
  expect(items).toEqual([]);
}, 60_000);

test("a paid order that is cancelled after it was booked has no income and no tax: its payment is payable", async () => {
  const person = await (await new Person(service).becomeApproved()).acceptTerms();
  const id = await order(person);
  const hash = await payFromWallet(service, person.account);
  expect((await attach(person, id, hash)).status).toBe(200);
  expect((await person.call("PUT", `/order/${id}/confirm-payment`)).status).toBe(200);
  expect(await statusOf(person, id)).toBe("CONFIRMATIONREQUIRED");
  expect(await postingsOf(id)).toEqual(["order"]);
  const vat = 483n * 10n ** 16n;
  const used = { "order-income:EUR": vat - fullPrice, "vat:EUR": -vat };
  expect(await sumByAccount(service, [id])).toEqual({ "treasury:EUR": fullPrice, ...used });
  // Its payment was long ago: what follows the order follows its end.
  await advance(5 * 86_400);
  expect(await postingsOf(id)).toEqual(["order"]);
  expect(await exportOf(id)).toEqual(["30.23", "4.83", "25.4", "30.23"]);
  expect((await person.call("POST", `/order/${id}/cancel`)).status).toBe(200);
  expect(await countCases(id, "OPEN")).toBe(1);
  expect(await postingsOf(id)).toEqual(["order", "order-unused"]);
  expect(await exportOf(id)).toEqual(["0", "0", "0", "30.23"]);
  expect(await postingsOf(id)).toEqual(["order", "order-unused"]);
  expect(await sumByAccount(service, [id])).toEqual({ "treasury:EUR": fullPrice, "payable:EUR": -fullPrice });
  // Its block is gone after all.
  const { clock, db } = service.runtime.services;
  const gone = { ...unpaid, updatedAt: await clock.now(db) };
  await service.ownerDb.update(orders).set(gone).where(eq(orders.id, id));
  expect(await postingsOf(id)).toEqual(["order", "order-unused", "order-end", "order-end"]);
  expect(await sumByAccount(service, [id])).toEqual({});
}, 60_000);
