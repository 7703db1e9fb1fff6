/** The programme's logo for pages: a PNG or a JPEG at the address of the settings. */
const timeoutMs = 2_000;
const bytesMax = 1024 * 1024;
/** After so long it is read again: another picture, or an address that did not answer. */
const keptMs = 10 * 60_000;

const isPicture = (bytes: Buffer): boolean =>
  bytes.subarray(0, 4).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47])) ||
  bytes.subarray(0, 2).equals(Buffer.from([0xff, 0xd8]));

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
