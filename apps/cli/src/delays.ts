/** Delayed operations: the noun's, but for one rendering. */
import { delays as noun } from "@cardkeep/desk/nouns/delays";
import { timeline } from "@cardkeep/domain/accounts/delays/timeline";
import { buildVerb } from "./answer.ts";
import type { CliContext } from "./context.ts";
import { buildNoun } from "./desk.ts";
import { textArgument, withJson } from "./parameters.ts";
import { renderTimeline } from "./timeline.ts";

export const delays = buildNoun(noun, {
  // A terminal aligns the steps below each other, by instant and word.
  show: buildVerb({
    verb: "delays.show",
    brief: "Shows the timeline of one operation, from its acceptance to its end",
    example: "delays show 01J8Z2",
    parameters: { flags: withJson({}), positional: textArgument("id", noun.argument.brief) },
    run: async (cli: CliContext, _: object, id: string) => {
      const data = await timeline(await cli.open(), { id });
      return { data, text: renderTimeline(data) };
    },
  }),
});
