import { fail } from "@cardkeep/contract/errors";
import { insertQuestionSet } from "@cardkeep/db/queries/sourceOfFunds";
import type { Services } from "../services.ts";
import { generateId } from "../generateId.ts";
import { questionSet, type QuestionSet } from "./questionSet.ts";

/**
 * Puts another set of questions in force; whoever answered the earlier one keeps what that was worth.
 *
 * @throws sourceOfFunds.invalid_questions naming the first fault
 */
export async function setQuestions(
  { db, clock }: Pick<Services, "db" | "clock">,
  questions: unknown,
): Promise<QuestionSet> {
  const { data, error } = questionSet.safeParse(questions);
  if (error) {
    const [issue] = error.issues;
    const at = (issue?.path ?? []).map(String).join(".");
    fail("sourceOfFunds.invalid_questions", { text: `${at === "" ? "questions" : at}: ${issue?.message}` });
  }
  await insertQuestionSet(db, { id: generateId(), questions: data, createdAt: await clock.now(db) });
  return data;
}
