/** A request and its answer for every route, taken from a real service by `bun run examples`; what varies is replaced. */
import eventFile from "./eventExamples.json" with { type: "json" };
import file from "./examples.json" with { type: "json" };

export interface Example {
  /** What was sent, path and query and body in one, as tRPC carries it; absent where nothing was. */
  readonly input?: unknown;
  readonly output: unknown;
}

/** By tRPC name. */
export const examples: Readonly<Record<string, Example>> = file;

/** The data of the events that were published meanwhile, by type. */
export const eventExamples: Readonly<Record<string, unknown>> = eventFile;
