/** The signers of keys that are in no process, as the workers find them. */
import { boolean, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { address, instant } from "../columns.ts";

/** Unavailable: it does not answer, or refuses. Wrong: it signs with another key, or does not hold the key. */
export type SignerFault = "unavailable" | "wrong";

/** What each worker last found; instants are the database's. */
export const signerReports = pgTable(
  "signer_reports",
  {
    workerId: text().notNull(),
    address: address().notNull(),
    /** The kind of service, such as `web3signer`. */
    kind: text().notNull(),
    /** Null while it answers; `reason` and `failingSince` likewise. */
    fault: text().$type<SignerFault>(),
    reason: text(),
    failingSince: instant(),
    /** Whether this worker sends it no call for some seconds, after five in a row without an answer. */
    isPaused: boolean().notNull(),
    reportedAt: instant().notNull(),
  },
  (table) => [primaryKey({ columns: [table.workerId, table.address] })],
);
