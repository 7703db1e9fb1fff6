/**
 * What the desks of the console share.
 *
 * - desk: a page on which one role is played. - person: a user of the service, with wallet and Safe.
 */
import type { PersonRow } from "@cardkeep/db/queries/console";
import type { Html } from "@cardkeep/html/markup";
import type { Runtime } from "@cardkeep/runtime/compose";

/** What a desk is drawn from. */
export interface View {
  readonly runtime: Runtime;
  /** Newest first, so many as anybody picks from. */
  readonly people: readonly PersonRow[];
  /** Whose things alone are shown; null for everybody's. */
  readonly person: PersonRow | null;
  /** What people are looked for by; empty for all. */
  readonly find: string;
}

export interface Desk {
  readonly id: string;
  readonly title: string;
  /** One sentence, in which `code` stands between backticks. */
  readonly summary: string;
  render(view: View): Promise<Html>;
}

/** How a person is called: by name once they are verified, by mail address before. */
export const nameOf = ({ firstName, lastName, email }: PersonRow): string =>
  firstName === null ? email : [firstName, lastName].filter(Boolean).join(" ");

/** Whose things are shown. */
export const listShown = ({ people, person }: View): readonly PersonRow[] => (person === null ? people : [person]);

/** The address of a desk, for one person or for everybody. */
export const hrefOf = (desk: string, person: PersonRow | null): string =>
  `/?${new URLSearchParams({ desk, ...(person !== null && { person: person.id }) })}`;
