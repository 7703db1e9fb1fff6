import { type HeldRows, readPersonalData } from "@cardkeep/db/queries/personalData/personalData";
import { readSnapshot } from "@cardkeep/db/readSnapshot";
import type { Services } from "../services.ts";
import { resolveUser } from "./find.ts";

export interface UserExport {
  userId: string;
  exportedAt: Date;
  tables: HeldRows[];
}

/** Everything that is known of a user, table by table, for the user to have. @throws users.not_found */
export async function exportUser(
  { db, clock }: Pick<Services, "db" | "clock">,
  { reference }: { reference: string },
): Promise<UserExport> {
  return readSnapshot(db, async (tx) => {
    const user = await resolveUser(tx, reference);
    return { userId: user.id, exportedAt: await clock.now(tx), tables: await readPersonalData(tx, user) };
  });
}
