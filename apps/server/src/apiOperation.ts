/**
 * Joins contract and domain.
 *
 * - verbs: one per route of the table; a missing or wrongly typed one does not compile.
 * - operation: a route with its verb.
 * - perform: access, decode, verb, encode, the same for REST and tRPC.
 */
import { fail, type Quota } from "@cardkeep/contract/core/errors";
import { refusesDeactivated, takesIdempotencyKey } from "@cardkeep/contract/core/routeErrors";
import {
  type InputOf,
  listRoutes,
  type OutputOf,
  type Route,
  type RouteTable,
  type StoresReply,
} from "@cardkeep/contract/core/route";
import type {
  Commit,
  CommitContext,
  Context,
  PartnerContext,
  UserContext,
  WalletContext,
} from "@cardkeep/domain/core/context";
import type { WalletActor } from "@cardkeep/domain/core/actor";
import { performOnce } from "@cardkeep/domain/core/performOnce";
import { lockUserEach } from "@cardkeep/domain/core/lockUserEach";
import { z } from "zod";
import { type Caller, findBound, findTokenFault, requireActive, requireAdmitted } from "./admission.ts";
import { decodeInput } from "./decodeInput.ts";
import { compileEncoder, type Encode } from "./encoder.ts";
import { buildIdempotentRequest } from "./idempotentRequest.ts";
import { type Input, useInput } from "./useInput.ts";

interface ContextByAccess {
  public: Context;
  wallet: WalletContext;
  user: UserContext;
  partner: PartnerContext;
}

/** A verb with a stored reply returns its commit. Every other verb commits itself and returns its output. */
type VerbOf<R extends Route> =
  StoresReply<R> extends true
    ? (ctx: ContextByAccess[R["access"]], input: InputOf<R>) => Promise<Commit<OutputOf<R>>>
    : (ctx: ContextByAccess[R["access"]] & CommitContext, input: InputOf<R>) => Promise<OutputOf<R>>;

/** A verb for every route of a table. */
export type Verbs<T extends RouteTable> = {
  readonly [Noun in keyof T]: { readonly [Verb in keyof T[Noun]]: VerbOf<T[Noun][Verb]> };
};

/**
 * What an operation does after its commit and before its answer, and which fields of the answer follow. It must not fail. A
 * repeated request runs it too, so the fields show the present.
 */
export type Finishes<T extends RouteTable> = {
  readonly [Noun in keyof T]?: {
    readonly [Verb in keyof T[Noun]]?: (
      ctx: ContextByAccess[T[Noun][Verb]["access"]] & CommitContext,
      input: InputOf<T[Noun][Verb]>,
    ) => Promise<Partial<OutputOf<T[Noun][Verb]>>>;
  };
};

// The compiler checked the types where the verbs were given. From here on each pair is only called.
type AnyVerb = (ctx: CommitContext, input: unknown) => Promise<unknown>;

export interface ApiOperation {
  readonly name: string;
  readonly noun: string;
  readonly verbName: string;
  readonly route: Route;
  readonly verb: AnyVerb;
  readonly encode: Encode;
  readonly finish: AnyVerb | undefined;
}

/**
 * All operations of a table, in its order. With `isChecked` each output is checked against its schema before it is
 * sent.
 */
export function listOperations<T extends RouteTable>(
  table: T,
  verbs: Verbs<T>,
  finishes: Finishes<T>,
  isChecked: boolean,
): ApiOperation[] {
  type Untyped = Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  const [untyped, untypedFinishes] = [verbs as Untyped, finishes as Untyped];
  return listRoutes(table).map(({ name, noun, verb: verbName, route }) => {
    const verb = untyped[noun]?.[verbName] as AnyVerb | undefined;
    if (!verb) throw new Error(`No verb for ${name}`);
    const encode: Encode = isChecked ? (output) => z.encode(route.output, output) : compileEncoder(route.output);
    const finish = untypedFinishes[noun]?.[verbName] as AnyVerb | undefined;
    return { name, noun, verbName, route, verb, encode, finish };
  });
}

/**
 * Runs an operation on wire input and returns wire output. The input is read once the request has proved its token and is
 * counted, so that a stranger cannot make the server read and parse it.
 * @throws the codes of a token before request.rate_limited before users.deactivated before server.unavailable before
 * request.invalid before the verb's own errors
 */
export async function perform(operation: ApiOperation, caller: Caller, input: Input): Promise<unknown> {
  const { route, finish } = operation;
  if (route.access === "partner") return performForPartner(operation, caller, input);
  const authenticated = await caller.authenticate();
  const refusal = findTokenFault(route, authenticated);
  if (refusal !== null) {
    await countRefusal(operation, caller);
    fail(refusal);
  }
  const actor = findBound(route, authenticated);
  const counting = countRequest(operation, caller, actor);
  if (counting) await counting;
  // Before the idempotency key is read: this error must not be stored, since the user may become active again.
  await requireActive(route, caller, actor);
  const ctx = bindActor(route, caller.ctx, actor);
  const subject = actor && (actor.userId ?? actor.signerAddress);
  const admit = () => requireAdmitted(route, caller);
  return useInput(caller.ctx, { input, subject, admit }, async (rawInput) => {
    const output = await runOnce(operation, ctx, { subject, key: caller.idempotencyKey, rawInput });
    if (!finish || !route.input || !takesIdempotencyKey(route)) return output;
    const added = await finish(ctx, decodeInput(route, route.input, rawInput));
    return Object.assign({}, output, added);
  });
}

function bindActor(route: Route, ctx: CommitContext, actor: WalletActor | null): CommitContext {
  if (actor === null) return ctx;
  // What is withdrawn stands on chain anyway, and is kept.
  const { userId } = actor;
  if (userId === null || route.openToDeactivated) return { ...ctx, actor } as CommitContext;
  const bound = { ...actor, userId, mustBeActive: refusesDeactivated(route) };
  return { ...lockUserEach(ctx, bound), actor: bound } as CommitContext;
}

/** @throws the codes of a token before request.rate_limited before request.invalid before the verb's own errors */
async function performForPartner(operation: ApiOperation, caller: Caller, input: Input) {
  const { route } = operation;
  const { ctx } = caller;
  const found = await caller.authenticatePartner();
  if ("fault" in found) {
    await countRefusal(operation, caller);
    return fail(found.fault);
  }
  const { partnerId, scopes } = found;
  await ctx.rateLimits.take(quotaOf(route, ctx), `partner:${partnerId}`);
  if (scopes !== null && !scopes.some((granted) => granted === route.scope)) fail("auth.scope_missing");
  const partnerCtx: PartnerContext & CommitContext = { ...ctx, partnerId };
  const subject = `partner:${partnerId}`;
  const admit = async () => {
    const present = await caller.authenticatePartner();
    if ("fault" in present) fail(present.fault);
  };
  return useInput(ctx, { input, subject, admit }, (rawInput) =>
    runOnce(operation, partnerCtx, { subject, key: caller.idempotencyKey, rawInput }),
  );
}

/** Runs the verb and encodes its output; where replies are stored, once for each key of the subject. */
async function runOnce(
  { name, route, verb, encode }: ApiOperation,
  ctx: CommitContext,
  { subject, key, rawInput }: { subject: string | null; key: string | null; rawInput: unknown },
): Promise<unknown> {
  const run = (given: CommitContext) =>
    verb(given, route.input ? decodeInput(route, route.input, rawInput) : undefined);
  if (!takesIdempotencyKey(route)) return encode(await run(ctx));
  // `VerbOf` guarantees this for the verbs of exactly these routes.
  const begin = run as (given: Context) => Promise<Commit<unknown>>;
  const request =
    key === null || subject === null ? null : buildIdempotentRequest({ name, route }, { subject, key, rawInput });
  return request ? performOnce(ctx, request, encode, begin) : ctx.commit(await begin(ctx)).then(encode);
}

const quotaOf = ({ method }: Route, { policy: { quotas } }: CommitContext): Quota =>
  method === "GET" ? quotas.reads : quotas.writes;

/** Counts a request without a valid token against the quota of its network. */
const countRefusal = ({ name }: ApiOperation, { ctx: { rateLimits, policy }, network }: Caller): void | Promise<void> =>
  rateLimits.take(policy.quotas.open, `${name}:${network()}`);

/** Counts a request against the quota of its user or wallet. An anonymous route counts against its network. */
function countRequest(
  { name, route }: ApiOperation,
  { ctx, network }: Caller,
  actor: WalletActor | null,
): void | Promise<void> {
  const { rateLimits, policy } = ctx;
  const { quotas } = policy;
  if (route.sendsMessage) return rateLimits.take(quotas.messages, network());
  if (route.access === "public" || actor === null) return rateLimits.take(quotas.open, `${name}:${network()}`);
  // A leaked token uses up the quota of all its user's tokens, so that new ones open none, and not the user's own.
  const subject = actor.grant ? `tokens:${actor.userId}` : (actor.userId ?? actor.signerAddress);
  return rateLimits.take(quotaOf(route, ctx), subject);
}
