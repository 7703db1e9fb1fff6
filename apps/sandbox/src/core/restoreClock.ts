import { advanceClock, holdClockOffsetSeconds } from "@cardkeep/db/queries/core/clock";
import { findMovedClock } from "@cardkeep/db/sandbox/clock";
import type { SandboxRuntime } from "./openStore.ts";

/** Moves the service's clock to where it was, if the service's database went back: the chain's time did not. */
export async function restoreClock({ db, store }: SandboxRuntime): Promise<void> {
  const moved = await findMovedClock(store);
  await db.transaction(async (tx) => {
    const behind = moved - (await holdClockOffsetSeconds(tx));
    if (behind > 0) await advanceClock(tx, behind);
  });
}
