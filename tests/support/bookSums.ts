/** Helpers for tests of the firm's books. */
import { postAll } from "@cardkeep/domain/books/postings/postBooks";
import { createContext } from "@cardkeep/domain/core/context";
import { sql } from "drizzle-orm";
import { Person } from "./person.ts";
import type { RunningService } from "./service.ts";

/** Posts all that may be: blocks are final ten minutes later. */
export async function postFinal(service: RunningService): Promise<void> {
  const { services, log } = service.runtime;
  await new Person(service).sandbox("POST", "/chain/advance", { seconds: 600 });
  await postAll(createContext(services, { log, requestId: "test" }));
}

/** What the postings of some causes come to, by account, without what comes to nothing. */
export async function sumByAccount(
  service: RunningService,
  causes: readonly string[],
): Promise<Record<string, bigint>> {
  const rows = await service.runtime.db.execute<{ account: string; sum: string }>(sql`
    select l.account, sum(l.amount)::text as sum from book_lines l join book_postings p on p.id = l.posting_id
    where p.cause in (select json_array_elements_text(${JSON.stringify(causes)}::json))
    group by l.account having sum(l.amount) <> 0 order by l.account`);
  return Object.fromEntries(rows.map(({ account, sum }) => [account, BigInt(sum)]));
}

/** Accounts between issuer, operator and customers, on which nothing stays once a payment is settled. */
const openAccount = /^(issuer-clearing|provisional-credits|goodwill|customer-debts):/;

/** What the books have open for some payments and their disputes, once all is posted. */
export async function readOpenSums(
  service: RunningService,
  paymentIds: readonly string[],
): Promise<Record<string, bigint>> {
  await postFinal(service);
  const disputes = await service.runtime.db.execute<{ id: string }>(sql`
    select id from card_disputes
    where payment_id in (select json_array_elements_text(${JSON.stringify(paymentIds)}::json))`);
  const sums = await sumByAccount(service, [...paymentIds, ...disputes.map(({ id }) => id)]);
  return Object.fromEntries(Object.entries(sums).filter(([account]) => openAccount.test(account)));
}
