/**
 * What the sandbox's routes share.
 *
 * - route: method, path, input and what it does; the console draws a form for each from this table.
 */
import type { Runtime } from "@cardkeep/runtime/compose";
import type { z } from "zod";

/** What the console needs to draw a form. */
export interface SandboxForm<I extends z.ZodType = z.ZodType> {
  readonly method: "GET" | "POST";
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
  run(runtime: Runtime, input: z.output<I>): Promise<unknown>;
}

/** Declares a route; the identity function that ties `run` to the input's type. */
export const defineSandboxRoute = <I extends z.ZodType>(route: SandboxRoute<I>): SandboxRoute => ({
  ...route,
  run: (runtime, input) => route.run(runtime, route.input.parse(input)),
});

/** A refusal that the caller is told: 404 for an unknown id, 409 or 422 otherwise; 400 and 401 as partners answer. */
export class SandboxError extends Error {
  override readonly name = "SandboxError";
  readonly status: 400 | 401 | 404 | 409 | 422;

  constructor(status: SandboxError["status"], message: string) {
    super(message);
    this.status = status;
  }
}
