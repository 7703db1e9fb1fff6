import { fail } from "@cardkeep/contract/core/errors";
import { updateUser } from "@cardkeep/db/queries/users/users";
import type { Commit, UserContext } from "../../core/context.ts";

/** Sets the language of the user's mails, messages and pages. @throws users.unknown_language */
export async function setLanguage(
  { actor: { userId }, languages }: UserContext,
  { language }: { language: string },
): Promise<Commit<{ language: string }>> {
  if (!languages.codes.includes(language)) fail("users.unknown_language");
  return async ({ tx }) => {
    await updateUser(tx, userId, { language });
    return { language };
  };
}
