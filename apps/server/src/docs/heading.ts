/** Headings and rows that readers can link to. */
import { type Html, markup } from "@cardkeep/html/markup";

/** A visible link to the place of an id. */
export const renderLink = (id: string): Html => markup`<a class="link" href="#${id}" aria-label="Link to ${id}">#</a>`;

/** A heading with a link to itself. The id of a second-level heading is its section's. */
export const renderHeading = (level: 2 | 3, id: string, title: Html | string): Html =>
  level === 2
    ? markup`<h2>${title} ${renderLink(id)}</h2>`
    : markup`<h3 class="part" id="${id}">${title} ${renderLink(id)}</h3>`;
