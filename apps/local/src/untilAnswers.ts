/** Waits until a part answers. */
import { z } from "zod";

const readyMsMax = 60_000;
const readyEveryMs = 50;

const isOk = async (response: Response): Promise<boolean> => response.ok;

const readiness = z.object({ parts: z.object({ worker: z.object({ status: z.string() }) }) });
/** Whether a server's readiness says that a worker takes jobs. */
export const takesJobs = async (response: Response): Promise<boolean> =>
  readiness.parse(await response.json()).parts.worker.status === "ok";

/**
 * Asks until the answer is ready: by default until it is no error.
 * @throws Error after a minute, and once `ending` is aborted
 */
export async function untilAnswers({ ending }: { ending: AbortSignal }, url: string, isReady = isOk): Promise<void> {
  const deadline = Date.now() + readyMsMax;
  while (
    !(await fetch(url)
      .then(isReady)
      .catch(() => false))
  ) {
    ending.throwIfAborted();
    if (Date.now() > deadline) throw new Error(`${url} did not answer within ${readyMsMax / 1000} s`);
    await Bun.sleep(readyEveryMs);
  }
}
