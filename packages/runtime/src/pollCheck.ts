import { listPauses, wait } from "./wait.ts";

const pauses = { minMs: 500, maxMs: 10_000 };

/** Repeats a check until it could be made, or until the process stops. Answers whether it was made. */
export async function pollCheck(isChecked: () => Promise<boolean>, stopping: AbortSignal): Promise<boolean> {
  for (const pauseMs of listPauses(pauses)) {
    if (!(await wait(pauseMs, stopping))) break;
    if (await isChecked()) return true;
  }
  return false;
}
