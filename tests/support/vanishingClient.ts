/**
 * A worker's hold on the database, for the test of vanished machines: a living pool, and a transaction with a lock. It
 * asks the database all the time, and prints when that fails and when it works again.
 */
import { openDatabase } from "@cardkeep/db/client";
import { announcePools } from "@cardkeep/db/queue/liveness";
import { sql } from "drizzle-orm";

const [url = "", pool = ""] = process.argv.slice(2);
const { db } = openDatabase({ url, connectionsMax: 2, statementTimeoutMs: 10_000, applicationName: "vanishing" });
const { lost } = await announcePools(url, [pool], "vanishing");
void lost.then(() => process.stdout.write("lost\n"));
const ask = () => db.execute(sql`select 1`);
await ask();
void db
  .transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(42)`);
    process.stdout.write("holds\n");
    await new Promise(() => {});
  })
  .catch(() => process.stdout.write("transaction ended\n"));
let isRefused = false;
for (;;) {
  const isAnswered = await ask().then(
    () => true,
    () => false,
  );
  if (isAnswered === isRefused) process.stdout.write(isAnswered ? "answered again\n" : "refused\n");
  isRefused = !isAnswered;
  await Bun.sleep(100);
}
