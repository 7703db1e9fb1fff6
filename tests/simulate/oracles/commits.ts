/** The oracles of single commits: they look as soon as one is done, because the next may hide what was wrong. */
import type { ChainReader } from "@cardkeep/chain/port";
import type { Message } from "../scheduler.ts";
import type { WorldDatabase } from "../worldDatabase.ts";
import { createApprovals } from "./approvals.ts";
import { createNonces } from "./nonces.ts";
import { findUntrue, paymentTables } from "./payments.ts";
import { findForgotten } from "./recorded.ts";
import { findUnsettled, relayTables } from "./relays.ts";
import { readMs } from "../virtualTime.ts";

export interface CommitOracles {
  /** A statement, or the end of a transaction, is done. */
  note(message: Message): void;
  /** What the commits since broke, in words. @param isCalm whether no money moved without the service just now */
  check(isCalm: boolean): Promise<string[]>;
}

const decisionLocks = /from safes where id = .* for no key update/s;
const signing = /\binsert into "?relay_transactions\b/;
const promises = /\b(?:insert into "?(?:card_decisions|card_transfers)|write_decision)\b/;

export function createCommitOracles(database: WorldDatabase, chain: ChainReader): CommitOracles {
  const approvals = createApprovals(database, chain);
  const nonces = createNonces(database, chain);
  const written = new WeakSet<object>();
  const promised = new WeakSet<object>();
  const signed = new WeakSet<object>();
  const relayed = new WeakSet<object>();
  let [isWritten, isRelayed] = [false, false];
  return {
    note: ({ kind, text, lane }) => {
      if (kind !== "sql") return;
      if (lane === undefined) {
        isWritten ||= paymentTables.test(text);
        isRelayed ||= relayTables.test(text);
        return;
      }
      if (relayTables.test(text)) relayed.add(lane);
      if (paymentTables.test(text)) written.add(lane);
      if (promises.test(text)) promised.add(lane);
      if (signing.test(text)) signed.add(lane);
      if (decisionLocks.test(text)) approvals.noteLocks(lane);
      if (text !== "end of begin") return;
      isWritten ||= written.has(lane);
      isRelayed ||= relayed.has(lane);
      if (promised.has(lane)) approvals.noteCommit(lane);
      if (signed.has(lane)) nonces.noteSigned();
    },
    check: async (isCalm) => {
      const found = [...(await approvals.check(isCalm)), ...(await nonces.check(readMs()))];
      if (isRelayed) found.push(...(await findUnsettled(database)));
      isRelayed = false;
      if (!isWritten) return found;
      isWritten = false;
      return [...found, ...(await findUntrue(database)), ...(await findForgotten(database))];
    },
  };
}
