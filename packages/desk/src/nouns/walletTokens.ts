import { keysOf } from "@cardkeep/contract/core/keysOf";
import type { WalletToken } from "@cardkeep/db/queries/cards/walletTokens";
import { listAnyWalletTokens, moveAnyWalletToken } from "@cardkeep/domain/cards/cards/operatorWalletTokens";
import { chooseGiven, defineNoun } from "../defineNoun.ts";
import { code, id, instant, status, text } from "../value.ts";

const moves = { suspend: "suspended", resume: "active", delete: "deleted" } as const;
const words = keysOf(moves);

export const walletTokens = defineNoun({
  name: "wallet-tokens",
  title: "Wallet tokens",
  group: "People",
  brief: "Cards in digital wallets",
  argument: { name: "id", brief: "Id of the wallet token" },
  keyOf: (row: WalletToken) => row.id,
  list: {
    verb: "wallet-tokens.list",
    brief: "Lists wallet tokens: of one card the newest first, of all cards by their ids",
    example: ["wallet-tokens list", "wallet-tokens list 3f1c9a52"],
    lead: "Cards in digital wallets. Each wallet pays by a token of its own.",
    none: "There is no wallet token.",
    hint: "A person adds a card to a wallet on a phone.",
    filters: {
      card: {
        label: "Card or card token",
        brief: "Only wallet tokens of this card, by its id or card token",
        placeholder: "card",
        isArgument: true,
      },
    },
    columns: [
      { name: "Wallet token", of: (row) => code(row.id) },
      { name: "Status", of: (row) => status(row.status) },
      { name: "Wallet", of: (row) => text(row.wallet) },
      { name: "Network", of: (row) => text(row.network), terminal: "optional" },
      { name: "Device", of: (row) => text(row.deviceType), terminal: "optional" },
      { name: "Device name", of: (row) => text(row.deviceName, "person"), terminal: "elastic" },
      { name: "Digits", of: (row) => text(row.lastFourDigits, "person"), terminal: "hidden", page: "never" },
      { name: "Card", of: (row) => id(row.cardId, "cards"), terminal: "hidden" },
      { name: "Changed", of: (row) => instant(row.updatedAt) },
    ],
    read: listAnyWalletTokens,
  },
  acts: {
    set: {
      verb: "wallet-tokens.set",
      isBare: true,
      endsAfterCommit: true,
      brief: "Suspends, resumes or deletes a wallet token",
      example: "wallet-tokens set intok_1a2b3c suspend --reason Stolen-phone",
      inputs: {
        act: {
          label: "Act",
          brief: `One of ${words.join(", ")}`,
          placeholder: "act",
          values: words,
          isArgument: true,
          isRequired: true,
        },
      },
      offer: (row) =>
        row.status === "deleted"
          ? null
          : {
              label: `Change wallet token … ${row.lastFourDigits ?? row.id.slice(-4)}`,
              consequence:
                "Suspended, its payments decline. Resumed, they are decided again. Deleted, the card leaves the wallet for good.",
            },
      run: (ctx, key, { act }) => moveAnyWalletToken(ctx, { id: key, status: moves[chooseGiven(words, act)] }),
    },
  },
});
