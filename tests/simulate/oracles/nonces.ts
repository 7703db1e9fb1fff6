/**
 * No transaction is signed at a nonce that the chain has used for long: a lane goes on where its chain is. No subject has two
 * signed ones at once, also where it is a companion in the transaction of another.
 */
import type { Address } from "@cardkeep/contract/core/primitives";
import { waitAlone } from "../native.ts";
import type { WorldDatabase } from "../worldDatabase.ts";
import { say } from "./names.ts";

/** Who signs has read the chain before: a process stands still for seconds at most. */
const readWithinMs = 30_000;

export interface Nonces {
  /** A commit signed a transaction. */
  noteSigned(): void;
  check(nowMs: number): Promise<string[]>;
}

/** What the chain counted at an instant. */
interface Counted {
  readonly atMs: number;
  readonly counts: ReadonlyMap<Address, number>;
}

async function findSignedTwice({ ask }: Pick<WorldDatabase, "ask">): Promise<string[]> {
  const rows = await ask<{ id: string; purpose: string; count: number }[]>`
    select s.subject_id as id, s.purpose, count(*)::int as count from relay_subjects s
    join open_relays o on o.relay_transaction_id = s.relay_transaction_id
    where o.status = 'SIGNED' group by 1, 2 having count(*) > 1 order by 1`;
  return rows.map(({ id, purpose, count }) =>
    say("doubled transactions", `${count} signed transactions of ${id} (${purpose}) are on their way`),
  );
}

export function createNonces(
  { ask }: Pick<WorldDatabase, "ask">,
  chain: { getTransactionCount(address: Address, tag: "latest"): Promise<number> },
): Nonces {
  const known = new Set<string>();
  let counted: Counted[] = [];
  let isSigned = false;

  const count = async (atMs: number): Promise<void> => {
    const lanes = await ask<{ address: Address }[]>`select address from relayers order by address`;
    const counts = new Map<Address, number>();
    for (const { address } of lanes) counts.set(address, await chain.getTransactionCount(address, "latest"));
    const old = counted.filter((each) => atMs - each.atMs > readWithinMs);
    counted = [...old.slice(-1), ...counted.filter((each) => !old.includes(each)), { atMs, counts }];
  };

  return {
    noteSigned: () => {
      isSigned = true;
    },
    check: (nowMs) => {
      const isDue = nowMs - (counted.at(-1)?.atMs ?? 0) > readWithinMs / 3;
      if (!isDue && !isSigned) return Promise.resolve([]);
      const isLook = isSigned;
      isSigned = false;
      return waitAlone(async () => {
        if (isDue) await count(nowMs);
        if (!isLook) return [];
        const doubled = await findSignedTwice({ ask });
        if (doubled.length > 0) return doubled;
        const [then] = counted;
        const rows = await ask<{ id: string; relayer: Address; nonce: string }[]>`
          select relay_transaction_id as id, relayer, nonce::text from open_relays where status = 'SIGNED' order by id`;
        const fresh = rows.filter(({ id }) => !known.has(id));
        for (const { id } of fresh) known.add(id);
        if (!then || nowMs - then.atMs <= readWithinMs) return [];
        const found: string[] = [];
        for (const { id, relayer, nonce } of fresh) {
          if (Number(nonce) >= (then.counts.get(relayer) ?? 0)) continue;
          // A reorganisation frees the nonces of blocks that it removes.
          if (Number(nonce) >= (await chain.getTransactionCount(relayer, "latest"))) continue;
          found.push(say("nonces", `transaction ${id} was signed at nonce ${nonce}, which was used long before`));
        }
        return found;
      });
    },
  };
}
