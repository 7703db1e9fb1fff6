/**
 * A yes to a card, and the collection of a debt, say that the chain will pay. So right after such a commit the account covers all
 * that is held, nothing waits in its queue, and what was committed before the decision took its locks does not forbid it.
 */
import { accrueAllowance } from "@cardkeep/chain/allowance";
import type { ChainReader } from "@cardkeep/chain/port";
import { tokens } from "@cardkeep/chain/tokens";
import { cardStatusCodes } from "@cardkeep/contract/cards/cards";
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import { waitAlone } from "../native.ts";
import type { WorldDatabase } from "../worldDatabase.ts";
import { say } from "./names.ts";

/** What was committed when a decision had its locks. */
interface Before {
  readonly owing: readonly string[];
  readonly inactive: readonly string[];
}

interface Promised {
  id: string;
  userId: string;
  cardId: string;
  safeId: string;
  isCollection: boolean;
  isQueued: boolean;
  /** Unix seconds. */
  at: number;
}

interface Account {
  safe: Address;
  delay: Address;
  roles: Address;
  bouncer: Address;
  spender: Address;
  cooldownSeconds: number;
}

export interface Approvals {
  /** A decision has its locks. */
  noteLocks(lane: object): void;
  /** A commit holds an approval or a collection. @param lane its transaction */
  noteCommit(lane: object): void;
  /** Looks at what was noted since. @param isCalm whether no money moved without the service just now */
  check(isCalm: boolean): Promise<string[]>;
}

/** An operation that was enqueued so many seconds before is seen by each decision. */
const seenAfter = 5;

export function createApprovals(
  { ask }: Pick<WorldDatabase, "ask">,
  chain: Pick<ChainReader, "getSpendingState" | "getDelayState">,
): Approvals {
  const locked = new WeakMap<object, Before>();
  const known = new Set<string>();
  const locks: object[] = [];
  const commits: object[] = [];

  const readBefore = async (): Promise<Before> => {
    const owing = await ask<{ id: string }[]>`select user_id as id from card_payments group by 1 having sum(owed) > 0`;
    const inactive = await ask<{ id: string }[]>`select id from cards where status_code <> ${cardStatusCodes.active}`;
    return { owing: owing.map(({ id }) => id), inactive: inactive.map(({ id }) => id) };
  };

  const listNew = async (): Promise<Promised[]> => {
    const rows = await ask<Promised[]>`
      select d.payment_id || ':' || d.ordinal as id, p.user_id as "userId", p.card_id as "cardId", p.safe_id as "safeId", false as "isCollection",
        exists (select from delay_transactions o where o.safe_id = p.safe_id and o.status in ('WAITING', 'EXECUTING')
          and o.updated_at < d.created_at - ${seenAfter} * interval '1 second' and o.ready_at > d.created_at) as "isQueued",
        extract(epoch from d.created_at)::float8 as at
      from card_decisions d join card_payments p on p.id = d.payment_id and p.user_id = d.user_id
      where d.is_approved and not d.is_by_issuer and d.approved_cents > 0
      union all
      select t.id, t.user_id, p.card_id, t.safe_id, true, false, 0 from card_transfers t
      join card_payments p on p.id = t.payment_id and p.user_id = t.user_id where t.is_collection
      order by 1`;
    const fresh = rows.filter(({ id }) => !known.has(id));
    for (const { id } of fresh) known.add(id);
    return fresh;
  };

  /** What the account has above all that is held, in base units; null where the chain lets no money go. */
  const readLeft = async (safeId: string): Promise<bigint | null> => {
    const [account] = await ask<Account[]>`
      select address as safe, delay_address as delay, roles_address as roles, bouncer_address as bouncer, spender,
        cooldown_seconds as "cooldownSeconds" from safes where id = ${safeId}`;
    if (!account) return null;
    const { spender, cooldownSeconds, ...addresses } = account;
    const holds = await ask<{ amount: string; hash: Hex }[]>`
      select amount::text, message_hash as hash from live_transfers
      where safe_id = ${safeId} and direction = 'spend' and status in ('PLANNED', 'SIGNED') order by sequence`;
    const token = tokens.EURe.address;
    const messageHashes = holds.map(({ hash }) => hash);
    const state = await chain.getSpendingState({ token, addresses, cooldownSeconds, spender, messageHashes });
    if (!state.allowance) return null;
    const allowed = accrueAllowance(state.allowance, state.timestamp);
    const held = holds.reduce((sum, { amount }, index) => (state.hasRun[index] ? sum : sum + BigInt(amount)), 0n);
    return (state.balance < allowed ? state.balance : allowed) - held;
  };

  /** Whether the chain's own queue of the account has an entry that a decision of an instant had to see. */
  const waits = async (safeId: string, at: number): Promise<boolean> => {
    const [account] = await ask<{ delay: Address }[]>`select delay_address as delay from safes where id = ${safeId}`;
    const head = account ? (await chain.getDelayState(account.delay)).head : null;
    return head !== null && head.createdAt < at - seenAfter;
  };

  const judge = async (one: Promised, before: Before | undefined, isCalm: boolean): Promise<string[]> => {
    const what = one.isCollection ? `collection ${one.id}` : `approval ${one.id}`;
    const found: string[] = [];
    const left = isCalm ? await readLeft(one.safeId) : 0n;
    if (left !== null && left < 0n)
      found.push(`${what} was written, and ${-left} of what is held is not in the account`);
    if (one.isCollection) return found;
    if (one.isQueued) found.push(`${what} was written, and an operation waits in the account's queue`);
    if (await waits(one.safeId, one.at)) found.push(`${what} was written, and an entry waits on chain`);
    if (before?.owing.includes(one.userId)) found.push(`${what} was written, and its user owed before its locks`);
    if (before?.inactive.includes(one.cardId))
      found.push(`${what} was written, and its card was not active before its locks`);
    return found;
  };

  return {
    noteLocks: (lane) => void locks.push(lane),
    noteCommit: (lane) => void commits.push(lane),
    check: async (isCalm) => {
      if (locks.length > 0) {
        const before = await readBefore();
        for (const lane of locks.splice(0)) locked.set(lane, before);
      }
      const noted = commits.splice(0);
      if (noted.length === 0) return [];
      const [before] = noted.flatMap((lane) => locked.get(lane) ?? []);
      return waitAlone(async () => {
        const found: string[] = [];
        for (const one of await listNew()) found.push(...(await judge(one, before, isCalm)));
        return found.map((text) => say("approvals", text));
      });
    },
  };
}
