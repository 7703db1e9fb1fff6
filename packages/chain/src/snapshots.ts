import type { Address } from "@cardkeep/contract/primitives";
import { LRUCache } from "lru-cache";
import type { AccountSnapshot, ChainReader, SnapshotQuestion } from "./port.ts";
import { createShared } from "./shared.ts";

/** Accounts in the cache; one takes some kilobytes. */
const accountsMax = 2_000;
/** After this time a new block is likely, so the account is read without a check of the block first. */
const keptMs = 5_000;
/** Reads of the latest block while accounts are read: at most twenty a second. */
const headEveryMs = 50;

/** Snapshots of accounts, shared by the requests of one process. */
export interface Snapshots {
  /**
   * A snapshot at the newest block of the moment of the call, or at a later one. The node is asked once per Safe and
   * block for any number of callers.
   *
   * Do not use it for decisions about card money: it cannot distinguish two blocks of the same height and parent.
   * @throws ChainUnavailable, CallReverted
   */
  get(question: SnapshotQuestion): Promise<AccountSnapshot>;
}

interface Account {
  /** The question of the requests that wait for the next snapshot. */
  wanted: SnapshotQuestion;
  latest: { snapshot: AccountSnapshot; question: SnapshotQuestion; readAtMs: number } | null;
  read(): Promise<AccountSnapshot>;
}

export function createSnapshots(chain: Pick<ChainReader, "getAccountSnapshot" | "getBlock">): Snapshots {
  const getHead = createShared(() => chain.getBlock(), { everyMs: headEveryMs });
  const accounts = new LRUCache<Address, Account>({ max: accountsMax });

  const isCurrent = async ({ block }: AccountSnapshot): Promise<boolean> => {
    const head = await getHead();
    return head.number === block.number && head.parentHash === block.parentHash;
  };

  const createAccount = (first: SnapshotQuestion): Account => {
    const account: Account = {
      wanted: { ...first, messageHashes: [] },
      latest: null,
      read: createShared(
        async () => {
          const { wanted, latest } = account;
          account.wanted = { ...wanted, messageHashes: [] };
          const isKnown =
            latest?.question.token === wanted.token &&
            latest.question.cooldownSeconds === wanted.cooldownSeconds &&
            wanted.messageHashes.every((hash) => latest.snapshot.hasRun.has(hash));
          const isRecent = isKnown && performance.now() - latest.readAtMs < keptMs;
          if (isRecent && (await isCurrent(latest.snapshot))) return latest.snapshot;
          const snapshot = await chain.getAccountSnapshot(wanted);
          account.latest = { snapshot, question: wanted, readAtMs: performance.now() };
          return snapshot;
        },
        { everyMs: 0 },
      ),
    };
    return account;
  };

  return {
    get: (question) => {
      const { safe } = question.addresses;
      const account = accounts.get(safe) ?? createAccount(question);
      accounts.set(safe, account);
      const messageHashes = [...new Set([...account.wanted.messageHashes, ...question.messageHashes])];
      // A request may have read the Safe's row before the Safe had a token.
      account.wanted = { ...question, token: question.token ?? account.wanted.token, messageHashes };
      return account.read();
    },
  };
}
