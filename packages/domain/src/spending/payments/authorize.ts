/** The answer to an issuer that asks whether a card may be used now, within the time that the issuer waits. */
import type { AuthorizationRequest } from "@cardkeep/providers/issuer/spending";
import pTimeout from "p-timeout";
import type { CommitContext } from "../../core/context.ts";
import { unavailable } from "./checkCard.ts";
import { decideAuthorization } from "./decideAuthorization.ts";
import { buildDecision, type Decision } from "./recordDecision.ts";

/**
 * Decides, and writes decision, hold, job and event in one commit. The same request again is answered as before; one
 * with a known thread's id and another card, amount or currency is declined and changes nothing.
 *
 * A decision that takes longer is answered with a decline, and an approval that ends later is rolled back. One that was
 * being committed at that instant stays until the issuer reports the thread as declined.
 */
export async function authorize(ctx: CommitContext, request: AuthorizationRequest): Promise<Decision> {
  const { decisionMsMax } = ctx.rules;
  const startedAt = performance.now();
  const isLate = () => performance.now() - startedAt > decisionMsMax;
  const decided = decideAuthorization(ctx, request, isLate).catch((error: unknown) => {
    ctx.log.error({ err: error, threadId: request.threadId }, "an authorization could not be decided");
    return buildDecision(unavailable);
  });
  return pTimeout(decided, { milliseconds: decisionMsMax, fallback: () => buildDecision(unavailable) });
}
