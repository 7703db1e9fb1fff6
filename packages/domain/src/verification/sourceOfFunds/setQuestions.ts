import { fail } from "@cardkeep/contract/core/errors";
import { findQuestions, insertQuestionSet } from "@cardkeep/db/queries/verification/sourceOfFunds";
import type { OperatorContext } from "../../core/context.ts";
import { generateId } from "../../core/generateId.ts";
import type { Services } from "../../core/services.ts";
import { defaultQuestions } from "./defaultQuestions.ts";
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
  return ctx.act("questions.set", async ({ tx, now }) => {
    const id = generateId();
    await insertQuestionSet(tx, { id, questions: data, createdAt: now });
    return { output: data, subject: { kind: "questions", id }, before: null, after: { questions: data.length } };
  });
}

/** The set in force: the operator's newest, or the service's own. */
export async function getQuestions({ db }: Pick<Services, "db">): Promise<QuestionSet> {
  const stored = await findQuestions(db);
  return stored === null ? defaultQuestions : questionSet.parse(stored);
}
