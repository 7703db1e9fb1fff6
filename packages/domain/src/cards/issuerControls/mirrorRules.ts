/** After a change of rules: the cards that it concerns get other controls at the issuer. */
import type { RuleScope } from "@cardkeep/contract/cards/cardRules";
import { type CardsOf, lockCardsAfter } from "@cardkeep/db/queries/cards/cardControls/issuerRules";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import type { Work, WorkerContext } from "../../core/context.ts";
import { refreshIssuerControls } from "./refreshIssuerControls.ts";

/** Cards of one commit. */
const batchSize = 500;

/** In the commit of a change of a rule: adds the job about the cards that it concerns. */
export async function mirrorChange(
  { tx, requestId }: Work,
  { scope, subjectId, userId }: { scope: RuleScope; subjectId: string | null; userId: string | null },
): Promise<void> {
  const subject = userId === null ? (scope === "partner" ? `partner:${subjectId}` : "programme") : `user:${userId}`;
  await enqueue(tx, "rules.mirror", { subject, requestId });
}

/** The job about these cards, in the order of their ids. Killed at any batch and run again it starts from the first. */
export async function mirrorRules(ctx: WorkerContext, { subject }: { subject: string }): Promise<void> {
  const of = readSubject(subject);
  for (let after: string | undefined = ""; after !== undefined;) {
    if (ctx.stopping.aborted) throw new Error("The worker stops; the job is run again");
    const from: string = after;
    after = await ctx.commit(async (work) => {
      const cards = await lockCardsAfter(work.tx, { of, after: from, limit: batchSize });
      await refreshIssuerControls(work, cards);
      return cards.at(-1)?.id;
    });
  }
}

function readSubject(subject: string): CardsOf {
  const [kind, id = ""] = subject.split(":");
  return kind === "user" ? { userId: id } : kind === "partner" ? { partnerId: id } : {};
}
