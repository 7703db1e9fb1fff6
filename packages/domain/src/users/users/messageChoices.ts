import { fail } from "@cardkeep/contract/core/errors";
import {
  defaultMessageChoices,
  type MessageChoices,
  type MessageKind,
  type MessageWay,
} from "@cardkeep/contract/users/messages";
import { findUser, lockUser, updateUser, type User } from "@cardkeep/db/queries/users/users";
import type { Commit, UserContext } from "../../core/context.ts";

/** A kind that is newer than the user's row has its default. */
const readChoices = ({ messageChoices }: Pick<User, "messageChoices">): MessageChoices => ({
  ...defaultMessageChoices,
  ...messageChoices,
});

/** Which messages the user gets, and how. @throws auth.token_invalid when the token outlived its user */
export async function getMessageChoices({ db, actor: { userId } }: UserContext): Promise<MessageChoices> {
  return readChoices((await findUser(db, userId)) ?? fail("auth.token_invalid"));
}

/** Changes how the user gets the kinds that are named. @throws auth.token_invalid */
export async function setMessageChoices(
  { actor: { userId } }: UserContext,
  change: Partial<Record<MessageKind, MessageWay | undefined>>,
): Promise<Commit<MessageChoices>> {
  return async ({ tx }) => {
    const known = readChoices((await lockUser(tx, userId)) ?? fail("auth.token_invalid"));
    const named = Object.entries(change).filter(([, way]) => way !== undefined);
    const messageChoices: MessageChoices = { ...known, ...Object.fromEntries(named) };
    await updateUser(tx, userId, { messageChoices });
    return messageChoices;
  };
}
