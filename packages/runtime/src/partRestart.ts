/**
 * How the sandbox has its supervisor restart a part of `bun start`: by messages between child and parent.
 *
 * - request: `{id, restart: "worker" | "postgres"}`.
 * - answer: `{id, refusal}`; `refusal` is null once the part was started again.
 */
import type { ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { z } from "zod";

const request = z.object({ id: z.string(), restart: z.enum(["worker", "postgres"]) });
const answer = z.object({ id: z.string(), refusal: z.string().nullable() });

export type RestartablePart = z.output<typeof request>["restart"];

/** Has the supervisor restart a part. Returns null once it was started again, or the reason why not. */
export async function requestRestart(restart: RestartablePart): Promise<string | null> {
  if (process.send === undefined) return `Only the sandbox of \`bun start\` can restart the ${restart}`;
  const id = randomUUID();
  return new Promise((resolve) => {
    const listen = (message: unknown) => {
      const parsed = answer.safeParse(message);
      if (parsed.data?.id !== id) return;
      process.off("message", listen);
      resolve(parsed.data.refusal);
    };
    process.on("message", listen);
    process.send?.({ id, restart });
  });
}

/** Answers the requests of a child. `restart` returns null once the part was started again, or the reason why not. */
export function answerRestarts(child: ChildProcess, restart: (part: RestartablePart) => Promise<string | null>): void {
  child.on("message", (message: unknown) => {
    const parsed = request.safeParse(message);
    if (!parsed.success) return;
    const { id } = parsed.data;
    const answerWith = (refusal: string | null) => child.connected && child.send({ id, refusal });
    void restart(parsed.data.restart).then(answerWith, (error: unknown) => answerWith(String(error)));
  });
}
