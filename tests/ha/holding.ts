/** A transaction that has a user's row, as of an erasure, when its machine vanishes. Runs until it is killed. */
import { openDatabase } from "@cardkeep/db/client";
import { lockUserForErasure } from "@cardkeep/db/queries/users/users";

const [url = "", userId = ""] = process.argv.slice(2);
const { db } = openDatabase({ url, connectionsMax: 1, statementTimeoutMs: 10_000, applicationName: "holding" });
await db
  .transaction(async (tx) => {
    await lockUserForErasure(tx, userId);
    process.stdout.write("holds\n");
    await new Promise(() => {});
  })
  // The database ended it, as it should.
  .catch((error: unknown) => process.stdout.write(`ended: ${String(error)}\n`));
