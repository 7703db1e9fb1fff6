import type { Person } from "../../support/person.ts";
import type { Service } from "../../support/service.ts";

/** Where examples are played: a running service, and how a part of the play records what it sees. */
export interface Stage {
  service: Service;
  /** Calls a route as a person with this input, records both sides as its example, and returns the output. */
  // oxlint-disable-next-line typescript/no-explicit-any -- a play reads any answer of the service
  show(person: Person, name: string, input?: unknown): Promise<any>;
  /** Replaces a random text by the same one in every run. */
  alias(real: string, stable: string): void;
}
