/** Remote signers that fail: a worker finds them by their answers, logs them, and writes them down for every process. */
import { saveSignerReport } from "@cardkeep/db/queries/chain/signers";
import type { CommitContext } from "../../core/context.ts";
import type { SignerWatch } from "../../core/ports.ts";

/** A worker that reported nothing for longer is gone. */
export const reportSecondsMax = 60;

/** Creates the verb of a chore, which knows what it logged before. */
export function createSignerReport(input: {
  signerWatches: readonly SignerWatch[];
  workerId: string;
}): (ctx: CommitContext) => Promise<void> {
  const logged = new Map<string, string | null>();
  return async (ctx) => {
    await Promise.all(input.signerWatches.map((watch) => watch.check()));
    const states = input.signerWatches.map((watch) => watch.read());
    for (const { address, kind, failure } of states) {
      const before = logged.get(address) ?? null;
      const fault = failure?.fault ?? null;
      logged.set(address, fault);
      if (fault === before) continue;
      const fields = { address, signer: kind, reason: failure?.reason };
      if (fault === null) ctx.log.info(fields, "The signer answers again.");
      else if (fault === "wrong") ctx.log.error(fields, "The signer uses another key. Nothing that it signs is sent.");
      else ctx.log.error(fields, "The signer does not answer or refuses. Work that needs it waits.");
    }
    await saveSignerReport(ctx.db, { workerId: input.workerId, states, withinSeconds: reportSecondsMax });
  };
}
