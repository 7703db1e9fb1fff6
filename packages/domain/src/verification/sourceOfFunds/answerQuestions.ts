import { fail } from "@cardkeep/contract/core/errors";
import { findSubmission, insertSubmission } from "@cardkeep/db/queries/verification/sourceOfFunds";
import { lockUser, updateUser } from "@cardkeep/db/queries/users/users";
import type { GivenAnswer } from "@cardkeep/db/schema/verification/sourceOfFunds";
import { type Risk, risks } from "@cardkeep/db/schema/users/users";
import { spreadBlock } from "../../users/users/spreadBlock.ts";
import type { Commit, UserContext } from "../../core/context.ts";
import { generateId } from "../../core/generateId.ts";
import { readyOrders } from "../../cards/orders/readyOrders.ts";
import { publish } from "../../core/publish.ts";
import { getUserResource } from "../../users/users/user.ts";
import { currencyOf, listRenderings, type QuestionSet, renderAnswer } from "./questionSet.ts";
import { getQuestions } from "./setQuestions.ts";

/**
 * Takes a user's answers to all questions, each in the words of any locale.
 *
 * What they are worth stays inside. Answering again does not make it better: the worst ever given counts, until the
 * operator says otherwise. The same answers again are no news.
 *
 * @throws sourceOfFunds.unknown_question, sourceOfFunds.unknown_answer, sourceOfFunds.incomplete
 */
export async function answerQuestions(
  ctx: UserContext,
  given: readonly GivenAnswer[],
): Promise<Commit<{ message: string }>> {
  const { userId } = ctx.actor;
  const risk = rate(await getQuestions(ctx), given);
  const answers = given.map((each) => ({ question: each.question, answer: each.answer }));
  return async (work) => {
    const { tx, now } = work;
    const user = (await lockUser(tx, userId)) ?? fail("auth.token_invalid");
    const last = await findSubmission(tx, userId);
    if (!last || !Bun.deepEquals(last.answers, answers)) {
      await insertSubmission(tx, { id: generateId(), userId, answers, risk, answeredAt: now });
      const sourceOfFundsRisk = worstOf([risk, ...(user.sourceOfFundsRisk === null ? [] : [user.sourceOfFundsRisk])]);
      await updateUser(tx, userId, { isSourceOfFundsAnswered: true, sourceOfFundsRisk });
      if (sourceOfFundsRisk !== user.sourceOfFundsRisk) await spreadBlock(work, userId);
      await readyOrders(work, userId);
      const resource = await getUserResource(tx, userId, ctx.policy.chainId);
      await publish(work, "kyc.source-of-funds.changed", userId, resource);
    }
    return { message: "Source of funds submitted" };
  };
}

/** What answers are worth: as much as the worst of them. */
function rate(questions: QuestionSet, given: readonly GivenAnswer[]): Risk {
  const found = given.map(({ question, answer: chosen }) => {
    const asked = questions.find((each) => each.question === question) ?? fail("sourceOfFunds.unknown_question");
    return (
      asked.answers.find(({ text }) => listRenderings(text).includes(chosen)) ?? fail("sourceOfFunds.unknown_answer")
    );
  });
  const answered = new Set(given.map(({ question }) => question));
  if (answered.size !== given.length || answered.size !== questions.length) fail("sourceOfFunds.incomplete");
  return worstOf(found.map(({ risk }) => risk));
}

const worstOf = (given: readonly Risk[]): Risk => risks.findLast((risk) => given.includes(risk)) ?? "red";

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
