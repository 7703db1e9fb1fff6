import { fail } from "@cardkeep/contract/errors";
import type { Route } from "@cardkeep/contract/route";

/** Largest request body in bytes, of most routes. */
const bodyBytesMax = 64 * 1024;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
/** Deepest nesting of its JSON; our inputs nest three or four deep. */
const depthMax = 64;

/**
 * Reads a request body as text, of at most 64 KiB unless the route allows more. Reading stops at the first byte too many.
 * @throws request.too_large, request.invalid_json for invalid UTF-8
 */
export async function readBody(request: Request, bytesMax = bodyBytesMax): Promise<string> {
  if (Number(request.headers.get("content-length") ?? 0) > bytesMax) fail("request.too_large");
  if (!request.body) return "";
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body) {
    size += chunk.byteLength;
    if (size > bytesMax) fail("request.too_large");
    chunks.push(chunk);
  }
  try {
    return utf8.decode(Buffer.concat(chunks));
  } catch {
    return fail("request.invalid_json");
  }
}

/** The bound of a route's body. A larger one than usual is for callers with a token: the token is checked after the body is read. */
export const findBodyLimit = (request: Request, route: Pick<Route, "bodyBytesMax"> | undefined): number | undefined =>
  request.headers.has("authorization") ? route?.bodyBytesMax : undefined;

/**
 * A JSON body, or undefined for an empty one.
 * @throws request.too_large, request.invalid_json
 */
export async function readJson(request: Request, bytesMax?: number): Promise<unknown> {
  const text = await readBody(request, bytesMax);
  if (text.trim() === "") return undefined;
  checkDepth(text);
  try {
    return JSON.parse(text);
  } catch {
    return fail("request.invalid_json");
  }
}

/**
 * Rejects JSON that nests too deep, before it is parsed. Other faults are left to the parser.
 * @throws request.invalid_json
 */
export function checkDepth(text: string): void {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (isInString) {
      if (character === "\\") at++;
      else if (character === '"') isInString = false;
    } else if (character === '"') isInString = true;
    else if (character === "[" || character === "{") {
      if (++depth > depthMax) fail("request.invalid_json");
    } else if (character === "]" || character === "}") depth--;
  }
}
