/** What a request wants to read: a page for people, or JSON for programs. */

/** The media types that an address may answer. */
export type MediaType = "text/html" | "application/json";

interface Range {
  readonly type: string;
  readonly quality: number;
}

/** The ranges of an `Accept` header (RFC 9110, 12.5.1). A range with a quality that is no number counts as 1. */
function parseRanges(accept: string): Range[] {
  return accept.split(",").map((part) => {
    const [type = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase());
    const given = Number(parameters.find((text) => text.startsWith("q="))?.slice("q=".length) ?? 1);
    return { type, quality: Number.isNaN(given) ? 1 : given };
  });
}

/** How much a request wants a type: the most exact range that covers it decides. */
function weigh(ranges: readonly Range[], type: MediaType): number {
  const covering = [type, `${type.split("/", 1)[0]}/*`, "*/*"];
  const found = covering
    .map((range) => ranges.find((each) => each.type === range))
    .find((range) => range !== undefined);
  return found?.quality ?? 0;
}

/**
 * The type that a request prefers; `otherwise` where it prefers none, as `curl` and `fetch` do with the range for every type.
 */
export function chooseMediaType({ headers }: Request, otherwise: MediaType): MediaType {
  const ranges = parseRanges(headers.get("accept") ?? "*/*");
  const [page, json] = [weigh(ranges, "text/html"), weigh(ranges, "application/json")];
  if (page === json) return otherwise;
  return page > json ? "text/html" : "application/json";
}
