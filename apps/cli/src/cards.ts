import { cards as noun } from "@cardkeep/desk/nouns/cards";
import { restoreCard } from "@cardkeep/domain/cards/cards/changeCardFor";
import { buildChange } from "./answer.ts";
import type { CliContext } from "./context.ts";
import { buildNoun } from "./desk.ts";
import { textArgument, withReason } from "./parameters.ts";

export const cards = buildNoun(noun, {
  // Refuses for every card, so no rendering offers it as an act: the command names the rule to who looks for it.
  restore: buildChange({
    verb: "cards.restore",
    brief: "Is refused: a card that was closed after a report of fraud stays closed",
    example: "cards restore 3f1c9a52",
    parameters: { flags: withReason({}), positional: textArgument("card", noun.argument.brief) },
    run: async (cli: CliContext, _: object, reference: string) => {
      const { id } = await restoreCard(await cli.open(), { reference });
      return { data: { id }, text: `${id}\n` };
    },
  }),
});
