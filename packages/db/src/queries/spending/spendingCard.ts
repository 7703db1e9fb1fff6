/** The facts of a card that decide whether it may pay: one text serves the reader before the lock and the one behind it. */
import { sql } from "drizzle-orm";
import type { Executor } from "../../client.ts";
import { finalDelaysText } from "../../schema/accounts/delays.ts";
import { ruleStamps } from "../cards/cardRules/liveRules.ts";
import { isStoppedText } from "../operators/stops.ts";

/** A card with its user and Safe; no row where the issuer's card is unknown. */
export interface SpendingCard {
  cardId: string;
  cardToken: string;
  statusCode: string;
  isActivated: boolean;
  userId: string;
  isUserActive: boolean;
  isKycApproved: boolean;
  /** Whether the rating of the user's money is red. */
  isRisky: boolean;
  /** When the user's proven phone number was replaced, and until when that counts, in milliseconds; null: never. */
  contactChangedAtMs: number | null;
  contactSettlesAtMs: number | null;
  safeId: string;
  /** Whether an operator has stopped all card payments. */
  isStopped: boolean;
  /** Whether an accepted operation of the Safe is still open. */
  isPaused: boolean;
  /** Whether a violation of the account stands. */
  isChanged: boolean;
  /** Whether any payment of the user is in debt. */
  owes: boolean;
  /** Changes with the rules of programme and partners, and with those of the user and its cards. */
  sharedRuleStamp: string;
  ownRuleStamp: string;
}

/** SQL text of the columns of a spending card; `c` is the row of the card and `u` that of its user. */
export const spendingCardColumns = `
  c.id as "cardId", c.card_token as "cardToken", c.status_code as "statusCode",
  c.activated_at is not null as "isActivated", c.user_id as "userId", u.status = 'ACTIVE' as "isUserActive",
  u.kyc_status = 'approved' as "isKycApproved",
  u.source_of_funds_risk is not distinct from 'red' as "isRisky",
  (extract(epoch from u.contact_changed_at) * 1000)::float8 as "contactChangedAtMs",
  (extract(epoch from u.contact_settles_at) * 1000)::float8 as "contactSettlesAtMs",
  c.safe_id as "safeId", exists (select from delay_transactions d
    where d.safe_id = c.safe_id and d.status not in (${finalDelaysText})) as "isPaused",
  exists (select from account_violations v where v.safe_id = c.safe_id and v.status <> 'CLEARED') as "isChanged",
  ${isStoppedText("card-payments")} as "isStopped",
  exists (select from card_debts d where d.user_id = c.user_id) as "owes",
  ${ruleStamps.shared} as "sharedRuleStamp", ${ruleStamps.own} as "ownRuleStamp"`;

/** SQL that selects a spending card. */
export const selectSpendingCard = sql`
  select ${sql.raw(spendingCardColumns)} from cards c join users u on u.id = c.user_id`;

/** The card that the issuer knows by this id, which is its token. */
export async function findSpendingCard(on: Executor, issuerCardId: string): Promise<SpendingCard | null> {
  const [row] = await on.execute<SpendingCard & Record<string, unknown>>(
    sql`${selectSpendingCard} where c.card_token = ${issuerCardId}`,
  );
  return row ?? null;
}
