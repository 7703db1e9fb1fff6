import { fail } from "@cardkeep/contract/core/errors";
import { findQuestions, findSubmission, insertQuestionSet } from "@cardkeep/db/queries/verification/sourceOfFunds";
import { lockUser, updateUser, type User } from "@cardkeep/db/queries/users/users";
import { type Risk, risks } from "@cardkeep/db/schema/users/users";
import type { OperatorContext } from "../../core/context.ts";
import { generateId } from "../../core/generateId.ts";
import { spreadBlock } from "../../users/users/spreadBlock.ts";
import { requireApproval, requireSame } from "../../operators/approvals/requireApproval.ts";
import type { Services } from "../../core/services.ts";
import { resolveUser } from "../../users/users/listUsers.ts";
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

/** What a judgement is about: the risk so far, and the answers that were given last. */
async function describeRisk(
  on: Parameters<typeof findSubmission>[0],
  { id, sourceOfFundsRisk: from }: User,
): Promise<{ from: Risk | null; answersId: string | null }> {
  return { from, answersId: (await findSubmission(on, id))?.id ?? null };
}

const isBetter = (risk: Risk, than: Risk | null): boolean => than !== null && risks.indexOf(risk) < risks.indexOf(than);

/**
 * The operator's own judgement of a user's answers, in place of theirs; later answers may make it worse. A second person
 * approves a better risk of the answers that were there when it was asked for, and a worse one of any answers.
 *
 * @throws users.not_found, operators.approval_needed, approvals.changed
 */
export async function setRisk(
  ctx: OperatorContext,
  { reference, risk }: { reference: string; risk: Risk },
): Promise<User> {
  const known = await resolveUser(ctx.db, reference);
  const { id } = known;
  const input = { reference: id, risk, ...(await describeRisk(ctx.db, known)) };
  await requireApproval(ctx, "users.risk", { input, subject: { kind: "user", id } });
  return ctx.act("users.risk", async (work) => {
    const { tx } = work;
    const user = (await lockUser(tx, id)) ?? fail("users.not_found");
    // Answers since then hold off no worse risk: a user could answer until each request ends.
    if (isBetter(risk, user.sourceOfFundsRisk)) requireSame(ctx, await describeRisk(tx, user));
    await updateUser(tx, id, { sourceOfFundsRisk: risk });
    await spreadBlock(work, id);
    return {
      output: { ...user, sourceOfFundsRisk: risk },
      subject: { kind: "user", id },
      before: { risk: user.sourceOfFundsRisk },
      after: { risk },
    };
  });
}
