import type { Db } from "@cardkeep/db/client";
import { findChainHead } from "@cardkeep/db/queries/operators/actionLists";
import type { Log } from "../ports.ts";

/**
 * Builds the chore that logs the end of the action log once after each change. Logs are kept outside of the database, so
 * `actions verify --head` finds with them a log that was cut or rewritten as a whole.
 */
export function createHeadReport(): (ctx: { readonly db: Db; readonly log: Log }) => Promise<void> {
  let reported = "";
  return async ({ db, log }) => {
    const head = await findChainHead(db);
    if (head === null || head.sequence === 0n || head.hash === reported) return;
    log.info({ sequence: Number(head.sequence), hash: head.hash }, "the end of the action log");
    reported = head.hash;
  };
}
