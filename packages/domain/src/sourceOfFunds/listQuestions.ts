import type { UserContext } from "../context.ts";
import { getQuestions } from "./getQuestions.ts";
import { currencyOf, renderAnswer } from "./questionSet.ts";

/** The questions in force, amounts of money in the locale's currency. */
export async function listQuestions(
  ctx: UserContext,
  { locale }: { locale?: string | undefined },
): Promise<{ question: string; answers: string[] }[]> {
  const currency = currencyOf(locale);
  const asked = await getQuestions(ctx);
  return asked.map(({ question, answers }) => ({
    question,
    answers: answers.map(({ text }) => renderAnswer(text, currency)),
  }));
}
