import { fail } from "@cardkeep/contract/core/errors";
import { findUser, updateUser } from "@cardkeep/db/queries/users/users";
import type { Commit, UserContext } from "../../core/context.ts";

/** The language of the user's mails, messages and pages. @throws auth.token_invalid when the token outlived its user */
export async function getLanguage({ db, languages, actor: { userId } }: UserContext): Promise<{ language: string }> {
  const { language } = (await findUser(db, userId)) ?? fail("auth.token_invalid");
  return { language: languages.of(language).code };
}

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
