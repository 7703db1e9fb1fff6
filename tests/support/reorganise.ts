import type { RunningService } from "./service.ts";

/** Replaces the newest blocks by empty ones; their transactions are in no mempool either. */
export async function reorganise({ sandboxUrl }: Pick<RunningService, "sandboxUrl">, blocks: number): Promise<void> {
  const answer = await fetch(`${sandboxUrl}/faults/chain.reorg`, { method: "PUT", body: JSON.stringify({ blocks }) });
  if (!answer.ok) throw new Error(await answer.text());
}
