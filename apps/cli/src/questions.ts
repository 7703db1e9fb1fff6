import { getQuestions, setQuestions } from "@cardkeep/domain/verification/sourceOfFunds/setQuestions";
import { buildRouteMap } from "@stricli/core";
import { type Answer, buildChange, buildVerb } from "./answer.ts";
import type { CliContext } from "./context.ts";
import { readJsonFile } from "./inputFile.ts";
import { textArgument, withJson, withReason } from "./parameters.ts";
import { renderTable } from "./print.ts";

const answer = (data: Awaited<ReturnType<typeof getQuestions>>): Answer => ({
  data,
  text: renderTable(
    [{ title: "question", elastic: true }, { title: "answer" }, { title: "risk" }],
    data.flatMap(({ question, answers }) =>
      answers.map(({ text, risk }, index) => [index === 0 ? question : "", text, risk]),
    ),
    "There are no questions.",
  ),
});

export const questions = buildRouteMap({
  docs: { brief: "Questions about the source of funds, with the risk of each answer" },
  routes: {
    list: buildVerb({
      verb: "questions.list",
      brief: "Lists the questions with their answers; `questions set` takes what --json prints",
      example: "questions list --json",
      parameters: { flags: withJson({}) },
      run: async (cli: CliContext) => answer(await getQuestions(await cli.open())),
    }),
    set: buildChange({
      verb: "questions.set",
      brief: "Replaces the questions by those of a JSON file; {25000} in an answer is an amount in EUR",
      example: "questions set questions.json",
      parameters: { flags: withReason({}), positional: textArgument("file", "Path of the JSON file") },
      run: async (cli: CliContext, _: object, file: string) => {
        const given = readJsonFile(file);
        return answer(await setQuestions(await cli.open(), given));
      },
    }),
  },
});
