/**
 * Sessions of operators.
 *
 * - session: a row; its secret is in a cookie, in a file of a terminal, or with a program. - way: page, terminal or API.
 * - operator: the person, or the shared key, that a session stands for.
 *
 * Each request reads the row, so an ended session is over on every server at once.
 */
import { fail } from "@cardkeep/contract/core/errors";
import {
  endOpenSessions,
  findOpenSession,
  findSessionId,
  insertSession,
  listOpenSessions,
  type OperatorSession,
  type SessionChoice,
  type SessionEnding,
  touchSession,
} from "@cardkeep/db/queries/operators/sessions";
import type { SessionWay } from "@cardkeep/db/schema/operators/operatorSessions";
import type { OpenidGrant, ProgramGrant } from "@cardkeep/providers/openid/port";
import type { OperatorActor } from "../../core/actor.ts";
import { type CommitContext, createOperatorContext, type OperatorContext } from "../../core/context.ts";
import { generateId } from "../../core/generateId.ts";
import { generateSecret, hashSecret } from "../../core/secrets/randomSecret.ts";
import { refreshWhenDue } from "./refreshSession.ts";
import type { Services } from "../../core/services.ts";
import { listOperatorRoles } from "./listOperatorRoles.ts";

/** What a sign-in proved. */
export type Proof =
  | { readonly kind: "oidc"; readonly grant: OpenidGrant }
  /** A program showed an access token, which ends after so long. */
  | { readonly kind: "program"; readonly grant: ProgramGrant }
  /** The name of the shared key: see `nameSecret`. */
  | { readonly kind: "key"; readonly keyName: string };

const seenEveryMs = 60_000;
/** More are not listed. Each ends by itself within `OPERATOR_SESSION_MINUTES`. */
const listedMax = 500;

const describeProof = async (ctx: CommitContext, id: string, proof: Proof, now: Date) => {
  if (proof.kind === "key") return { issuer: null, subject: proof.keyName, name: "shared key", groups: [] };
  if (proof.kind === "program") return proof.grant.identity;
  const { identity, refreshToken } = proof.grant;
  const refreshAt = new Date(now.getTime() + ctx.policy.operators.refreshMs);
  return {
    ...identity,
    ...(refreshToken !== null && { sealedRefreshToken: await ctx.secrets.seal(id, refreshToken), refreshAt }),
  };
};

/** A new session with its secret, which is shown once. */
export interface BegunSession {
  readonly id: string;
  readonly secret: string;
  readonly actor: OperatorActor;
  readonly endsAt: Date;
}

/**
 * Begins a session, records it as an action of its operator, and answers its secret, which is always a new one. The session
 * of `replaced`, the secret that the browser had before, ends.
 */
export async function beginSession(
  ctx: CommitContext,
  { way, proof, replaced }: { way: SessionWay; proof: Proof; replaced: string | null },
): Promise<BegunSession> {
  const [id, secret] = [generateId(), generateSecret()];
  const described = await describeProof(ctx, id, proof, await ctx.clock.now(ctx.db));
  const shown: OperatorSession["proof"] = proof.kind === "key" ? "key" : "oidc";
  const actor = describeOperator(ctx, { way, proof: shown, ...described });
  const lifeMs = Math.min(
    ctx.policy.operators.sessionMs,
    proof.kind === "program" ? proof.grant.expiresInSeconds * 1000 : Number.POSITIVE_INFINITY,
  );
  const operator = createOperatorContext(ctx, { log: ctx.log, requestId: ctx.requestId, actor, reason: null });
  const until = await operator.act("operators.sign-in", async ({ tx, now }) => {
    if (replaced !== null)
      await endOpenSessions(tx, { choice: { secretHash: hashSecret(replaced) }, ending: "replaced", now });
    const endsAt = new Date(now.getTime() + lifeMs);
    const row = { id, secretHash: hashSecret(secret), way, proof: shown, startedAt: now, seenAt: now, endsAt };
    await insertSession(tx, { ...described, ...row });
    return { output: endsAt, subject: { kind: "session", id }, before: null, after: { roles: actor.roles } };
  });
  return { id, secret, actor, endsAt: until };
}

/** The operator of a secret; null if there is no such session, it has ended, or its key or provider is no longer set. */
export async function findSignedIn(ctx: CommitContext, secret: string): Promise<OperatorActor | null> {
  const now = await ctx.clock.now(ctx.db);
  const session = await findOpenSession(ctx.db, hashSecret(secret), now);
  if (session === null || !isStillSet(ctx, session)) return null;
  await touchSession(ctx.db, { id: session.id, now, before: new Date(now.getTime() - seenEveryMs) });
  const present = await refreshWhenDue(ctx, session, now);
  return present && describeOperator(ctx, present);
}

/** The last session of a browser, open or ended; null for a secret that began none. */
export const findBrowserSession = ({ db }: Pick<Services, "db">, secret: string): Promise<string | null> =>
  findSessionId(db, hashSecret(secret));

function isStillSet({ policy: { operatorKeyNames }, openid }: CommitContext, session: OperatorSession): boolean {
  if (session.proof === "key") return operatorKeyNames.includes(session.subject);
  return openid?.issuer === session.issuer;
}

type Identified = Pick<OperatorSession, "way" | "proof" | "issuer" | "subject" | "name"> & {
  readonly groups: readonly string[];
};

/**
 * The operator of a session, with the roles that the settings give now. The shared key may do everything. A program is no person,
 * so it counts for no approval: its owner could be the one who asks.
 */
export function describeOperator({ policy }: Pick<Services, "policy">, session: Identified): OperatorActor {
  const { way: via, proof, issuer, subject, name, groups } = session;
  return proof === "key"
    ? { kind: "operator", id: "key", name, via, proof, roles: ["admin"] }
    : {
        kind: "operator",
        id: `${issuer}#${subject}`,
        name,
        via,
        proof: via === "api" ? "machine" : proof,
        roles: listOperatorRoles(policy.operators, groups),
      };
}

/** Ends sessions at once on every server. Answers those that were open. */
export async function endSessions(
  ctx: CommitContext,
  choice: SessionChoice,
  ending: SessionEnding,
): Promise<OperatorSession[]> {
  return ctx.commit(async ({ tx, now }) => endOpenSessions(tx, { choice, ending, now }));
}

/** Ends one session by its id, as an act of the operator. @throws request.not_found if it is unknown or has ended */
export async function endSession(ctx: OperatorContext, id: string): Promise<void> {
  await ctx.act("operators.end", async ({ tx, now }) => {
    const [ended] = await endOpenSessions(tx, { choice: { id }, ending: "ended", now });
    if (!ended) return fail("request.not_found", { text: `No open session has the id ${id}` });
    const before = { operator: describeOperator(ctx, ended).id };
    return { output: null, subject: { kind: "session", id }, before, after: null };
  });
}

/** An open session, as operators see it. */
export interface SessionDetails extends Pick<
  OperatorSession,
  "id" | "mail" | "groups" | "startedAt" | "seenAt" | "endsAt"
> {
  readonly actor: OperatorActor;
}

/** Open sessions, newest first. */
export async function listSessions(ctx: Pick<Services, "db" | "clock" | "policy">): Promise<SessionDetails[]> {
  const rows = await listOpenSessions(ctx.db, await ctx.clock.now(ctx.db), listedMax);
  return rows.map((row) => {
    const { id, mail, groups, startedAt, seenAt, endsAt } = row;
    return { id, actor: describeOperator(ctx, row), mail, groups, startedAt, seenAt, endsAt };
  });
}
