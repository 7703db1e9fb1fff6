import { jitter } from "@cardkeep/db/jitter";
import { wait } from "./wait.ts";

/** Mean pauses between attempts double from the first to the last. */
const pauseMsMin = 500;
const pauseMsMax = 10_000;

/** Repeats a check until it could be made, or until the process stops. Answers whether it was made. */
export async function pollCheck(isChecked: () => Promise<boolean>, stopping: AbortSignal): Promise<boolean> {
  for (let pauseMs = pauseMsMin; await wait(jitter(pauseMs), stopping); pauseMs = Math.min(2 * pauseMs, pauseMsMax)) {
    if (await isChecked()) return true;
  }
  return false;
}
