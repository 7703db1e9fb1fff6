import { dayMs } from "@cardkeep/contract/core/durations";
import { fail } from "@cardkeep/contract/core/errors";
import { type CardCase, findOpenCaseOf } from "@cardkeep/db/queries/spending/cases";
import { lockUser } from "@cardkeep/db/queries/users/users";
import type { OperatorContext } from "../../core/context.ts";
import { openCase } from "../../core/openCase.ts";
import { resolveUser } from "./listUsers.ts";

/** A person has an answer within a month, by article 12 (3) of the GDPR. */
const answerMs = 28 * dayMs;
const wordsLengthMax = 2_500;

const kind = "erasure_request";

/** What compliance does about an open request. */
export const erasureAdvice =
  "Erase the person on the user's page, which closes the case, or close the case with the reason why not, and answer the person " +
  "either way.";

function readWords(given: string): string {
  const words = given.trim();
  if (words !== "" && words.length <= wordsLengthMax) return words.toWellFormed().replaceAll("\0", "\ufffd");
  return fail("request.invalid", { text: `The person's words have 1 to ${wordsLengthMax} characters` });
}

/**
 * Hands a person's wish to be erased on to compliance: opens a case with the person's words, which the erasure closes. While one is
 * open, a further request answers that one. The action log has none of the words.
 *
 * @throws operators.reason_required, users.not_found, request.invalid
 */
export async function requestErasure(
  ctx: OperatorContext,
  { reference, words: given }: { reference: string; words: string },
): Promise<CardCase> {
  if (ctx.reason === null) fail("operators.reason_required");
  const { id } = await resolveUser(ctx.db, reference);
  const words = readWords(given);
  return ctx.act("users.request-erasure", async (work) => {
    const user = await lockUser(work.tx, id);
    if (!user || user.erasedAt !== null) fail("users.not_found");
    const open = await findOpenCaseOf(work.tx, { kind, subjectId: id });
    const dueAt = new Date(work.now.getTime() + answerMs);
    const note = `A person asks to be erased. ${erasureAdvice}`;
    const stake = { amountCents: 0n, currency: "EUR" };
    const output = open ?? (await openCase(work, { kind, isOfPerson: true, userId: id, ...stake, note, words, dueAt }));
    if (output === null) throw new Error(`The erasure request of ${id} is neither open nor new`);
    return {
      output,
      subject: { kind: "user", id },
      before: { isAskedFor: open !== null },
      after: { caseId: output.id, isAskedFor: true },
    };
  });
}
