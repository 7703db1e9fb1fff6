/** Colours of demo, start and CLI: the one place that says what each of them means. */
import { styleText } from "node:util";

/** Marks a text by what it means. Without colours the text stays as it is. */
export interface Colors {
  /** Something is as it should be. */
  ok(text: string): string;
  warning(text: string): string;
  fault(text: string): string;
  /** A heading, or the one thing to look at. */
  strong(text: string): string;
  /** What most readers skip. */
  quiet(text: string): string;
  /** An address to open. */
  address(text: string): string;
}

type Style = Parameters<typeof styleText>[0];

const keep = (text: string): string => text;

/** For files, pipes and tests. */
export const plainColors: Colors = { ok: keep, warning: keep, fault: keep, strong: keep, quiet: keep, address: keep };

/**
 * The colours of a stream. It has none unless it is a terminal, and none with NO_COLOR; with FORCE_COLOR it always has them.
 * Source: no-color.org, force-color.org.
 */
export function createColors(stream: NodeJS.WritableStream): Colors {
  const paint = (style: Style) => (text: string) => styleText(style, text, { stream });
  return {
    ok: paint("green"),
    warning: paint("yellow"),
    fault: paint("red"),
    strong: paint("bold"),
    quiet: paint("dim"),
    address: paint("cyan"),
  };
}
