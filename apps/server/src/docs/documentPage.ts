/** One page of the documents. */
import type { Html } from "@cardkeep/html/markup";
import type { DocsContext } from "./docsContext.ts";

/** A place on a page, for the contents. */
interface PagePart {
  readonly id: string;
  readonly title: Html | string;
}

export interface DocumentPage {
  readonly path: string;
  readonly title: string;
  /** The first sentences, below the title. */
  readonly summary: string;
  /** The contents show pages of one group together. */
  readonly group: "Start" | "Guides" | "Reference" | "Catalogues";
  /** The contents show them below the page that is open. */
  readonly parts: () => readonly PagePart[];
  /** The content below title and summary. */
  readonly render: (context: DocsContext) => Html | Promise<Html>;
}
