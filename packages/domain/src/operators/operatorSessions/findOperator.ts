import { listOpenSessionsOf } from "@cardkeep/db/queries/operators/sessions";
import type { OperatorActor } from "../../core/actor.ts";
import { createContext, type OperatorContext } from "../../core/context.ts";
import { refreshWhenDue } from "./refreshSession.ts";
import { describeOperator } from "./sessions.ts";

/**
 * A person by the operator's id, as the OpenID provider and the settings know it now; null without an open session. A provider
 * that ends a person's access ends the sessions, at their next refresh at the latest.
 */
export async function findOperator(ctx: OperatorContext, operatorId: string): Promise<OperatorActor | null> {
  const { db, clock, log, requestId } = ctx;
  // An issuer is an address without a fragment; a subject may be any text.
  const hash = operatorId.indexOf("#");
  const [issuer, subject] = [operatorId.slice(0, hash), operatorId.slice(hash + 1)];
  if (hash === -1 || ctx.openid?.issuer !== issuer) return null;
  const now = await clock.now(db);
  // Read anew for each: where one is refused, the others are due, and that one is open no more.
  for (;;) {
    const [session] = await listOpenSessionsOf(db, { issuer, subject }, now);
    if (session === undefined) return null;
    const present = await refreshWhenDue(createContext(ctx, { log, requestId }), session, now);
    if (present !== null) return describeOperator(ctx, present);
  }
}
