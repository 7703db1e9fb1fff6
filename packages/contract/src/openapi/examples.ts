/**
 * A request and its answer for every route. `bun run examples` takes them from a running service and replaces varying
 * values.
 */
import eventFile from "./eventExamples.json" with { type: "json" };
import file from "./examples.json" with { type: "json" };

export interface Example {
  /** The request's path, query and body in one, as tRPC carries it; absent for an empty request. */
  readonly input?: unknown;
  readonly output: unknown;
}

/** By tRPC name. */
export const examples: Readonly<Record<string, Example>> = file;

/** The data of the events published by these requests, by type. */
export const eventExamples: Readonly<Record<string, unknown>> = eventFile;
