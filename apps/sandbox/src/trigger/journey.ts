import type { PersonOptions } from "../people/createPerson.ts";
import type { SandboxPerson } from "../people/openAccount.ts";

/** What the steps of a journey made, by name. */
export type Played = Readonly<Record<string, string>>;

/** The person that a journey starts from, and its steps. */
export interface Journey {
  readonly person: PersonOptions;
  readonly play?: (person: SandboxPerson) => Promise<Played | void>;
}
