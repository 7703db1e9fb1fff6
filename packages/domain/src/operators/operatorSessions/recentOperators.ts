import { LRUCache } from "lru-cache";
import type { OperatorActor } from "../../core/actor.ts";
import type { CommitContext } from "../../core/context.ts";
import { toCardkeepError } from "../../core/errors.ts";
import { hashSecret } from "../../core/secrets/randomSecret.ts";
import { findSignedIn } from "./sessions.ts";

/** So long after its last request an operator is known without the database. */
const knownMs = 5 * 60_000;
const knownMax = 500;

export interface RecentOperators {
  /** The operator of a secret: see `findSignedIn`. @throws CardkeepError if the database is away and the operator is not known */
  find(ctx: CommitContext, secret: string): Promise<OperatorActor | null>;
}

/**
 * Remembers who was signed in lately, for the time while the database is away: the overview then says so. A session that
 * ends is forgotten by the next request that reaches the database. Without a database nothing can be changed.
 */
export function createRecentOperators(): RecentOperators {
  const known = new LRUCache<string, OperatorActor>({ max: knownMax, ttl: knownMs });
  return {
    find: async (ctx, secret) => {
      const key = hashSecret(secret);
      try {
        const operator = await findSignedIn(ctx, secret);
        if (operator === null) known.delete(key);
        else known.set(key, operator);
        return operator;
      } catch (error) {
        const fault = toCardkeepError(error);
        const operator = fault.code === "server.unavailable" ? known.get(key) : undefined;
        if (operator === undefined) throw fault;
        return operator;
      }
    },
  };
}
