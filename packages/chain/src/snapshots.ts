import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import { LRUCache } from "lru-cache";
import type { AccountSnapshot, SnapshotQuestion } from "./accountState.ts";
import type { ChainReader } from "./port.ts";
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
   * A block that a reorganisation replaced is noticed at the next call, also by a block of the same height, parent and
   * second, except between the first two reads of an account in 5 s. So do not use it for decisions about card money.
   * @throws ChainUnavailable, CallReverted
   */
  get(question: SnapshotQuestion): Promise<AccountSnapshot>;
}

interface Account {
  /** The question of the requests that wait for the next snapshot. */
  wanted: SnapshotQuestion;
  latest: Latest | null;
  read(): Promise<AccountSnapshot>;
}

interface Latest {
  readonly snapshot: AccountSnapshot;
  readonly question: SnapshotQuestion;
  readonly readAtMs: number;
  /** Hash of the snapshot's block; null until the block was compared with the node's latest. */
  blockHash: Hex | null;
}

type Head = Awaited<ReturnType<ChainReader["getBlock"]>>;

/** Whether two blocks have the same height, parent and time. */
const isSameBlock = (one: AccountSnapshot["block"], other: AccountSnapshot["block"]): boolean =>
  one.number === other.number && one.parentHash === other.parentHash && one.timestamp === other.timestamp;

export function createSnapshots(chain: Pick<ChainReader, "getAccountSnapshot" | "getBlock">): Snapshots {
  const getHead = createShared(() => chain.getBlock(), { everyMs: headEveryMs });
  const accounts = new LRUCache<Address, Account>({ max: accountsMax });

  const isCurrent = (latest: Latest, head: Head): boolean => {
    if (!isSameBlock(latest.snapshot.block, head)) return false;
    latest.blockHash ??= head.hash;
    return latest.blockHash === head.hash;
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
          const head = isRecent ? await getHead() : null;
          if (isRecent && head && isCurrent(latest, head)) return latest.snapshot;
          const snapshot = await chain.getAccountSnapshot(wanted);
          // The head is older than the snapshot: at worst the hash is that of a replaced block, and the account is read again.
          const blockHash = head && isSameBlock(snapshot.block, head) ? head.hash : null;
          account.latest = { snapshot, question: wanted, readAtMs: performance.now(), blockHash };
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
