/** What else grows with use: disputes, cases, rules, bank orders, records of partners and of operators. */
import { openControls } from "@cardkeep/contract/cards/cardControls";
import { type SQL, sql } from "drizzle-orm";
import { address, at, hash, id, ownerOf, series, type Sizes, some } from "./fill.ts";

/** Of many rows, a few are still open. */
const isRare = sql`n % 1000 = 3`;
const ended = (state: string, open: string) => sql`case when ${isRare} then ${open}::text else ${state}::text end`;
const controls = JSON.stringify(openControls);
const definition = JSON.stringify({
  action: "decline",
  conditions: [{ type: "amount", operator: "above", cents: 100_000_000 }],
});

/** Rows of cards and payments; one user has a tenth of those that grow with payments. */
function buildCardStatements({ users, payments }: Sizes): SQL[] {
  const payers = sql`(select n, 'old-' || ${ownerOf(users)} as u from ${series(payments)}) places`;
  return [
    sql`insert into cardholders (user_id, issuer_id, created_at) select 'old-' || n, 'ich-' || n, ${at} from ${series(users)}`,
    sql`insert into card_issues (id, user_id, safe_id, order_id, virtual, status, request_id, created_at, updated_at)
      select 'old-' || n, 'old-' || n, 'old-' || n, 'old-' || n, true, 'issued', 'old-' || n, ${at}, ${at} from ${series(users)}`,
    sql`insert into card_envelopes (id, user_id, outcome, request_id, created_at)
      select 'old-' || n, 'old-' || n, 'matched', 'old', now() from ${series(users)}`,
    sql`insert into wallet_tokens (id, user_id, card_id, status, network, request_id, created_at, updated_at)
      select 'old-' || n, 'old-' || n, 'old-' || n, 'active', 'visa', 'old-' || n, ${at}, ${at} from ${series(users)}`,
    sql`insert into card_controls (card_id, version, user_id, controls, request_id, created_at)
      select 'old-' || n, 1, 'old-' || n, ${controls}::jsonb, 'old-' || n, ${at} from ${series(users)}`,
    sql`insert into card_rules (id, scope, subject_id, user_id, owner, owner_id, name, request_id, created_at)
      select 'old-' || n, 'card', 'old-' || n, 'old-' || n, 'user', 'old-' || n, 'Old', 'old-' || n, ${at} from ${series(users)}
      union all select 'old', 'programme', null, null, 'operator', null, 'Old', 'old', now()`,
    sql`insert into card_rule_versions (rule_id, version, state, definition, request_id, created_at, state_at)
      select 'old-' || n, 1, 'INACTIVE', ${definition}::jsonb, 'old-' || n, ${at}, ${at} from ${series(users)}
      union all select 'old', 1, 'INACTIVE', ${definition}::jsonb, 'old', now(), now()`,
    sql`insert into card_rule_stamps (name, stamp) select 'old-' || n, 1 from ${series(users)}`,
    sql`insert into card_rule_hits (id, rule_id, version, state, reason, payment_id, user_id, amount_cents, currency, created_at)
      select ${id}, case when n % 2 = 0 then 'old' else 'old-' || n end, 1, 'SHADOW', 'rule', ${id}, u, 100, 'EUR', ${at} from ${payers}`,
    sql`insert into card_clearings (id, payment_id, user_id, kind, amount_cents, merchant_minor, posted_at, created_at)
      select 'ipi-' || n, ${id}, u, case when n % 3 = 1 then 'refund' else 'capture' end, 100, 100, ${at}, ${at} from ${payers}`,
    sql`insert into card_decisions (payment_id, ordinal, user_id, asked_cents, approved_cents, fee_cents, cashback_cents, is_approved, reason, is_by_issuer, created_at)
      select ${id}, 0, u, 100, 100, 0, 0, true, 'approved', false, ${at} from ${payers}`,
    sql`insert into card_stand_ins (payment_id, user_id, decision, approved_cents, alone_cents, currency, reason, decided_at, created_at)
      select ${id}, u, 'APPROVED', 100, 100, 'EUR', 'timeout', ${at}, ${at} from ${payers}`,
    sql`insert into card_disputes (id, payment_id, user_id, reason, status, issuer_dispute_id, claim_id, amount_cents, submit_by, submitted_at, closed_at,
        request_id, created_at, updated_at)
      select ${id}, ${id}, u, 'wrong_value', ${ended("lost", "created")}, 'idp-' || n, 'ipi-' || n, 100, now() + interval '90 days', ${at}, ${at}, 'old-' || n, ${at}, ${at}
      from ${payers}`,
    sql`insert into dispute_evidence (payment_id, slot, user_id, fields, created_at, handed_at)
      select ${id}, 'text', u, '["explanation"]', ${at}, ${at} from ${payers}`,
    sql`insert into card_cases (id, kind, subject_id, user_id, payment_id, amount_cents, currency, status, note, request_id, created_at, closed_at, closed_by, close_reason)
      select ${id}, case when n % 2 = 0 then 'over_capture' else 'late_capture' end, ${id}, u, ${id}, 100, 'EUR', ${ended("CLOSED", "OPEN")}, 'Old', 'old-' || n, ${at},
        case when ${isRare} then null else ${at} end, case when ${isRare} then null else 'old' end, case when ${isRare} then null else 'Old' end
      from ${payers}`,
    sql`insert into unmatched_threads (thread_id, reason, currency, amount_minor, seen_at)
      select 'foreign-' || n, 'card', 'EUR', 100, ${at} from ${series(payments)}`,
  ];
}

/** Rows of people, of their bank accounts and of the chain. */
function buildPeopleStatements({ users, operations, payments }: Sizes): SQL[] {
  const payers = sql`(select n, ${ownerOf(users)} as u from ${series(payments)}) places`;
  return [
    sql`insert into iban_orders (id, user_id, kind, currency, amount, address, counterpart, state, memo, placed_at, reported_at,
        mint_hash, mint_index)
      select 'old-' || n, 'old-' || u, 'issue', 'eur', '1.00', ${address("b")},
        '{"details": {"name": "Charles Babbage"}, "identifier": {"standard": "iban", "iban": "DE89370400440532013000"}}',
        'processed', 'Thanks', ${at}, ${at}, ${hash("b")}, n from ${payers}`,
    sql`insert into archived_ibans (user_id, profile_id, address, iban, archived_at)
      select 'old-' || n, 'gone-' || n, ${address("b")}, 'DE89370400440532013000', ${at} from ${series(users)}`,
    sql`insert into person_keys (user_id, sealed_key, created_at) select 'old-' || n, 'sealed', ${at} from ${series(users)}`,
    sql`insert into identity_versions (id, user_id, verified_at, sealed, recorded_at)
      select 'old-' || n, 'old-' || n, ${at}, 'sealed', ${at} from ${series(users)}`,
    sql`insert into restricted_records (user_id, record_class, sealed, until, created_at)
      select 'old-' || n, 'payments', 'sealed', now() + interval '10 years', ${at} from ${series(users)}`,
    sql`insert into emoney_callbacks (id, user_id, received_at) select 'old-' || n, 'old-' || ${some(users)}, ${at} from ${series(payments)}`,
    sql`insert into kyc_checks (user_id, due_at, answered_at) select 'old-' || n, now() + interval '1 day', ${at} from ${series(users)}`,
    sql`insert into kyc_applications (user_id, applicant_id, last_event_at_ms, updated_at) select 'old-' || n, 'old-' || n, 1, ${at} from ${series(users)}`,
    sql`insert into source_of_funds (id, user_id, answers, risk, answered_at) select 'old-' || n, 'old-' || n, '[]', 'green', ${at} from ${series(users)}`,
    sql`insert into coupons (code, percent, redemptions, active, created_at) values ('OLD', 100, ${users}, true, now())`,
    sql`insert into coupon_redemptions (code, user_id, order_id, redeemed_at) select 'OLD', 'old-' || n, 'old-' || n, ${at} from ${series(users)}`,
    sql`insert into payment_hashes (hash, order_id, claimed_at, proven_at) select ${hash("9")}, 'old-' || n, ${at}, ${at} from ${series(users)}`,
    sql`insert into order_returns (id, order_id, user_id, ordinal, recipient, amount, signed_at, hash, paid_at, request_id, created_at)
      select 'old-' || n, 'old-' || n, 'old-' || n, 0, ${address("a")}, 1, ${at}, ${hash("a")}, ${at}, 'old', ${at} from ${series(users)}`,
    sql`insert into removed_sign_in_wallets (id, removed_at) select 'removed-' || n, ${at} from ${series(users)}`,
    sql`insert into movements (safe_id, block_number, log_index, token, amount, party, hash, at, stated_at, created_at)
      select 'old-' || u, -n, 0, ${address("e")}, 1, ${address("b")}, ${hash("7")}, ${at}, ${at}, ${at} from ${payers}`,
    sql`insert into statements (user_id, month, document, digest, created_at)
      select 'old-' || n, '2025-01', '{}', ${hash("6")}, ${at} from ${series(users)}`,
    sql`insert into statement_volumes (user_id, month, volume, ends_at, document, digest, created_at)
      select 'old-' || n, '2025-01', 1, ${at}, '{}', ${hash("6")}, ${at} from ${series(users)}`,
    sql`insert into user_tokens (id, user_id, name, scopes, hash, made_by, created_at, ends_at, "end")
      select 'old-' || n, 'old-' || n, 'Old', '{transactions}', ${hash("8")} || n, ${address("a")}, ${at}, ${at}, 'revoked' from ${series(users)}`,
    sql`insert into nonces (value, expires_at) select 'old-' || n, now() + interval '5 minutes' from ${series(users)}`,
    sql`insert into codes (id, purpose, subject, receiver, code_hash, tries_left, expires_at, created_at)
      select 'old-' || n, 'email', 'old-' || n, 'old-' || n, 'old', 3, now() + interval '5 minutes', now() from ${series(users)}`,
    sql`insert into contact_changes (id, user_id, kind, former, value, token_hash, operator, request_id, created_at, expires_at, ended_at, outcome)
      select 'old-' || n, 'old-' || n, 'email', 'old', 'older', 'old-' || n, 'Old', 'old', ${at}, ${at}, ${at}, 'expired' from ${series(users)}`,
    sql`insert into rate_limits (key, granted, last_grant, ends_at) select 'old-' || n, 1, 1, now() + interval '1 hour' from ${series(users)}`,
    sql`insert into oauth_states (state_hash, user_id, sealed_verifier, expires_at) select 'old-' || n, 'old-' || n, 'old', now() + interval '1 hour' from ${series(users)}`,
    sql`insert into subscription_messages (nonce, partner_id, user_id, wallet_address, message, expires_at)
      select 'old-' || n, 'old', 'old-' || n, ${address("a")}, 'Old', now() + interval '1 hour' from ${series(users)}`,
    sql`insert into queue_entries (delay_address, queue_nonce, kind, block_number) select ${address("c")}, n, 'old', -n from ${series(operations)}`,
    sql`insert into foreign_entries (delay_address, queue_nonce, "to", value, data, enqueued_hash, enqueued_block, seen_at)
      select ${address("c")}, 1000000 + n, ${address("f")}, 0, '0x', ${hash("2")}, -n, ${at} from ${series(users)}`,
    sql`insert into account_violations (id, safe_id, queue_nonce, status, reason, hash, block_number, ended_block, seen_at, updated_at)
      select 'old-' || n, 'old-' || n, n, ${ended("CLEARED", "QUEUED")}, 'Old', ${hash("2")}, -n, -n, ${at}, ${at} from ${series(users)}`,
    sql`insert into top_ups (id, recipient, amount, created_at, settled_at, hash) select 'old-' || n, '0xold', 1, ${at}, ${at}, ${hash("2")} from ${series(operations)}`,
    sql`insert into treasury_moves (id, kind, status, token, amount, destination, asked_by, note, request_id, created_at, updated_at, ended_at)
      select 'old-' || n, 'sweep', 'DONE', 'EURe', 1, '0xold', 'Old', 'Old', 'old', ${at}, ${at}, ${at} from ${series(users)}`,
    sql`insert into issuer_top_ups (id, amount_cents, currency, arrived_at, move_id, created_at)
      select 'old-' || n, 1, 'EUR', ${at}, 'old-' || n, ${at} from ${series(users)}`,
    sql`insert into reverted_gas (relay_transaction_id, subject_id, safe_id, user_id, cost, created_at)
      select 'old-' || n, 'old-' || n, 'old-' || n, 'old-' || n, 1, ${at} from ${series(operations)}`,
    sql`insert into discrepancies (id, kind, text, action, subject_id, found_at, resolved_at)
      select ${id}, 'card', 'Old', case when ${isRare} then null else 'Old' end, 'old-' || n, ${at}, case when ${isRare} then null else ${at} end from ${series(users)}`,
    sql`insert into reconciliations (id, reason, database_identity, request_id, started_at, ended_at)
      select ${id}, 'daily', 'old', 'old-' || n, ${at}, ${at} from ${series(users)}`,
  ];
}

/** What operators did, asked for and signed in with. */
const buildOperatorStatements = ({ users, operations }: Sizes): SQL[] => [
  sql`with head as (update operator_chain set sequence = sequence + ${operations}, hash = md5(${operations}::text) returning sequence - ${operations} as before)
    insert into operator_actions (id, sequence, at, operator_id, operator_name, via, proof, verb, subject_kind, subject_id, reason, request_id, previous_hash, hash)
    select ${id}, before + n, ${at}, 'old-' || n % 10, 'Old', 'page', 'oidc', case when n % 10 = 0 then 'users.risk' else 'cards.restore' end, 'user',
      'old-' || ${ownerOf(users)}, 'Old', 'old', md5((n - 1)::text), md5(n::text) from head, ${series(operations)}`,
  sql`insert into operator_approvals (id, verb, input, subject_kind, subject_id, status, asked_by_id, asked_by_name, asked_via, asked_proof, asked_roles, request_id,
      asked_at, expires_at, decided_by_id, decided_by_name, decided_at)
    select ${id}, 'users.erase', json_build_object('reference', 'old-' || n), 'user', 'old-' || n, ${ended("APPROVED", "WAITING")}, 'old-1', 'Old', 'page', 'oidc',
      '{admin}', 'old-' || n, ${at}, now() + interval '1 day', case when ${isRare} then null else 'old-2' end, case when ${isRare} then null else 'Old' end,
      case when ${isRare} then null else ${at} end from ${series(users)}`,
  sql`insert into operator_sessions (id, secret_hash, way, proof, subject, name, groups, started_at, seen_at, ends_at, ended_at, ending)
    select ${id}, 'old-' || n, 'page', 'key', 'old-' || n % 10, 'Old', '[]', ${at}, ${at}, ${at} + interval '8 hours', ${at}, 'logout' from ${series(users)}`,
  sql`insert into operator_sign_ins (state_hash, browser_hash, nonce, sealed_verifier, next, expires_at)
    select 'old-' || n, 'old', 'old', 'old', '/', now() + interval '5 minutes' from ${series(users)}`,
];

export const buildRecordStatements = (sizes: Sizes): SQL[] => [
  ...buildCardStatements(sizes),
  ...buildPeopleStatements(sizes),
  ...buildOperatorStatements(sizes),
];
