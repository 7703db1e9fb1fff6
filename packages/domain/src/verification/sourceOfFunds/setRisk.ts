import { fail } from "@cardkeep/contract/core/errors";
import { findSubmission } from "@cardkeep/db/queries/verification/sourceOfFunds";
import { lockUser, updateUser, type User } from "@cardkeep/db/queries/users/users";
import { type Risk, risks } from "@cardkeep/db/schema/users/users";
import type { OperatorContext } from "../../core/context.ts";
import { requireApproval, requireSame } from "../../operators/approvals/requireApproval.ts";
import { resolveUser } from "../../users/users/listUsers.ts";
import { spreadBlock } from "../../users/users/spreadBlock.ts";

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
    const user = await lockUser(tx, id);
    if (!user || user.erasedAt !== null) fail("users.not_found");
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
