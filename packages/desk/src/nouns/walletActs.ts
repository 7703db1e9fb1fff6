/** What operators do about the sign-in wallets of one user. */
import type { OperatorContext } from "@cardkeep/domain/core/context";
import { addWalletFor, removeWalletFor } from "@cardkeep/domain/users/signInWallets/changeWalletsFor";
import { resolveUser } from "@cardkeep/domain/users/users/listUsers";
import type { ActOf } from "../defineNoun.ts";
import { type UserRow, whileKept } from "./userRow.ts";

const inputs = {
  wallet: {
    label: "Address of the wallet",
    brief: "Address of the wallet, with 40 hexadecimal digits",
    placeholder: "wallet",
    isArgument: true,
  },
} as const;

const runFor =
  (run: typeof addWalletFor) =>
  async (ctx: OperatorContext, key: string, { wallet = "" }: { readonly wallet?: string }): Promise<UserRow> => {
    const user = await resolveUser(ctx.db, key);
    await run(ctx, { reference: user.id, wallet });
    return user;
  };

export const walletActs: Readonly<Record<string, ActOf<UserRow>>> = {
  "add-wallet": {
    verb: "users.add-wallet",
    brief: "Adds a sign-in wallet to a user who lost the others, such as to a thief; give --reason",
    details:
      "Find out first that the wallet is the person's: who signs in with it has the account. It counts as the person's once it has signed in.\n" +
      "The user gets a mail, and a text message at a proven number. A wallet that another account has is removed there first.",
    example: "users add-wallet ada@example.org 0x5aAe…eAed --reason call-4711",
    inputs,
    offer: whileKept(() => ({
      label: "Add a sign-in wallet",
      consequence:
        "Who signs in with this wallet has the account, so find out first that it is the person's. The user gets a mail, and a text " +
        "message at a proven number.",
      isDanger: true,
    })),
    run: runFor(addWalletFor),
  },
  "remove-wallet": {
    verb: "users.remove-wallet",
    brief: "Removes a sign-in wallet of a user, such as a thief's; give --reason",
    details:
      "Its access tokens end within a second, and its tokens for programs at once. The last wallet may go too: then the user signs in\n" +
      "again once another one was added. The user gets a mail, and a text message at a proven number.",
    example: "users remove-wallet ada@example.org 0x5aAe…eAed --reason call-4711",
    inputs,
    offer: whileKept(() => ({
      label: "Remove a sign-in wallet",
      consequence:
        "It signs in no more, and its tokens end. Where it is the last one, the user signs in again once another one was added. The " +
        "user gets a mail, and a text message at a proven number.",
      isDanger: true,
    })),
    run: runFor(removeWalletFor),
  },
};
