/**
 * Types and helpers that all desks of the console share.
 *
 * - desk: a page for one role.
 * - person: a user of the service, with wallet and Safe.
 */
import type { Address } from "@cardkeep/contract/core/primitives";
import type { PersonRow } from "@cardkeep/db/sandbox/people";
import { type Html, markup } from "@cardkeep/html/markup";
import type { SandboxRuntime } from "../core/openStore.ts";
import type { ClockReading } from "./clock.ts";

/** How many people the console lists; a search finds the others. */
export const peopleMax = 50;

/** What a desk renders. */
export interface View {
  readonly runtime: SandboxRuntime;
  /** Of one moment for the whole page: relative times start from its `now`. */
  readonly clock: ClockReading;
  /** Newest first, limited to the size of the list. */
  readonly people: readonly PersonRow[];
  /** The chosen person; null shows all people. */
  readonly person: PersonRow | null;
  /** The search text; empty for all. */
  readonly find: string;
  /** The wallet that the Person desk names; null for none. It may have no user yet. */
  readonly wallet: Address | null;
  /** All that the address of the page names. */
  readonly query: URLSearchParams;
  /** The access token that the page sends with its updates; null without one. */
  readonly token: string | null;
}

/** What the page of one desk has beside what all have. */
export interface DeskPage {
  readonly style: string;
  /** A script in a file of its own, at `scriptPath`. */
  readonly script: URL;
  readonly scriptPath: string;
  /** Origins that its script calls, and those that it frames. */
  listOrigins(settings: SandboxRuntime["settings"]): { readonly connect: string[]; readonly frame: string[] };
}

export interface Desk {
  readonly id: string;
  readonly title: string;
  /** One sentence, with `code` between backticks. */
  readonly summary: string;
  readonly page?: DeskPage;
  render(view: View): Promise<Html>;
}

/** The name of a verified person; the mail address of another. */
export const nameOf = ({ firstName, lastName, email }: PersonRow): string =>
  firstName === null ? email : [firstName, lastName].filter(Boolean).join(" ");

/** The people whose data the desk shows. */
export const listShown = ({ people, person }: View): readonly PersonRow[] => (person === null ? people : [person]);

/** The address of a desk, for one person or for all. */
export const hrefOf = (desk: string, person: PersonRow | null): string =>
  `/?${new URLSearchParams({ desk, ...(person !== null && { person: person.id }) })}`;

/** The way to a first entry without code: the Person desk, at one of its steps. */
export const renderWayOn = (text: string, person: PersonRow | null): Html =>
  markup`<a href="${hrefOf("person", person)}">${text}</a>`;
