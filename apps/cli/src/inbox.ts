/** The inbox of the seeded partner `sandbox`, read from the sandbox. */
import { z } from "zod";
import { callSandbox } from "./sandbox.ts";

const attempt = z.object({
  sequence: z.int(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
  receivedAt: z.coerce.date(),
});
export type Arrived = z.output<typeof attempt>;

const path = "/inbox/sandbox";

/** Deliveries behind a sequence, oldest first. @throws CommandError */
export const listArrived = (sandbox: string, after: number, signal: AbortSignal): Promise<Arrived[]> =>
  callSandbox({ sandbox, path: `${path}?after=${after}`, signal }, z.array(attempt));

/** The sequence of the newest delivery; 0 before there is one. @throws CommandError */
export async function findLastSequence(sandbox: string, signal: AbortSignal): Promise<number> {
  const newest = await callSandbox({ sandbox, path: `${path}?limit=1`, signal }, z.array(attempt));
  return newest.at(-1)?.sequence ?? 0;
}
