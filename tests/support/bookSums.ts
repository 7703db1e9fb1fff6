/** Helpers for tests of the firm's books. */
import { postAll } from "@cardkeep/domain/books/postings/postBooks";
import { createContext } from "@cardkeep/domain/core/context";
import { sql } from "drizzle-orm";
import { Person } from "./person.ts";
import type { RunningService } from "./service.ts";

/**
 * What the books have open between issuer, operator and customers for some payments and their disputes, once all is posted: base units by
 * kind of account, without what came to nothing.
 */
export async function readOpenSums(
  service: RunningService & Person["service"],
  paymentIds: readonly string[],
): Promise<Record<string, bigint>> {
  const { services, log, db } = service.runtime;
  // Blocks are final by then.
  await new Person(service).sandbox("POST", "/chain/advance", { seconds: 600 });
  await postAll(createContext(services, { log, requestId: "test" }));
  const given = sql`(select json_array_elements_text(${JSON.stringify(paymentIds)}::json))`;
  const rows = await db.execute<{ kind: string; sum: string }>(sql`
    select split_part(l.account, ':', 1) as kind, sum(l.amount)::text as sum
    from book_lines l join book_postings p on p.id = l.posting_id
    where (p.cause in ${given} or p.cause in (select id from card_disputes where payment_id in ${given}))
      and split_part(l.account, ':', 1) in ('issuer-clearing', 'provisional-credits', 'goodwill', 'customer-debts')
    group by 1 having sum(l.amount) <> 0`);
  return Object.fromEntries(rows.map(({ kind, sum }) => [kind, BigInt(sum)]));
}
