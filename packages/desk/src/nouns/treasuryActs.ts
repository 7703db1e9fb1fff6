/** What operators do beside the moves of the treasury: the allow-list, and movements that were not announced. */
import { explainMovement } from "@cardkeep/domain/books/explanations/explainMovement";
import { explainedAccounts } from "@cardkeep/domain/books/postings/rules";
import { allowDestination, disallowDestination } from "@cardkeep/domain/treasury/destinations/changeDestinations";
import type { ShownMove } from "@cardkeep/domain/treasury/moves/showMove";
import { type ActOf, Answered, chooseGiven } from "../defineNoun.ts";
import type { Input } from "../noun.ts";
import { code, instant, text, wholeTokens } from "../value.ts";

const destination: Input = {
  label: "IBAN or address",
  brief: "IBAN, or address on chain",
  placeholder: "destination",
  isArgument: true,
  isRequired: true,
};

/** Destinations and movements are rows of no list: the overview has them, and each act names its own. */
export const treasuryActs = {
  allow: {
    verb: "treasury.allow",
    label: "Allow a destination",
    brief: "Puts an IBAN or address on the allow-list; it counts a day later",
    example: "treasury allow DE89370400440532013000 --label Example-Ltd",
    isKeyless: true,
    inputs: {
      destination,
      label: { label: "Holder", brief: "Holder of the account", placeholder: "TEXT", isRequired: true },
    },
    run: async (ctx, _, { destination: given = "", label = "" }) => {
      const allowed = await allowDestination(ctx, { destination: given, label });
      return new Answered(allowed.value, allowed, [
        ["IBAN or address", code(allowed.value)],
        ["Holder", text(allowed.label)],
        ["Counts from", instant(allowed.usableAt)],
      ]);
    },
  },
  disallow: {
    verb: "treasury.disallow",
    label: "Disallow a destination",
    brief: "Takes an IBAN or address off the allow-list, at once",
    example: "treasury disallow DE89370400440532013000",
    isKeyless: true,
    inputs: { destination },
    run: async (ctx, _, { destination: given = "" }) => {
      const removed = await disallowDestination(ctx, { destination: given });
      return new Answered(removed.value, removed, [["Off the allow-list", code(removed.value)]]);
    },
  },
  explain: {
    verb: "treasury.explain",
    label: "Explain a movement",
    brief: "Closes a movement that was not announced, and books it; give --reason",
    example: "treasury explain 0199d0c2 --account fraud-losses --reason stolen-key",
    isKeyless: true,
    inputs: {
      item: {
        label: "Item or entry",
        brief: "Id of the item, or of the entry in the books",
        placeholder: "item",
        isArgument: true,
        isRequired: true,
      },
      account: {
        label: "Account in the books",
        brief: "Where the money went, or came from, in the books; capital without it",
        placeholder: "ACCOUNT",
        values: explainedAccounts,
        example: "capital",
      },
    },
    run: async (ctx, _, { item = "", account: given }) => {
      const account = chooseGiven(explainedAccounts, given ?? "capital");
      const explained = await explainMovement(ctx, { id: item, account });
      return new Answered(explained.id, explained, [
        ["Item or entry", code(explained.id)],
        ["Explained", wholeTokens(explained.amount, explained.token)],
        ["Booked on", code(account)],
      ]);
    },
  },
} as const satisfies Readonly<Record<string, ActOf<ShownMove>>>;
