/** Adds the decisions that a server counted in memory to those of the hour, for the operator's overview. */
import { addDecisions } from "@cardkeep/db/queries/partners/hours";
import type { Runtime } from "./compose.ts";
import { startRecords } from "./startRecords.ts";

const everyMs = 10_000;

/** Adds the decisions of this process to those of the hour. */
export async function recordDecisions({
  db,
  clock,
  decisions,
}: Pick<Runtime, "db" | "clock" | "decisions">): Promise<void> {
  const counts = decisions.take();
  if (counts.length === 0) return;
  try {
    await addDecisions(db, counts, await clock.now(db));
  } catch (error) {
    decisions.restore(counts);
    throw error;
  }
}

/** Adds them every 10 s. `stop` adds the last ones. */
export function startDecisionRecords(runtime: Runtime): { stop(): Promise<void> } {
  const records = startRecords(runtime, {
    everyMs,
    warning: "The counts of decisions were not recorded. Trying again",
    record: () => recordDecisions(runtime),
  });
  return {
    stop: async () => {
      await records.stop();
      await recordDecisions(runtime).catch((error: unknown) =>
        runtime.log.warn({ err: error }, "The last counts of decisions were not recorded"),
      );
    },
  };
}
