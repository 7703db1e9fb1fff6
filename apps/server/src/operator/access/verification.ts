/** Whether the chain of hashes is whole, above the list of actions. */
import { type ActionVerification, verifyActions } from "@cardkeep/domain/core/operators/verifyActions";
import { markup, type Html } from "@cardkeep/html/markup";
import type { Beside, Visit } from "../page/page.ts";

/** So many of the newest actions are verified for each view of the page. */
const verifiedMax = 200;

function renderVerification({ from, head, faults }: ActionVerification): Html {
  if (faults.length > 0)
    return markup`<div class="notice refusal" role="alert">
      <p><strong>The log is not as it was written.</strong> Run <code>cardkeep actions verify</code>.</p>
      ${faults.map(({ sequence, text }) => markup`<p>Action ${sequence}: ${text}</p>`)}
    </div>`;
  return markup`<p class="lead">
    The chain of the actions ${from} to ${head.sequence} was verified for this page. The last hash is
    <code>${head.hash}</code>. <code>cardkeep actions verify</code> verifies all of them, and
    <code>cardkeep actions export</code> writes them for an auditor.
  </p>`;
}

export const renderVerified = async ({ ctx }: Visit): Promise<Beside> => ({
  before: renderVerification(await verifyActions(ctx, { newest: verifiedMax })),
});
