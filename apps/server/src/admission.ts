/**
 * Who may call a route.
 *
 * - admitted: with the token that the route needs, of a user who is not deactivated where that counts.
 */
import type { TokenError } from "@cardkeep/contract/core/errorCatalogue";
import { fail } from "@cardkeep/contract/core/errors";
import type { Route } from "@cardkeep/contract/core/route";
import { refusesDeactivated } from "@cardkeep/contract/core/routeErrors";
import type { PartnerScope } from "@cardkeep/contract/core/scopes";
import type { WalletActor } from "@cardkeep/domain/core/actor";
import type { CommitContext } from "@cardkeep/domain/core/context";
import { requireActiveUser } from "@cardkeep/domain/users/users/setUserStatus";

/**
 * A caller: how to find the user of the access token, or what is wrong with it, and the request's `Idempotency-Key`. What was
 * found a moment ago is not looked up again.
 */
export interface Caller {
  readonly ctx: CommitContext;
  authenticate(): Promise<WalletActor | TokenError>;
  /** The partner whose API key was sent in place of an access token. */
  authenticatePartner(): Promise<{ partnerId: string; scopes: readonly PartnerScope[] | null } | { fault: TokenError }>;
  /** The network that the request came from. */
  network(): string;
  readonly idempotencyKey: string | null;
}

/** Refuses a caller who has no right to a route, or none any more. @throws the codes of a token, users.deactivated */
export async function requireAdmitted(route: Route, caller: Caller): Promise<void> {
  const authenticated = await caller.authenticate();
  const refusal = findTokenFault(route, authenticated);
  if (refusal !== null) fail(refusal);
  await requireActive(route, caller, findBound(route, authenticated));
}

/** Refuses a deactivated user where the route does. @throws users.deactivated */
export async function requireActive(route: Route, { ctx }: Caller, actor: WalletActor | null): Promise<void> {
  if (refusesDeactivated(route) && actor?.userId != null) await requireActiveUser(ctx, actor.userId);
}

/** Whether a caller has the token that a route needs. */
export async function isAdmitted(caller: Caller, route: Route): Promise<boolean> {
  const { access } = route;
  if (access === "public") return true;
  if (access === "partner") return !("fault" in (await caller.authenticatePartner()));
  return findTokenFault(route, await caller.authenticate()) === null;
}

/**
 * Why a wallet's token does not open a route; null if it does. Anybody gets a token for a new wallet, so that opens little. A
 * user's token for programs opens the reading routes of its scopes, and no other.
 */
export function findTokenFault(
  { access, method, scope, takesToken }: Route,
  authenticated: WalletActor | TokenError,
): TokenError | "auth.scope_missing" | null {
  // On a public route a token may be absent, but not wrong.
  if (access === "public") return takesToken && isWrongToken(authenticated) ? authenticated : null;
  if (typeof authenticated === "string") return authenticated;
  const { grant } = authenticated;
  if (grant && !(method === "GET" && grant.scopes.some((granted) => granted === scope))) return "auth.scope_missing";
  return access === "user" && authenticated.userId === null ? "auth.sign_up_required" : null;
}

const isWrongToken = (authenticated: WalletActor | TokenError): authenticated is TokenError =>
  typeof authenticated === "string" && authenticated !== "auth.token_missing";

/** In whose name an operation runs. A token for programs counts as no token on a public route. */
export const findBound = ({ access }: Route, authenticated: WalletActor | TokenError): WalletActor | null =>
  typeof authenticated === "string" || (access === "public" && authenticated.grant) ? null : authenticated;
