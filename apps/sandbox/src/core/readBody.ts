/** Reads bodies of requests as text and JSON. Rejects null characters, unpaired surrogates and broken UTF-8. */
import { findIllFormedText } from "@cardkeep/contract/core/text";
import { SandboxError } from "./route.ts";

const bodyBytesMax = 64 * 1024;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The encoded null character of a form. */
const nullInForm = "%00";

/** The whole body. @throws SandboxError 422 for one that is too large or holds ill-formed text */
export async function readText(request: Request): Promise<string> {
  const bytes = await request.bytes();
  if (bytes.byteLength > bodyBytesMax) throw new SandboxError(422, "Request body too large");
  const text = decode(bytes);
  const isForm = request.headers.get("content-type")?.startsWith("application/x-www-form-urlencoded") === true;
  if (text.includes("\0") || (isForm && text.includes(nullInForm))) throw new SandboxError(422, illFormed);
  return text;
}

const illFormed = "Text must not hold a null character or an unpaired surrogate";

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new SandboxError(422, "The body is not UTF-8");
  }
}

/**
 * The body as JSON, an empty one as `{}`.
 * @throws SandboxError 422 for invalid JSON
 */
export async function readJson(request: Request): Promise<unknown> {
  return parseJson(await readText(request));
}

/**
 * A text as JSON, an empty one as `{}`.
 * @throws SandboxError 422 for invalid JSON or ill-formed text
 */
export function parseJson(text: string): unknown {
  const value = text.trim() === "" ? {} : parse(text);
  if (findIllFormedText(value)) throw new SandboxError(422, illFormed);
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new SandboxError(422, "Invalid JSON");
  }
}
