/** The sandbox's own tables after years of use: what its partners keep of the people, payments and deliveries of `fill`. */
import { type SQL, sql } from "drizzle-orm";
import { address, at, ownerOf, series, type Sizes, some } from "./fill.ts";

const created = sql`(extract(epoch from now())::bigint - 20 * 86400 + n)`;
const card = (n: SQL) => sql`json_build_object('id', 'old-' || ${n}, 'last4', '4242', 'cardholder', 'ich-' || ${n})`;
const merchant = sql`json_build_object('name', 'Shop ' || n % 1000, 'country', 'DE', 'category_code', '5812', 'category', 'eating_places')`;

/** The statements that fill the sandbox's tables; one user's card and bank account have a tenth of all payments. */
export function buildSandboxStatements({ users, deliveries, payments }: Sizes): SQL[] {
  const payers = sql`(select n, ${ownerOf(users)} as u from ${series(payments)}) places`;
  return [
    sql`insert into sandbox.messages (id, channel, "to", subject, text, code, sent_at)
      select 'old-' || n, case when n % 2 = 0 then 'mail' else 'phone' end, 'old-' || ${some(users)} || '@example.org', 'Code', 'Your code is 123456', '123456', ${at}
      from ${series(deliveries)}`,
    sql`insert into sandbox.kyc_applicants (id, external_user_id, level_name, review_status, info, created_at)
      select 'old-' || n, 'old-' || n, 'basic-kyc-level', 'completed', '{"firstName": "Ada"}', ${at} from ${series(users)}`,
    sql`insert into sandbox.issuer_objects (id, object, data, hidden, created_at)
      select 'ich-' || n, 'issuing.cardholder', json_build_object('id', 'ich-' || n, 'email', 'old-' || n || '@example.org', 'status', 'active', 'created', ${created}), '{}', ${at}
      from ${series(users)}`,
    sql`insert into sandbox.issuer_objects (id, object, data, hidden, created_at)
      select 'old-' || n, 'issuing.card', json_build_object('id', 'old-' || n, 'cardholder', json_build_object('id', 'ich-' || n), 'status', 'active', 'created', ${created}),
        json_build_object('number', (4242000000000000 + n)::text), ${at} from ${series(users)}`,
    sql`insert into sandbox.issuer_objects (id, object, data, hidden, created_at)
      select 'iauth-' || n, 'issuing.authorization', json_build_object('id', 'iauth-' || n, 'amount', 100, 'currency', 'eur', 'merchant_amount', 100, 'merchant_currency', 'eur',
        'approved', true, 'status', 'closed', 'card', ${card(sql`u`)}, 'cardholder', 'ich-' || u, 'merchant_data', ${merchant}, 'request_history', '[]'::json, 'metadata', '{}'::json, 'created', ${created}), '{}', ${at}
      from ${payers}`,
    sql`insert into sandbox.issuer_objects (id, object, data, hidden, created_at)
      select 'ipi-' || n, 'issuing.transaction', json_build_object('id', 'ipi-' || n, 'type', 'capture', 'amount', -100, 'merchant_amount', -100, 'currency', 'eur',
        'authorization', 'iauth-' || n, 'card', 'old-' || u, 'cardholder', 'ich-' || u, 'merchant_data', ${merchant}, 'dispute', null, 'created', ${created}), '{}', ${at}
      from ${payers}`,
    sql`insert into sandbox.issuer_objects (id, object, data, hidden, created_at)
      select 'idp-' || n, 'issuing.dispute', json_build_object('id', 'idp-' || n, 'amount', 100, 'currency', 'eur', 'status', 'submitted', 'transaction', 'ipi-' || n,
        'balance_transactions', '[]'::json, 'evidence', json_build_object('reason', 'other'), 'created', ${created}), '{}', ${at}
      from ${series(payments)}`,
    sql`insert into sandbox.issuer_replies (key, request_hash, status, reply, created_at)
      select 'old-' || n, 'old', 200, '{}', ${at} from ${series(payments)}`,
    sql`insert into sandbox.emoney_records (kind, id, profile, data)
      select 'profile', 'old-' || n, null, json_build_object('state', 'approved', 'holder', 'old-' || n || '@example.org', 'own', false) from ${series(users)}`,
    sql`insert into sandbox.emoney_records (kind, id, profile, data)
      select 'iban', iban, 'old-' || n, json_build_object('iban', iban, 'bic', 'MARKEE2XXXX', 'name', 'Old ' || n, 'profile', 'old-' || n, 'address', address, 'chain', 'gnosis')
      from (select n, 'EE' || lpad(n::text, 18, '0') as iban, ${address("b")} as address from ${series(users)}) accounts`,
    sql`insert into sandbox.emoney_records (kind, id, profile, data)
      select 'order', 'old-' || o, 'old-' || n, json_build_object('id', 'old-' || o, 'kind', 'issue', 'profile', 'old-' || n, 'address', ${address("b")}, 'chain', 'gnosis', 'currency', 'eur',
        'amount', '1.00', 'counterpart', json_build_object('details', json_build_object('name', 'Charles Babbage'), 'identifier', json_build_object('standard', 'iban', 'iban', 'DE89370400440532013000')),
        'memo', 'Thanks', 'state', 'processed', 'meta', json_build_object('placedAt', ${at}), 'isSigned', false)
      from (select n as o, ${ownerOf(users)} as n from ${series(payments)}) places`,
    sql`insert into sandbox.identity_records (kind, id, data, expires_at) select 'Session', 'old-' || n, '{}', now() + interval '1 day' from ${series(users)}`,
    sql`insert into sandbox.inboxes (name, statuses, delay_ms) values ('old', '{}', 0)`,
    sql`insert into sandbox.inbox_attempts (id, name, headers, body, verified, status, received_at)
      select 'old-' || n, 'old', '{"webhook-id": "old"}', json_build_object('eventType', 'account.withdrawal.completed', 'data', json_build_object('userId', 'old-' || ${some(users)})), true, 200, ${at}
      from ${series(deliveries)}`,
  ];
}
