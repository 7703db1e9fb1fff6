/**
 * Types that the sandbox's routes share.
 *
 * - route: method, path, input and effect. The console draws a form for each from this table.
 */
import type { z } from "zod";
import { describeIssue } from "./describeIssue.ts";
import type { SandboxRuntime } from "./openStore.ts";

/** The data for a form of the console. */
export interface SandboxForm<I extends z.ZodType = z.ZodType> {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** `{name}` marks a path parameter, which the input names too. */
  readonly path: string;
  readonly summary: string;
  readonly input: I;
  /** Example values for the console's form. */
  readonly example: Readonly<Record<string, unknown>>;
}

export interface SandboxRoute<I extends z.ZodType = z.ZodType> extends SandboxForm<I> {
  /** Pages of other origins on this machine may read the answer (CORS). */
  readonly isOpenToApps?: true;
  run(runtime: SandboxRuntime, input: z.output<I>): Promise<unknown>;
}

/** Declares a route. It ties the type of `run` to the type of the input. */
export const defineSandboxRoute = <I extends z.ZodType>(route: SandboxRoute<I>): SandboxRoute => ({
  ...route,
  run: (runtime, input) => route.run(runtime, route.input.parse(input, { error: describeIssue })),
});

/** An error for the caller: 404 for an unknown id, otherwise 409 or 422; 400, 401 and 429 in the partners' own forms. */
export class SandboxError extends Error {
  override readonly name = "SandboxError";
  readonly status: 400 | 401 | 404 | 409 | 422 | 429;

  constructor(status: SandboxError["status"], message: string) {
    super(message);
    this.status = status;
  }
}
