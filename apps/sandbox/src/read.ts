/** Bodies of requests, as text and as JSON. */
import { SandboxError } from "./route.ts";

const bodyBytesMax = 64 * 1024;

/** The whole body. @throws SandboxError 422 for one that is too large */
export async function readText(request: Request): Promise<string> {
  const text = await request.text();
  if (Buffer.byteLength(text) > bodyBytesMax) throw new SandboxError(422, "Request body too large");
  return text;
}

/** The body as JSON, an empty one as `{}`. @throws SandboxError 422 for what is no JSON */
export async function readJson(request: Request): Promise<unknown> {
  return parseJson(await readText(request));
}

/** A text as JSON, an empty one as `{}`. @throws SandboxError 422 for what is no JSON */
export function parseJson(text: string): unknown {
  try {
    return text.trim() === "" ? {} : JSON.parse(text);
  } catch {
    throw new SandboxError(422, "Invalid JSON");
  }
}
