import { fail } from "@cardkeep/contract/errors";
import { insertQuestionSet } from "@cardkeep/db/queries/sourceOfFunds";
import type { OperatorContext } from "../context.ts";
import { generateId } from "../generateId.ts";
import { questionSet, type QuestionSet } from "./questionSet.ts";

/**
 * Puts another set of questions in force. Users who answered the earlier one keep their risk.
 *
 * @throws sourceOfFunds.invalid_questions naming the first fault
 */
export async function setQuestions(ctx: OperatorContext, questions: unknown): Promise<QuestionSet> {
  const { data, error } = questionSet.safeParse(questions);
  if (error) {
    const [issue] = error.issues;
    const at = (issue?.path ?? []).map(String).join(".");
    fail("sourceOfFunds.invalid_questions", { text: `${at === "" ? "questions" : at}: ${issue?.message}` });
  }
  await ctx.commit(({ tx, now }) => insertQuestionSet(tx, { id: generateId(), questions: data, createdAt: now }));
  return data;
}
