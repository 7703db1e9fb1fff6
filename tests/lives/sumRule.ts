/** Rules that bound the sum of a card's payments of a day, and a log from which it is seen whether they ever failed. */
import { createContext } from "@cardkeep/domain/core/context";
import { writeRule } from "@cardkeep/domain/cards/ruleChanges/writeRule";
import { sql } from "drizzle-orm";
import type { Service } from "../support/service.ts";

/** Writes an active rule of the operator about a card: no more than this many cents a day. */
export async function boundDay(
  { runtime: { services, log } }: Service,
  { userId, cardId, dayCentsMax }: { userId: string; cardId: string; dayCentsMax: number },
): Promise<void> {
  const definition = {
    conditions: [{ type: "sum" as const, window: "day" as const, per: "card" as const, aboveCents: dayCentsMax }],
  };
  const rule = { scope: "card", subjectId: cardId, userId, owner: "operator", ownerId: null } as const;
  const { commit } = createContext(services, { log, requestId: "lives" });
  await commit((work) => writeRule(work, { ...rule, name: "A day's sum", definition, state: "ACTIVE" }));
}

/** Logs each change of a payment and each approval of ours, as the database itself sees them. */
export async function logDecisions({ ownerDb }: Service): Promise<void> {
  await ownerDb.execute(
    sql.raw(`
    create table decision_log (id bigint generated always as identity, payment_id text not null, card_id text,
      at timestamptz not null, standing bigint, approved bigint);
    create function log_payment() returns trigger language plpgsql security definer as $$ begin
      insert into decision_log (payment_id, card_id, at, standing) values (new.id, new.card_id, new.created_at,
        case new.status when 'CLEARED' then new.captured_cents
          when 'AUTHORIZED' then greatest(new.authorized_cents - new.reversed_cents, new.captured_cents) else 0 end);
      return null;
    end $$;
    create function log_decision() returns trigger language plpgsql security definer as $$ begin
      if new.is_approved and not new.is_by_issuer and new.approved_cents > 0 then
        insert into decision_log (payment_id, at, approved) values (new.payment_id, new.created_at, new.approved_cents);
      end if;
      return null;
    end $$;
    create trigger log_payment after insert or update on card_payments for each row execute function log_payment();
    create trigger log_decision after insert on card_decisions for each row execute function log_decision();`),
  );
}

interface LogRow extends Record<string, unknown> {
  paymentId: string;
  cardId: string | null;
  day: string;
  standing: string | null;
  approved: string | null;
}

interface Standing {
  cardId: string;
  day: string;
  cents: number;
}

/**
 * Replays the log: after each approval of ours the card's payments of that day, less what was reversed, must be within the
 * card's bound. Answers the faults in words, and how many approvals it saw.
 *
 * @param bounds cents a day, by card
 */
export async function findExceededSums(
  { ownerDb }: Service,
  bounds: ReadonlyMap<string, number>,
): Promise<{ approvals: number; faults: string[] }> {
  const rows = await ownerDb.execute<LogRow>(sql`
    select payment_id as "paymentId", card_id as "cardId", (at at time zone 'UTC')::date::text as day, standing, approved
    from decision_log order by id`);
  const payments = new Map<string, Standing>();
  const faults: string[] = [];
  for (const { paymentId, cardId, day, standing, approved } of rows) {
    if (cardId !== null) payments.set(paymentId, { cardId, day, cents: Number(standing) });
    const own = payments.get(paymentId);
    const bound = own && bounds.get(own.cardId);
    if (approved === null || bound === undefined) continue;
    const sum = [...payments]
      .filter(([id, one]) => one.cardId === own?.cardId && (one.day === day || id === paymentId))
      .reduce((total, [, { cents }]) => total + cents, 0);
    if (sum > bound) faults.push(`card ${own?.cardId}: ${sum} cents on ${day}, the rule allows ${bound}`);
  }
  return { approvals: rows.filter(({ approved }) => approved !== null).length, faults };
}
