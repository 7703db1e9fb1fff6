/** Forwards a delivery to a receiver on the developer's machine. */
import { z } from "zod";
import type { Arrived } from "./inbox.ts";
import { sleep } from "./stopSignal.ts";

/** As long as production waits for an answer. */
const answerMsMax = 30_000;
/** A receiver that is being restarted does not answer for some seconds. */
const retriesMs = [250, 500, 1_000, 2_000, 4_000] as const;

/** Headers of a connection; the client writes its own. Everything else is signed or meant for the receiver. */
const ofConnection = ["host", "connection", "content-length", "transfer-encoding", "accept-encoding", "keep-alive"];

/** The kind of event of a delivery; null for a body that is none. */
export function findEventType({ body }: Arrived): string | null {
  try {
    return z.object({ eventType: z.string() }).safeParse(JSON.parse(body)).data?.eventType ?? null;
  } catch {
    return null;
  }
}

/** The receiver's status, or the reason for which it did not answer. */
export type Answer = { readonly status: number } | { readonly error: string };

/**
 * Sends headers and body as they arrived. It repeats a request that was not answered, and stops at `signal`.
 *
 * @param report is called before the first repetition with its reason
 */
export async function forward(
  { headers, body }: Arrived,
  { to, signal, report }: { to: string; signal: AbortSignal; report: (error: string) => void },
): Promise<Answer> {
  const kept = Object.entries(headers).filter(([name]) => !ofConnection.includes(name));
  for (const [tries, waitMs] of [...retriesMs, null].entries()) {
    const answer = await send(to, Object.fromEntries(kept), body, signal);
    if ("status" in answer || waitMs === null || signal.aborted) return answer;
    if (tries === 0) report(answer.error);
    await sleep(waitMs, signal);
  }
  throw new Error("The last try returns");
}

async function send(to: string, headers: Record<string, string>, body: string, signal: AbortSignal): Promise<Answer> {
  try {
    const response = await fetch(to, {
      method: "POST",
      headers,
      body,
      redirect: "manual",
      // A receiver that restarted has closed the connections of before.
      keepalive: false,
      signal: AbortSignal.any([signal, AbortSignal.timeout(answerMsMax)]),
    });
    await response.arrayBuffer();
    return { status: response.status };
  } catch (error) {
    return { error: describeFailure(error) };
  }
}

const describeFailure = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
};
