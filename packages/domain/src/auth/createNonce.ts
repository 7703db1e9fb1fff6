import { insertNonce } from "@cardkeep/db/queries/codes";
import { randomBytes } from "node:crypto";
import type { CommitContext } from "../context.ts";

/** A nonce outlives a slow wallet, not a coffee break. */
const lifetimeMs = 10 * 60_000;

/** Issues a nonce: 32 hexadecimal characters, good for one challenge within 10 minutes (EIP-4361 asks for 8 or more). */
export async function createNonce(ctx: CommitContext): Promise<string> {
  const value = randomBytes(16).toString("hex");
  await ctx.commit(({ tx, now }) => insertNonce(tx, { value, expiresAt: new Date(now.getTime() + lifetimeMs) }));
  return value;
}
