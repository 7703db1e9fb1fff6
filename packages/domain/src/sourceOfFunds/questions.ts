import { findQuestions } from "@cardkeep/db/queries/sourceOfFunds";
import type { UserContext } from "../context.ts";
import { currencyOf, readQuestionSet, renderAnswer } from "./questionSet.ts";

/** The questions in force, amounts of money in the locale's currency. */
export async function questions(
  ctx: UserContext,
  { locale }: { locale?: string | undefined },
): Promise<{ question: string; answers: string[] }[]> {
  const currency = currencyOf(locale);
  return readQuestionSet(await findQuestions(ctx.db)).map(({ question, answers }) => ({
    question,
    answers: answers.map(({ text }) => renderAnswer(text, currency)),
  }));
}
