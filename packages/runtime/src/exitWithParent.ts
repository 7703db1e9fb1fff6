/** Ends a part together with the process that started it. */

/**
 * Calls `onGone` when the starting process has ended, also when it was killed.
 *
 * The supervisor marks its children with `CARDKEEP_CHILD` and holds their standard input open. A part that was
 * started by hand is left alone.
 */
export function exitWithParent(onGone: () => void): void {
  if (process.env["CARDKEEP_CHILD"] !== "1") return;
  process.stdin.once("end", onGone);
  process.stdin.once("close", onGone);
  process.stdin.resume();
}
