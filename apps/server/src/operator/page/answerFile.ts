/** Long answers that a browser saves as files. */

/** A file of texts, which are read as fast as the caller takes them. */
export function answerFile(
  { fileName, contentType }: { fileName: string; contentType: string },
  pieces: AsyncIterator<string>,
  onError: (error: unknown) => void,
): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        const { done, value } = await pieces.next();
        if (done === true) controller.close();
        else controller.enqueue(encoder.encode(value));
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
