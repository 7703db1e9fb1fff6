import type { Tx } from "@cardkeep/db/client";
import { consumeCode, takeCodeTry } from "@cardkeep/db/queries/codes";
import { timingSafeEqual } from "node:crypto";
import type { Context } from "../context.ts";
import { codeDigits, type CodeParties, type CodePolicy, hashCode } from "./policy.ts";

/** Uses a code up in the commit of what it permits; true for exactly one caller. */
export type UseCode = (tx: Tx, now: Date) => Promise<boolean>;

/**
 * Checks a code against the newest one of its subject, spending one of its tries.
 *
 * Answers how to use the code up, or null when it does not fit.
 */
export async function checkCode(
  ctx: Context,
  policy: CodePolicy,
  parties: CodeParties,
  code: string,
): Promise<UseCode | null> {
  if (code.length !== codeDigits) return null;
  const stored = await takeCodeTry(ctx.db, policy.purpose, parties.subject, await ctx.clock.now(ctx.db));
  if (!stored) return null;
  const [expected, given] = [stored.codeHash, hashCode(ctx, policy, parties, code)].map((hash) =>
    Buffer.from(hash, "hex"),
  );
  const isRight = expected !== undefined && given !== undefined && timingSafeEqual(expected, given);
  return isRight ? (tx, now) => consumeCode(tx, stored.id, now) : null;
}
