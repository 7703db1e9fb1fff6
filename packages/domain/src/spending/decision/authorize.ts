/** The answer to an issuer that asks whether a card may be used now, within the time that the issuer waits. */
import type { SpendingState } from "@cardkeep/chain/accountState";
import { enqueueIfNone } from "@cardkeep/db/queue/enqueue";
import { findHoldConcerning } from "@cardkeep/db/queries/spending/liveTransfers";
import type { AuthorizationRequest } from "@cardkeep/providers/issuer/spending";
import pTimeout from "p-timeout";
import { commitIf } from "../../core/commitIf.ts";
import type { CommitContext, Work } from "../../core/context.ts";
import { decide } from "./decide.ts";
import { type Decision, refuse } from "./decision.ts";
import type { Behind } from "./decisionFacts.ts";
import { declineFor } from "./decline.ts";
import { type Answer, openThread } from "./openThread.ts";
import { type Facts, readFacts, readSpendingState } from "./readFacts.ts";
import { recordFirst } from "./recordFirst.ts";
import { recordIncrement } from "./recordIncrement.ts";
import { approveNothing, type Verdict } from "./verdict.ts";

const checkAgainMs = 3_000;
const unavailable = declineFor("unavailable");

/**
 * Decides, and writes decision, hold, job and event in one commit. The same request again is answered as before; one
 * with a known thread's id and another card, amount or currency is declined and changes nothing.
 *
 * A decision that takes longer is answered with a decline, and an approval that ends later is rolled back. One that was
 * being committed at that instant stays until the issuer reports the thread as declined.
 */
export async function authorize(ctx: CommitContext, request: AuthorizationRequest): Promise<Decision> {
  const { decisionMsMax } = ctx.policy;
  const startedAt = performance.now();
  const isLate = () => performance.now() - startedAt > decisionMsMax;
  const decided = decideInTime(ctx, request, isLate).catch((error: unknown) => {
    ctx.log.error({ err: error, threadId: request.threadId }, "an authorization could not be decided");
    return refuse("unavailable");
  });
  return pTimeout(decided, { milliseconds: decisionMsMax, fallback: () => refuse("unavailable") });
}

/**
 * Decides and records the decision. It begins again where the card's rules change meanwhile, or another request writes first.
 * An approval is rolled back and declined where `isLate` is true after its writes.
 */
export async function decideInTime(
  ctx: CommitContext,
  request: AuthorizationRequest,
  isLate: () => boolean,
): Promise<Decision> {
  do {
    const facts = await readFacts(ctx, request);
    if (typeof facts === "string") return refuse(facts);
    const early = decide(facts, null, request);
    const state = early.decline ? null : await readSpendingState(ctx, facts);
    /** With the chain's answer it locks the Safe and decides once more; without it, it records the verdict. */
    const record = (chain: SpendingState | null, verdict: Verdict) => async (work: Work) => {
      const opened = await openThread(work, request, facts, chain);
      if ("answer" in opened) return opened.answer;
      const { behind, growth } = opened;
      const decided = {
        facts,
        opened,
        verdict: behind ? await decideBehind(ctx, work, facts, { behind, request }) : verdict,
      };
      if (chain) await checkQueue(work, facts, chain);
      return growth
        ? recordIncrement(ctx, work, request, { ...decided, growth })
        : recordFirst(ctx, work, request, decided);
    };
    const unanswered = approveNothing(unavailable, request);
    const isKept = (answer: Answer) => answer !== "again" && !(answer.approved && isLate());
    const attempt = await commitIf(ctx, record(state, state || early.decline ? early : unanswered), isKept);
    const answer =
      attempt.isKept || attempt.value === "again" ? attempt.value : await ctx.commit(record(null, unanswered));
    if (answer !== "again") return answer;
  } while (!isLate());
  ctx.log.warn({ threadId: request.threadId }, "a card's rules changed until it was too late for a decision");
  return refuse("unavailable");
}

/**
 * Decides behind the lock. A hold that is too old may have its reason in its own account alone: that takes longer to find out,
 * so it is asked only then.
 */
async function decideBehind(
  { policy }: Pick<CommitContext, "policy">,
  { tx }: Work,
  facts: Facts,
  { behind, request }: { behind: Behind; request: AuthorizationRequest },
): Promise<Verdict> {
  const verdict = decide(facts, behind, request);
  if (verdict.decline?.reason !== "chain_stale") return verdict;
  const spenders = [policy.spenderAddress, ...policy.formerSpenderAddresses];
  const oldestHoldAt = await findHoldConcerning(tx, { safeId: facts.safe.id, spenders });
  return decide({ ...facts, oldestHoldAt }, behind, request);
}

/** Enqueues the jobs of a queue that is not empty: for entries that chain.follow missed, and for expired ones that nothing skips. */
async function checkQueue(
  { tx, requestId }: Work,
  { safe, checkedEntries }: Facts,
  { txNonce, queueNonce }: SpendingState,
): Promise<void> {
  const payload = { safeId: safe.id, requestId };
  if (queueNonce > checkedEntries) await enqueueIfNone(tx, "safe.check", payload, checkAgainMs);
  if (queueNonce > txNonce) await enqueueIfNone(tx, "safe.violations", payload, checkAgainMs);
}
