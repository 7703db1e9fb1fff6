import type { CommitContext } from "@cardkeep/domain/core/context";
import { holdPlace } from "@cardkeep/domain/core/waits";

/** The wire input of a request, not yet read. */
export interface Input {
  /** It may take more memory than most, so few such requests run at once. */
  readonly isLarge: boolean;
  read(): unknown;
}

/** Reads the input and uses it; a large one in a place, which the request keeps to its end. @throws server.unavailable */
export async function useInput<T>(
  { largeBodies }: CommitContext,
  input: Input,
  subject: string | null,
  use: (rawInput: unknown) => Promise<T>,
): Promise<T> {
  if (!input.isLarge) return use(await input.read());
  return holdPlace(largeBodies, subject, async () => use(await input.read()));
}
