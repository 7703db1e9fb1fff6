/** Fifty active rules of each person of a world, which decline nothing, and the people's past payments that they count. */
import { type RuleDefinition, ruleDefinition } from "@cardkeep/contract/cards/cardRules";
import { type SQL, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/postgres-js";
import postgres from "postgres";

export interface CardOwner {
  readonly userId: string;
  readonly safeId: string;
  readonly cardId: string;
}

/** Two a day, as far back as the filled months. */
const pastPayments = 300;
const programmeRules = 40;
const ownRules = 5;
const centsMax = 10_000_000;

/** Conditions of rules that people use; every second rule counts earlier payments. */
const conditions: readonly RuleDefinition["conditions"][] = [
  [{ type: "mcc", operator: "in", values: ["7800-7999", "5933"] }],
  [{ type: "sum", window: "day", per: "card", aboveCents: centsMax }],
  [{ type: "country", operator: "in", values: ["KP", "IR", "SY"] }],
  [{ type: "count", window: "hour", per: "card", above: 100_000 }],
  [{ type: "channel", operator: "in", values: ["magstripe", "keyed"] }],
  [{ type: "sum", window: "month", per: "user", aboveCents: centsMax }],
  [{ type: "currency", operator: "in", values: ["XAU", "RUB"] }],
  [
    { type: "mcc", operator: "in", values: ["5000-5999"] },
    { type: "count", window: "week", per: "card", above: 100_000 },
  ],
  [{ type: "amount", operator: "above", cents: centsMax }],
  [
    { type: "new_merchant", per: "user" },
    { type: "amount", operator: "below", cents: centsMax },
  ],
];

const definitionOf = (n: number): string =>
  JSON.stringify(ruleDefinition.parse({ conditions: conditions[n % conditions.length] }));

/** Runs statements with triggers and references switched off. */
async function write(databaseUrl: string, statements: readonly SQL[]): Promise<void> {
  const client = postgres(databaseUrl, {
    max: 1,
    onnotice: () => {},
    connection: { session_replication_role: "replica", statement_timeout: 0 },
  });
  const db = drizzle(client);
  try {
    for (const statement of statements) await db.execute(statement);
  } finally {
    await client.end();
  }
}

/** Adds the past payments of owners of cards, which went to the merchant of the benchmark's requests. */
export const addPastPayments = (databaseUrl: string, owners: readonly CardOwner[]): Promise<void> =>
  write(databaseUrl, [
    ...owners.map(
      ({ userId, safeId, cardId }) => sql`
        insert into card_payments (id, thread_id, user_id, safe_id, card_id, status, authorized_cents, reversed_cents,
          captured_cents, refunded_cents, billing_currency, merchant_minor, merchant_currency, merchant_name, mcc,
          transaction_type, target, owed, set_off, excess_cents, version, request_id, created_at, cleared_at, updated_at)
        select left(ms, 8) || '-' || right(ms, 4) || '-7000-9000-' || lpad(to_hex(n), 6, '0') || left(md5(${userId}::text), 6),
          'past-' || ${userId}::text || n, ${userId}, ${safeId}, ${cardId}, 'CLEARED', 100, 0, 100, 0, 'EUR', 100, 'EUR',
          'Corner Shop', '5411', '00', 1, 0, 0, 0, 1, 'past', at, at, at
        from generate_series(1, ${pastPayments}::int) n, lateral (select now() - n * interval '12 hours' as at) past,
          lateral (select lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') as ms) digits`,
    ),
    sql`analyze card_payments`,
  ]);

/** Adds the rules, in INACTIVE. */
export const addRules = (databaseUrl: string, owners: readonly CardOwner[]): Promise<void> =>
  write(databaseUrl, [
    ...Array.from({ length: programmeRules }, (_, n) => buildRule(n, `programme-${n}`, { scope: "programme" })),
    ...owners.flatMap(({ userId, cardId }) =>
      Array.from({ length: ownRules }, (_, n) => [
        buildRule(n, `user-${userId}-${n}`, { scope: "user", subjectId: userId, userId }),
        buildRule(n + ownRules, `card-${cardId}-${n}`, { scope: "card", subjectId: cardId, userId }),
      ]).flat(),
    ),
  ]);

const buildRule = (
  n: number,
  id: string,
  { scope, subjectId = null, userId = null }: { scope: string; subjectId?: string | null; userId?: string | null },
): SQL => sql`
  with rule as (
    insert into card_rules (id, scope, subject_id, user_id, owner, name, request_id, created_at)
    values (${id}, ${scope}, ${subjectId}, ${userId}, 'operator', ${id}, 'bench', now()) returning id)
  insert into card_rule_versions (rule_id, version, state, definition, request_id, created_at, state_at)
  select id, 1, 'INACTIVE', ${definitionOf(n)}::jsonb, 'bench', now(), now() from rule`;

/** Switches all rules on or off, and deletes the payments since `since` with everything that belongs to them. */
export const resetDecisions = (databaseUrl: string, since: Date, areRulesActive: boolean): Promise<void> => {
  const isNew = sql`created_at >= ${since.toISOString()}::timestamptz`;
  const tables = ["card_payments", "card_decisions", "card_transfers", "ledger_entries", "live_transfers", "events"];
  return write(databaseUrl, [
    ...tables.map((table) => sql`delete from ${sql.identifier(table)} where ${isNew}`),
    sql`delete from card_threads where thread_id like 'iauth_%'`,
    sql`truncate graphile_worker._private_jobs`,
    sql`update card_rule_versions set state = ${areRulesActive ? "ACTIVE" : "INACTIVE"}`,
    sql`insert into card_rule_stamps (name, stamp) select name, 1 from (select 'programme' as name union all select distinct user_id from card_rules where user_id is not null) names
      on conflict (name) do update set stamp = card_rule_stamps.stamp + 1`,
  ]);
};
