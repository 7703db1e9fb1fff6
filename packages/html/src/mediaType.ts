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

/** The range that decides on a type: the most exact one that covers it. */
function findRange(ranges: readonly Range[], type: MediaType): Range | undefined {
  const covering = [type, `${type.split("/", 1)[0]}/*`, "*/*"];
  return covering.map((range) => ranges.find((each) => each.type === range)).find((range) => range !== undefined);
}

/**
 * The type that a request prefers. Of two with the same quality it is the one that the request names. `otherwise` is for
 * requests that prefer neither, as those of `curl` and `fetch`.
 */
export function chooseMediaType({ headers }: Request, otherwise: MediaType): MediaType {
  const ranges = parseRanges(headers.get("accept") ?? "*/*");
  const weigh = (type: MediaType): readonly [number, boolean] => {
    const range = findRange(ranges, type);
    return [range?.quality ?? 0, range?.type === type];
  };
  const [[pageQuality, namesPage], [jsonQuality, namesJson]] = [weigh("text/html"), weigh("application/json")];
  if (pageQuality !== jsonQuality) return pageQuality > jsonQuality ? "text/html" : "application/json";
  if (namesPage === namesJson) return otherwise;
  return namesPage ? "text/html" : "application/json";
}
