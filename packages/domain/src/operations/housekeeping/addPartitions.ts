import { createPartitions } from "@cardkeep/db/partitions";
import { readDatabaseTime } from "@cardkeep/db/queries/operations/health";
import type { Services } from "../../core/services.ts";

/** Adds the partitions of the next months. They follow the ids of rows, and so real time. */
export async function addPartitions({ db }: Pick<Services, "db">): Promise<void> {
  // What cannot be created is reported by the doctor for as long as it matters.
  await createPartitions(db, await readDatabaseTime(db));
}
