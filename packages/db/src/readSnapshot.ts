import type { Db, Tx } from "./client.ts";

/** Runs `read` on one snapshot of the database, so that rows of different tables fit together. It cannot write. */
export const readSnapshot = <T>(db: Db, read: (tx: Tx) => Promise<T>): Promise<T> =>
  db.transaction(read, { isolationLevel: "repeatable read", accessMode: "read only" });
