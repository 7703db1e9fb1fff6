import { fail } from "@cardkeep/contract/errors";

/** Largest request body in bytes. */
const bodyBytesMax = 64 * 1024;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
/** Deepest nesting of its JSON; our inputs nest three or four deep. */
const depthMax = 64;

/**
 * Reads a request body of at most 64 KiB as text. Reading stops at the first byte too many.
 * @throws request.too_large, request.invalid_json for invalid UTF-8
 */
export async function readBody(request: Request): Promise<string> {
  if (Number(request.headers.get("content-length") ?? 0) > bodyBytesMax) fail("request.too_large");
  if (!request.body) return "";
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body) {
    size += chunk.byteLength;
    if (size > bodyBytesMax) fail("request.too_large");
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
 * @throws request.too_large, request.invalid_json
 */
export async function readJson(request: Request): Promise<unknown> {
  const text = await readBody(request);
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
