/** Long answers that a browser saves as files. */

/**
 * The rows behind so many bytes are collected as garbage at once. The engine alone waits until the heap has four times its size. It takes
 * 60 to 80 ms, in which nothing else is answered; a decision about a card may take 450.
 */
const collectAfterBytes = 16 * 1024 * 1024;

/** A file of texts, which are read as fast as the caller takes them. */
export function answerFile(
  { fileName, contentType }: { fileName: string; contentType: string },
  pieces: AsyncIterator<string>,
  onError: (error: unknown) => void,
): Response {
  const encoder = new TextEncoder();
  let uncollected = 0;
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        const { done, value } = await pieces.next();
        if (done === true) return controller.close();
        const bytes = encoder.encode(value);
        uncollected += bytes.length;
        if (uncollected >= collectAfterBytes) {
          uncollected = 0;
          Bun.gc(true);
        }
        controller.enqueue(bytes);
      } catch (error) {
        onError(error);
        // The caller reports a broken download, never a short one that looks whole.
        controller.error(error);
      }
    },
    cancel: async () => {
      await pieces.return?.();
    },
  });
  return new Response(body, {
    headers: {
      "Content-Type": contentType,
      "Content-Disposition": `attachment; filename="${fileName}"`,
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
      "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    },
  });
}

/** A table that a browser saves as `cardkeep-<name>-<date>.csv`. */
export const answerCsv = (
  { name, now }: { name: string; now: Date },
  records: AsyncIterator<string>,
  onError: (error: unknown) => void,
): Response =>
  answerFile(
    {
      fileName: `cardkeep-${name}-${now.toISOString().slice(0, 10)}.csv`,
      contentType: "text/csv; charset=utf-8; header=present",
    },
    records,
    onError,
  );
