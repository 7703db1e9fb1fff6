import { fail } from "@cardkeep/contract/errors";
import { findUser } from "@cardkeep/db/queries/users";
import type { Services } from "../services.ts";

/** Refuses a user that the operator has deactivated. @throws users.deactivated */
export async function requireActiveUser({ db }: Pick<Services, "db">, userId: string): Promise<void> {
  if ((await findUser(db, userId))?.status === "DEACTIVATED") fail("users.deactivated");
}
