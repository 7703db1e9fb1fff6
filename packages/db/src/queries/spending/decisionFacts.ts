/** Everything in the database that a decision about a card's use needs, in one question. */
import type { Address } from "@cardkeep/contract/core/primitives";
import type { Reads } from "../../client.ts";
import type { Safe } from "../accounts/safes.ts";
import { type SpendingCard, spendingCardColumns } from "./spendingCard.ts";
import { type Hold, type HoldText, oldestHold, readHold } from "./liveTransfers.ts";
import { lackingRows } from "../sync/lackingRows.ts";
import { type LiveRule, ownRules } from "../cards/cardRules/liveRules.ts";

/** Of a Safe what a decision needs. */
export type SpendingSafe = Pick<
  Safe,
  | "id"
  | "address"
  | "delayAddress"
  | "rolesAddress"
  | "bouncerAddress"
  | "spender"
  | "tokenSymbol"
  | "cooldownSeconds"
  | "status"
  | "createdAt"
>;

/** All at one instant. */
export interface SpendingFacts {
  /** By the database's clock. */
  readAt: Date;
  card: SpendingCard;
  /** The user's partner at sign-up. */
  partnerId: string | null;
  /** Rules about the card or its user that run. */
  ownRules: LiveRule[];
  safe: SpendingSafe;
  wallets: { address: Address }[];
  /** Also of spends that moved lately: a node that lags behind says that they have not run, and their money is still there. */
  holds: Hold[];
  /** Sequence of the Safe's newest live transfer; 0 without any. */
  last: bigint;
  /** Entries of the Safe's queue that are checked: those below this queue nonce. */
  checkedEntries: bigint;
  /**
   * When the oldest spend of any Safe was approved that is neither on chain nor failed, nor waits for another transfer. Where it
   * is too old, `findHoldConcerning` knows whether it concerns this Safe.
   */
  oldestHoldAt: Date | null;
  /** Whether uses that the issuer knows may have no row, because the database went back a moment ago. */
  isLacking: boolean;
}

/** A reconciliation that takes longer declines no uses: it would stop all cards. */
const since = `now() - interval '1 minute'
  + coalesce((select make_interval(secs => offset_seconds) from clock where id = 1), interval '0')`;
/** A use that a reconciliation found holds no money before its own job has booked it. */
const lackingText = `(${lackingRows("'threads'", since)} or (
  exists (select from discrepancies d where d.kind = 'thread' and d.resolved_at is null)
  and exists (select from reconciliations r where r.reason = 'restored' and r.started_at >= ${since})))`;

type Row = Omit<SpendingFacts, "safe" | "holds" | "last" | "checkedEntries" | "oldestHoldAt"> & {
  safe: Omit<SpendingSafe, "createdAt">;
  createdAt: Date;
  holds: HoldText[];
  last: string;
  checkedEntries: string;
  oldestHoldAt: Date | null;
};

/** The card with this id of the issuer, with its user and Safe; null for an unknown card. */
export async function findSpendingFacts(reads: Reads, issuerCardId: string): Promise<SpendingFacts | null> {
  const [row] = await reads<Row[]>`
    select
      clock_timestamp() as "readAt",
      row_to_json(card) as card,
      u.partner_id as "partnerId", ${reads.unsafe(ownRules)} as "ownRules",
      json_build_object('id', s.id, 'address', s.address, 'delayAddress', s.delay_address, 'rolesAddress', s.roles_address,
        'bouncerAddress', s.bouncer_address, 'spender', s.spender, 'tokenSymbol', s.token_symbol, 'cooldownSeconds', s.cooldown_seconds,
        'status', s.status) as safe,
      s.created_at as "createdAt",
      (select coalesce(json_agg(json_build_object('address', w.address)), '[]') from sign_in_wallets w
        where w.user_id = c.user_id) as wallets,
      (select coalesce(json_agg(json_build_object('id', t.id, 'amount', t.amount::text, 'messageHash', t.message_hash,
        'sequence', t.sequence::text)), '[]') from live_transfers t
        where t.safe_id = c.safe_id and t.direction = 'spend' and t.status <> 'FAILED') as holds,
      (select coalesce(max(t.sequence), 0)::text from live_transfers t where t.safe_id = c.safe_id) as last,
      (select coalesce(max(q.queue_nonce) + 1, 0)::text from queue_entries q
        where q.delay_address = s.delay_address) as "checkedEntries",
      (${reads.unsafe(oldestHold)}) as "oldestHoldAt",
      ${reads.unsafe(lackingText)} as "isLacking"
    from cards c join users u on u.id = c.user_id join safes s on s.id = c.safe_id
      cross join lateral (select ${reads.unsafe(spendingCardColumns)}) card
    where c.card_token = ${issuerCardId}`;
  if (!row) return null;
  const { card, wallets, partnerId } = row;
  return {
    readAt: new Date(row.readAt),
    card,
    wallets,
    partnerId,
    ownRules: row.ownRules,
    holds: row.holds.map(readHold),
    last: BigInt(row.last),
    checkedEntries: BigInt(row.checkedEntries),
    oldestHoldAt: row.oldestHoldAt === null ? null : new Date(row.oldestHoldAt),
    isLacking: row.isLacking,
    safe: { ...row.safe, createdAt: new Date(row.createdAt) },
  };
}
