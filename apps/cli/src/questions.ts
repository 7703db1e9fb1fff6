import { parseJsonText } from "@cardkeep/contract/text";
import { getQuestions } from "@cardkeep/domain/sourceOfFunds/getQuestions";
import { setQuestions } from "@cardkeep/domain/sourceOfFunds/setQuestions";
import { z } from "zod";
import { type Answer, defineCommand, type Noun } from "./command.ts";
import { renderTable } from "./print.ts";
import { UsageError } from "./usageError.ts";

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

/** @throws UsageError for a file that cannot be read as JSON, or that holds ill-formed text */
async function readJson(path: string): Promise<unknown> {
  try {
    return parseJsonText(await Bun.file(path).text());
  } catch (error) {
    throw new UsageError(`${path}: ${error instanceof Error ? error.message : "cannot be read"}`);
  }
}

export const questions: Noun = {
  summary: "What is asked about the source of funds, and what each answer is worth",
  verbs: {
    list: defineCommand({
      summary: "Every question with its answers; with --json as `set` takes it",
      input: z.object({}),
      run: async (session) => answer(await getQuestions(await session.open())),
    }),
    set: defineCommand({
      summary: "Asks what a JSON file says from now on; {25000} in an answer is an amount in EUR",
      takes: ["file"],
      input: z.object({ file: z.string() }),
      run: async (session, { file }) => {
        const given = await readJson(file);
        return answer(await setQuestions(await session.open(), given));
      },
    }),
  },
};
