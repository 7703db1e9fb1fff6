/** Links that a terminal opens. */
import { createSupportsHyperlinks } from "supports-hyperlinks";

/** Source: gist.github.com/egmontkob/eb114294efbcd5adb1944c9f3cb5feda (OSC 8). */
const formatLink = (text: string, url: string): string => `\u001B]8;;${url}\u0007${text}\u001B]8;;\u0007`;

export interface Links {
  /** Whether the terminal opens links. Elsewhere print the address. */
  readonly isSupported: boolean;
  /** The text as a link; the text alone where links are not supported. */
  link(text: string, url: string): string;
}

/** The links of a stream. */
export function createLinks(stream: { isTTY?: boolean }): Links {
  const isSupported = createSupportsHyperlinks(stream);
  return { isSupported, link: (text, url) => (isSupported ? formatLink(text, url) : text) };
}
