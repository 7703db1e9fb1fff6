import { insertQuestionSet } from "@cardkeep/db/queries/sourceOfFunds";
import type { Services } from "../context.ts";
import { generateId } from "../ids.ts";
import { questionSet, type QuestionSet } from "./questionSet.ts";

/** Puts another set of questions in force; whoever answered the earlier one keeps what that was worth. @throws ZodError */
export async function setQuestions(
  { db, clock }: Pick<Services, "db" | "clock">,
  questions: unknown,
): Promise<QuestionSet> {
  const checked = questionSet.parse(questions);
  await insertQuestionSet(db, { id: generateId(), questions: checked, createdAt: await clock.now(db) });
  return checked;
}
