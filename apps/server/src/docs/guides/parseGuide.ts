export interface Guide {
  readonly slug: string;
  readonly title: string;
  /** The first paragraph, one or two sentences. */
  readonly summary: string;
  /** What follows, as Markdown. */
  readonly text: string;
}

/** Splits a guide's file. @throws Error unless it begins with a title and a paragraph */
export function parseGuide(slug: string, file: string): Guide {
  const [, title, summary, text] = /^# (.+)\n\n([^\n#`][^]*?)\n\n([^]*)$/.exec(file) ?? [];
  if (title === undefined || summary === undefined || text === undefined)
    throw new Error(`${slug}.md must begin with "# Title" and a paragraph`);
  return { slug, title, summary: summary.replaceAll("\n", " "), text };
}
