/** What others do on the chain of a simulated world just before a block: strangers, and other programs with a key of the service. */
import { buildTransfer, tokens } from "@cardkeep/chain/tokens";
import type { Address } from "@cardkeep/contract/core/primitives";
import { reorganisedMax, stranger, type WorldNode } from "./chainClock.ts";
import type { Faults } from "./faults.ts";
import { waitAlone } from "./native.ts";
import type { Stream } from "./seededRandom.ts";
import type { WorldDatabase } from "./worldDatabase.ts";

export interface Disturbances {
  /** So many transactions another program sent by each key of the service. */
  readonly foreignSent: ReadonlyMap<string, number>;
  /** The Safes of which a stranger sent a failed spend again. */
  readonly replayed: ReadonlySet<string>;
  /** Is called before each block. @returns whether the block may take money that the service does not expect to go */
  disturb(): Promise<boolean>;
  /** Whose transactions are the service's. */
  listSenders(): Promise<string[]>;
}

const token = tokens.EURe.address;
/** The till's money is away for so many blocks, and some more: no reorganisation removes by then that it went. */
const awayBlocksMin = reorganisedMax + 1;
const awayBlocksMore = 20;

export function createDisturbances(input: {
  faults: Faults;
  node: WorldNode;
  random: Stream;
  ask: WorldDatabase["ask"];
  till: Address;
  getBalance(owner: Address): Promise<bigint>;
}): Disturbances {
  const { faults, node, ask, till, random } = input;
  const foreignSent = new Map<string, number>();
  const replayed = new Set<string>();
  let blocks = 0;
  let away: { bank: Address; until: number } | null = null;

  const copy = async (): Promise<void> => {
    const rows = await ask<{ roles: string }[]>`select lower(roles_address) as roles from safes`;
    await node.copyPending(rows.map(({ roles }) => roles));
  };
  const useKey = async (): Promise<void> => {
    const lanes = await ask<{ address: string }[]>`select address from relayers where next_nonce > 0 order by address`;
    const lane = lanes[random.below(Math.max(1, lanes.length))];
    if (lane === undefined) return;
    foreignSent.set(lane.address, (foreignSent.get(lane.address) ?? 0) + 1);
    await node.sendForeign(lane.address);
  };
  /** What was sent once is known to everybody, and its signature stays valid. */
  const replay = async (): Promise<boolean> => {
    const failed = await ask<{ safe: string; to: string; data: string }[]>`
      select s.address as safe, r."to", r.data from card_transfers t join safes s on s.id = t.safe_id
      join relay_transactions r on r.subject_id = t.id and r.purpose = 'card.spend'
      where t.status = 'FAILED' and t.direction = 'spend' order by t.id, r.id`;
    const chosen = failed.length > 0 && faults.drawReplay() ? failed[random.below(failed.length)] : undefined;
    if (chosen === undefined) return false;
    replayed.add(chosen.safe);
    await node.sendFirst(stranger, chosen);
    return true;
  };
  const moveAll = async (from: Address, to: Address): Promise<void> => {
    const amount = await waitAlone(() => input.getBalance(from));
    const { data } = buildTransfer({ token, to, amount });
    if (amount > 0n) await node.sendFirst(from, { to: token, data });
  };
  /** The till's money goes to the bank just before a return, and comes back later. */
  const empty = async (): Promise<void> => {
    if (away !== null) {
      if (faults.isChainOn && blocks < away.until) return;
      await moveAll(away.bank, till);
      away = null;
      return;
    }
    const [waiting] = await ask<{ id: string }[]>`
      select relay_transaction_id as id from open_relays where purpose = 'card.return' and status = 'SIGNED' limit 1`;
    if (!waiting || !faults.drawEmptied()) return;
    // A bank of its own, so that it gives back no more than it got.
    const bank: Address = `0x${blocks.toString(16).padStart(8, "0").padStart(40, "ba")}`;
    away = { bank, until: blocks + awayBlocksMin + random.below(awayBlocksMore) };
    await moveAll(till, bank);
  };
  return {
    foreignSent,
    replayed,
    listSenders: () =>
      ask<{ address: string }[]>`select lower(address) as address from relayers`.then((rows) =>
        rows.map(({ address }) => address),
      ),
    disturb: async () => {
      blocks++;
      if (faults.drawCopy()) await copy();
      if (faults.drawForeign()) await useKey();
      if (away !== null || faults.isChainOn) await empty();
      return faults.isReplaying && (await replay());
    },
  };
}
