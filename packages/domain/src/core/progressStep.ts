/**
 * A step on the way of a person or an order, as operators see it.
 *
 * - done: behind it. - waiting: the service or a partner works on it. - open: the person acts next.
 * - blocked: an earlier step comes first. - failed: it does not go on without an operator. - unneeded: the way does not pass it.
 */
export interface ProgressStep {
  readonly name: string;
  readonly state: "done" | "waiting" | "open" | "blocked" | "failed" | "unneeded";
  /** When it was done, where that is known. */
  readonly at: Date | null;
  /** What it waits for, or how it ended. */
  readonly text: string | null;
  /** Later steps do not wait for it. */
  readonly isOptional: boolean;
}

/** A step without more to say. */
export const step = (
  name: string,
  state: ProgressStep["state"],
  more: { at?: Date | null; text?: string | null; isOptional?: boolean } = {},
): ProgressStep => ({
  name,
  state,
  at: more.at ?? null,
  text: more.text ?? null,
  isOptional: more.isOptional ?? false,
});

/** The first step that the others wait for; null where the way is behind. */
export const findNextStep = (steps: readonly ProgressStep[]): ProgressStep | null =>
  steps.find(({ state, isOptional }) => state !== "done" && !isOptional) ?? null;
