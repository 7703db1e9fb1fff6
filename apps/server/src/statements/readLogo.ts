/** The programme's logo for pages: a PNG or a JPEG at the address of the settings. */
import { inflateSync } from "node:zlib";

const timeoutMs = 2_000;
const bytesMax = 1024 * 1024;
/** After so long it is read again: another picture, or an address that did not answer. */
const keptMs = 10 * 60_000;

/** Most bytes of a PNG's points. */
const pointBytesMax = 16 * 1024 * 1024;
const pngStart = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const jpegStart = Buffer.from([0xff, 0xd8, 0xff]);
/** Length and type stand before the data of a chunk, and a checksum behind it. */
const [headBytes, chunkBytes] = [8, 12];

/** Whether the points of a PNG can be read. The library of the pages reads them later, where an error would end the process. */
function isSoundPng(bytes: Buffer): boolean {
  const points: Buffer[] = [];
  for (let at = pngStart.length; at + headBytes <= bytes.length;) {
    const length = bytes.readUInt32BE(at);
    const data = at + headBytes;
    if (bytes.toString("latin1", at + 4, data) === "IDAT") points.push(bytes.subarray(data, data + length));
    at += chunkBytes + length;
  }
  try {
    return inflateSync(Buffer.concat(points), { maxOutputLength: pointBytesMax }).length > 0;
  } catch {
    return false;
  }
}

/** Whether bytes are a JPEG, or a PNG whose points can be read. */
export const isPicture = (bytes: Buffer): boolean =>
  bytes.subarray(0, jpegStart.length).equals(jpegStart) ||
  (bytes.subarray(0, pngStart.length).equals(pngStart) && isSoundPng(bytes));

async function download(url: string): Promise<Buffer | null> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
  if (!answer.ok || answer.body === null || Number(answer.headers.get("content-length") ?? 0) > bytesMax) return null;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body) {
    size += chunk.byteLength;
    if (size > bytesMax) return null;
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  return isPicture(bytes) ? bytes : null;
}

/** Reads logos, and keeps the last one. A logo that cannot be read is none: the name stands alone. */
export function createLogoReader(): (url: string | null, onError: (error: unknown) => void) => Promise<Buffer | null> {
  let known: { url: string; atMs: number; picture: Promise<Buffer | null> } | null = null;
  return async (url, onError) => {
    if (url === null) return null;
    if (known?.url !== url || performance.now() - known.atMs > keptMs)
      known = {
        url,
        atMs: performance.now(),
        picture: download(url).catch((error: unknown) => {
          onError(error);
          return null;
        }),
      };
    return known.picture;
  };
}
