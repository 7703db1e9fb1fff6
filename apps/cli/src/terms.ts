import { type TermsType, termsTypes } from "@cardkeep/contract/users/users";
import { publishTerms } from "@cardkeep/domain/users/users/publishTerms";
import { readCurrentVersions } from "@cardkeep/domain/users/users/terms";
import { buildRouteMap } from "@stricli/core";
import { z } from "zod";
import { type Answer, buildChange, buildVerb } from "./answer.ts";
import type { CliContext } from "./context.ts";
import { parseChoice, parseInput, parseText, withJson, withReason } from "./parameters.ts";
import { renderTable } from "./print.ts";

const input = z.object({ version: z.string().regex(/^[\w.-]{1,128}$/, "version must be letters, digits, _, . and -") });

async function list(cli: CliContext): Promise<Answer> {
  const versionOf = await readCurrentVersions((await cli.open()).db);
  const data = termsTypes.map((type) => ({ type, version: versionOf(type) }));
  const rows = data.map(({ type, version }) => [type, version]);
  return { data, text: renderTable([{ title: "type" }, { title: "version" }], rows, "There are no terms.") };
}

export const terms = buildRouteMap({
  docs: { brief: "Terms and policies that people accept, by version" },
  routes: {
    list: buildVerb({
      verb: "terms.list",
      brief: "Lists the terms with their current versions",
      example: "terms list --json",
      parameters: { flags: withJson({}) },
      run: list,
    }),
    publish: buildChange({
      verb: "terms.publish",
      brief: "Puts a version in force, which everybody accepts again before a further card",
      example: "terms publish general-tos TOS_GENERAL_VERSION_2",
      parameters: {
        flags: withReason({}),
        positional: {
          kind: "tuple",
          parameters: [
            { parse: parseChoice(termsTypes), placeholder: "type", brief: `One of ${termsTypes.join(", ")}` },
            { parse: parseText, placeholder: "version", brief: "Its new version" },
          ],
        },
      },
      run: async (cli: CliContext, _: object, type: TermsType, version: string) => {
        const data = await publishTerms(await cli.open(), { type, ...parseInput(input, { version }) });
        return { data, text: `${data.type} is in force in version ${data.version}.` };
      },
    }),
  },
});
