/** The command line itself makes no sense; the message says what about it. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
