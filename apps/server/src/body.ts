import { minuteMs } from "@cardkeep/contract/core/durations";
import { fail } from "@cardkeep/contract/core/errors";

/** Largest request body in bytes, of most routes. */
const bodyBytesMax = 64 * 1024;
/** Longest time in which a body arrives, so that one byte after the other holds no memory for long. */
const bodyMsMax = minuteMs;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
/** Deepest nesting of its JSON; our inputs nest three or four deep. */
const depthMax = 64;
/** Most values of its JSON: each takes a microsecond, and our largest inputs have some hundred. */
const valuesMax = 2_000;
/** Each value may have a name. */
const stringsMax = 2 * valuesMax;
/** Of one string; each takes a part of a microsecond. */
const escapedQuotesMax = 32 * 1024;

/** Whether a body is larger than those of most routes, or does not say its size. */
export const mayBeLarge = ({ headers }: Request): boolean =>
  !(Number(headers.get("content-length") ?? Number.NaN) <= bodyBytesMax);

/** Refuses a body that says itself that it is too large, unread. @throws request.too_large */
export function refuseLarge({ headers }: Request, bytesMax = bodyBytesMax): void {
  if (Number(headers.get("content-length") ?? 0) > bytesMax) fail("request.too_large");
}

/**
 * Reads a request body as text, of at most 64 KiB unless the route allows more. Reading stops at the first byte too many, and
 * at the first one after a minute: the server closes a connection that sends none.
 * @throws request.too_large, request.too_slow, request.invalid_json for invalid UTF-8
 */
export async function readBody(request: Request, bytesMax = bodyBytesMax): Promise<string> {
  refuseLarge(request, bytesMax);
  if (!request.body) return "";
  const chunks: Uint8Array[] = [];
  let size = 0;
  const untilMs = performance.now() + bodyMsMax;
  for await (const chunk of request.body) {
    size += chunk.byteLength;
    if (size > bytesMax) fail("request.too_large");
    if (performance.now() > untilMs) fail("request.too_slow");
    chunks.push(chunk);
  }
  try {
    return utf8.decode(Buffer.concat(chunks));
  } catch {
    return fail("request.invalid_json");
  }
}

/**
 * A JSON body, or undefined for an empty one.
 * @throws request.too_large, request.too_slow, request.invalid_json
 */
export async function readJson(request: Request, bytesMax?: number): Promise<unknown> {
  const text = await readBody(request, bytesMax);
  if (text.trim() === "") return undefined;
  checkSize(text);
  try {
    return JSON.parse(text);
  } catch {
    return fail("request.invalid_json");
  }
}

/**
 * Rejects JSON that nests too deep or has too many values, before it is parsed. Other faults are left to the parser.
 * @throws request.invalid_json, request.too_large
 */
export function checkSize(text: string): void {
  let depth = 0;
  let values = 0;
  let strings = 0;
  // The engine skips blanks and digits faster than a loop.
  const structural = /[",[\]{}]/g;
  for (let found = structural.exec(text); found !== null; found = structural.exec(text)) {
    const [character] = found;
    if (character === '"') {
      if (++strings > stringsMax) fail("request.too_large");
      structural.lastIndex = findStringEnd(text, found.index) + 1;
    } else if (character === "," && ++values >= valuesMax) fail("request.too_large");
    else if (character === "[" || character === "{") {
      if (++depth > depthMax) fail("request.invalid_json");
    } else if (character === "]" || character === "}") depth--;
  }
}

/** The position of the quote that ends a string, or the text's end. @throws request.too_large */
function findStringEnd(text: string, start: number): number {
  let quotes = 0;
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let last = end - 1;
    while (text[last] === "\\") last--;
    if ((end - last) % 2 === 1) return end;
    if (++quotes > escapedQuotesMax) fail("request.too_large");
  }
  return text.length;
}
