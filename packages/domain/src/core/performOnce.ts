/**
 * The same request again is answered, not carried out again.
 *
 * - key: the client's own name of a request; it means something for one user, method and path.
 * - reply: what the first request was answered; a success is stored in the commit of its effect, a refusal after it.
 */
import { type ErrorCode, errors } from "@cardkeep/contract/core/errorCatalogue";
import { CardkeepError, fail } from "@cardkeep/contract/core/errors";
import { lockKey, findStoredReply, insertReply, type StoredReply } from "@cardkeep/db/queries/core/idempotency";
import type { Commit, CommitContext, Context, RequestKey } from "./context.ts";

export interface IdempotentRequest {
  scope: string;
  key: string;
  /** Digest of the input; the same key with another one is a mistake of the client. */
  bodyHash: string;
  /** With the fields in the order in which they were sent. Earlier versions stored this one. */
  formerBodyHash?: string;
}

/** Replies are found by an index, which holds no long key. */
const keyLengthMax = 255;

/** @throws idempotency.invalid_key */
export function requireKey(key: string): void {
  if (key === "" || key.length > keyLengthMax) fail("idempotency.invalid_key");
}

/** Thrown out of a commit that another request with the key was faster than, to roll it back. */
class AlreadyAnswered extends Error {
  constructor(readonly reply: StoredReply) {
    super("Another request with this key was answered first");
  }
}

const successStatus = 200;
/** Errors that carry a secret which serves once, or a state that ends without the request. */
const momentary: readonly ErrorCode[] = [
  "cards.in_progress",
  "ibans.profile_exists",
  "ibans.integration_exists",
  "users.deactivated",
];

/** Faults that say nothing about the request itself: the next try may fare better. */
const isPassing = ({ status, code }: CardkeepError): boolean =>
  status === 401 || status === 429 || status >= 500 || momentary.includes(code);

/**
 * Runs `begin` and its commit once per key, and answers the first output to every further request with it.
 *
 * `encode` turns an output into the wire form that is stored.
 *
 * @throws idempotency.mismatch for another body, idempotency.in_flight while the first one is being carried out
 */
export async function performOnce(
  ctx: CommitContext,
  request: IdempotentRequest,
  encode: (output: unknown) => unknown,
  begin: (ctx: Context) => Promise<Commit<unknown>>,
): Promise<unknown> {
  const known = await findStoredReply(ctx.db, request.scope, request.key);
  if (known) return replay(known, request);
  try {
    const write = await begin({ ...ctx, requestKey: buildRequestKey(request) });
    return await ctx.commit(async (work) => {
      if (!(await lockKey(work.tx, request.scope, request.key))) fail("idempotency.in_flight");
      const first = await findStoredReply(work.tx, request.scope, request.key);
      if (first) throw new AlreadyAnswered(first);
      const output = encode(await write(work));
      await insertReply(work.tx, { ...request, status: successStatus, reply: { output }, createdAt: work.now });
      return output;
    });
  } catch (error) {
    if (error instanceof AlreadyAnswered) return replay(error.reply, request);
    if (!(error instanceof CardkeepError) || isPassing(error)) throw error;
    const first = await storeRefusal(ctx, request, error);
    if (first) return replay(first, request);
    throw error;
  }
}

/**
 * Stores a refusal behind the same lock as a success; answers the reply that was stored before it, if one was. A concurrent
 * request with the key may have succeeded, and its effect may be the reason of this refusal.
 *
 * @throws idempotency.in_flight while that one is being carried out: its own reply is going to be the key's
 */
async function storeRefusal(
  ctx: CommitContext,
  request: IdempotentRequest,
  { code, message: text, details, status }: CardkeepError,
): Promise<StoredReply | null> {
  if (code === "idempotency.in_flight") return findStoredReply(ctx.db, request.scope, request.key);
  return ctx.commit(async ({ tx, now }) => {
    if (!(await lockKey(tx, request.scope, request.key))) fail("idempotency.in_flight");
    const first = await findStoredReply(tx, request.scope, request.key);
    const reply = { fault: { code, text, details } };
    if (!first) await insertReply(tx, { ...request, status, reply, createdAt: now });
    return first;
  });
}

const buildRequestKey = ({ scope, key, bodyHash }: IdempotentRequest): RequestKey =>
  `request:${new Bun.CryptoHasher("sha256").update(JSON.stringify([scope, key, bodyHash])).digest("hex")}`;

function replay(stored: StoredReply, request: IdempotentRequest): unknown {
  if (stored.bodyHash !== request.bodyHash && stored.bodyHash !== request.formerBodyHash) fail("idempotency.mismatch");
  // Only this module writes replies.
  const reply = stored.reply as
    | { output: unknown }
    | { fault: { code: ErrorCode; text: string; details?: Record<string, unknown> } };
  if ("output" in reply) return reply.output;
  const { code, text, details } = reply.fault;
  return fail(code in errors ? code : "server.internal", { text, ...(details && { details }) });
}
