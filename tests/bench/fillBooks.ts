import { type SQL, sql } from "drizzle-orm";
import type { Sizes } from "./fill.ts";

/** Postings of two lines each, long before the first payment, with a witness and an item that ended. */
export function buildBookStatements({ payments }: Pick<Sizes, "payments">): SQL[] {
  const numbers = sql`generate_series(1, ${payments}::int) n`;
  const day = sql`'2020-01-01'::date + n % 1000`;
  return [
    sql`insert into book_accounts (id, kind, currency, owner, created_at)
      select kind || ':EUR', kind, 'EUR', 'operator', now() from unnest(array['settlement', 'issuer-clearing']) kind
      on conflict do nothing`,
    // In one statement: a posting without lines is refused at the commit.
    sql`with posted as (
        insert into book_postings (id, type, external_id, cause, effective_on, period, booked_at) overriding system value
          select -n, 'spend', 'old-' || n, 'old-' || n, ${day}, ${day}, now() from ${numbers})
      insert into book_lines (posting_id, ordinal, account, currency, amount, reference, period)
      select -n, side, case side when 0 then 'settlement:EUR' else 'issuer-clearing:EUR' end, 'EUR',
        case side when 0 then n else -n end, case side when 0 then 'old-' || n end, ${day}
      from ${numbers}, generate_series(0, 1) side`,
    sql`insert into book_witness_entries
        (witness, reference, ordinal, account, currency, amount, kind, effective_on, period, at, created_at)
      select 'chain', 'old-' || n, 0, 'settlement:EUR', 'EUR', n, 'transfer', ${day}, ${day}, ${day}, ${day} from ${numbers}`,
    sql`insert into book_items (id, witness, account, currency, reference, amount, cause, owner, first_day, resolved_day)
      select 'old-' || n, 'chain', 'settlement:EUR', 'EUR', 'old-' || n, 0, 'late', 'finance', ${day}, ${day} from ${numbers}`,
  ];
}
