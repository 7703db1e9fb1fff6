/** Legal holds: while one is open, nothing of the person is erased, and nothing that the law keeps is deleted. */
import { fail } from "@cardkeep/contract/core/errors";
import { insertLegalHold, type LegalHold, liftLegalHold } from "@cardkeep/db/queries/users/records";
import { lockUser } from "@cardkeep/db/queries/users/users";
import type { OperatorContext } from "../../core/context.ts";
import { generateId } from "../../core/generateId.ts";
import { resolveUser } from "./listUsers.ts";

/** Places a hold, for the reason that the operator gives. @throws users.not_found, users.held, operators.reason_required */
export async function placeHold(
  ctx: OperatorContext,
  { reference }: { reference: string },
): Promise<Omit<LegalHold, "liftedAt" | "liftedBy">> {
  const reason = ctx.reason ?? fail("operators.reason_required");
  return ctx.act("users.hold", async ({ tx, now }) => {
    const { id } = await resolveUser(tx, reference);
    if (!(await lockUser(tx, id))) fail("users.not_found");
    const hold = { id: generateId(), userId: id, reason, placedBy: ctx.actor.name, placedAt: now };
    if (!(await insertLegalHold(tx, hold))) fail("users.held");
    return { output: hold, subject: { kind: "user", id }, before: null, after: { holdId: hold.id } };
  });
}

/** Lifts the open hold about a person. @throws users.not_found, users.not_held */
export async function liftHold(ctx: OperatorContext, { reference }: { reference: string }): Promise<LegalHold> {
  return ctx.act("users.release", async ({ tx, now }) => {
    const { id } = await resolveUser(tx, reference);
    const lifted = await liftLegalHold(tx, id, { liftedAt: now, liftedBy: ctx.actor.name });
    const output = lifted ?? fail("users.not_held");
    return { output, subject: { kind: "user", id }, before: { holdId: output.id }, after: null };
  });
}
