import type { CommitContext } from "@cardkeep/domain/core/context";
import { holdPlace } from "@cardkeep/domain/core/waits";
import { readAdmitted } from "./readAdmitted.ts";

/** The wire input of a request, not yet read. */
export interface Input {
  /** It may take more memory than most, so few such requests run at once. */
  readonly isLarge: boolean;
  read(): unknown;
}

/**
 * Reads the input and uses it; a large one in a place, which the request keeps to its end.
 *
 * @param admit proves the rights of the caller again
 * @throws server.unavailable, and the errors of `admit` where the input took long
 */
export async function useInput<T>(
  { largeBodies }: CommitContext,
  { input, subject, admit }: { input: Input; subject: string | null; admit: () => Promise<unknown> },
  use: (rawInput: unknown) => Promise<T>,
): Promise<T> {
  const readAndUse = async () => use(await readAdmitted(() => input.read(), admit));
  return input.isLarge ? holdPlace(largeBodies, subject, readAndUse) : readAndUse();
}
