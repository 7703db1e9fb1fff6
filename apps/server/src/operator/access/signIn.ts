/** Routes of the operators' sign-in. */
import type { CardkeepError } from "@cardkeep/contract/core/errors";
import type { OperatorActor } from "@cardkeep/domain/core/actor";
import { createContext, type CommitContext } from "@cardkeep/domain/core/context";
import { toCardkeepError } from "@cardkeep/domain/core/errors";
import { logOut } from "@cardkeep/domain/operators/operatorSessions/logOut";
import { createRecentOperators } from "@cardkeep/domain/operators/operatorSessions/recentOperators";
import { publicUrlOf } from "@cardkeep/domain/core/publicUrl";
import { hashSecret } from "@cardkeep/domain/core/secrets/randomSecret";
import { endSessions, findBrowserSession } from "@cardkeep/domain/operators/operatorSessions/sessions";
import {
  finishSignIn,
  SignInFailed,
  signInWithKey,
  startSignIn,
} from "@cardkeep/domain/operators/operatorSessions/signIn";
import { describeSignInFault } from "@cardkeep/domain/operators/operatorSessions/signInWords";
import type { Runtime } from "@cardkeep/runtime/compose";
import { createKeyCheck } from "@cardkeep/runtime/keyCheck";
import { nameSecret } from "@cardkeep/runtime/settingKeys";
import type { Elysia } from "elysia";
import { readBody } from "../../body.ts";
import { identify, requestIdOf } from "../../caller.ts";
import { withDeadline } from "../../deadline.ts";
import { logError } from "../../observe.ts";
import { waitHeaders } from "../../reply.ts";
import { urlOf } from "../../url.ts";
import { goOn, showPage } from "../page/answers.ts";
import { createCookies } from "./session.ts";
import { renderSignIn, type SignInChoices, signInStatuses } from "./signInPage.ts";

/** Wrong keys are limited per network, on all servers together. */
const keyQuota = { name: "operator-sign-in", count: 10, withinSeconds: 60 };
/** Several operators may share a network. Who comes back from the provider has another quota than who begins. */
const startQuota = { name: "operator-openid", count: 60, withinSeconds: 60 };
const finishQuota = { name: "operator-openid-answer", count: 60, withinSeconds: 60 };
/** The provider sends one per session. */
const logOutQuota = { name: "operator-log-out", count: 600, withinSeconds: 60 };

/** The page that was requested before the sign-in; never an address elsewhere. */
const readNext = (query: URLSearchParams): string =>
  /^\/operator(\/[\w-]+)*$/.exec(query.get("next") ?? "")?.[0] ?? "/operator";

function describeFault({ status, message }: CardkeepError): string {
  if (status === 429) return `${message}: wait a minute.`;
  return status === 503
    ? "The service cannot read who is signed in. Try again in a minute. With the operator key, /readyz names the cause."
    : message;
}

export interface SignIn {
  /** The operator of a request, or the answer that asks for a sign-in. */
  find(request: Request): Promise<OperatorActor | Response>;
  /** The page that asks for a sign-in. */
  ask(refusal: string, status: number): Response;
  showPage(request: Request): Promise<Response>;
  start(request: Request): Promise<Response>;
  finish(request: Request): Promise<Response>;
  signInWithKey(request: Request): Promise<Response>;
  signOut(request: Request): Promise<Response>;
  logOut(request: Request): Promise<Response>;
}

/** The sign-in of one server. */
export function createSignIn(app: Elysia, runtime: Runtime): SignIn {
  const operators = createRecentOperators();
  const cookies = createCookies(runtime.settings.publicUrl);
  const contextOf = (request: Request): CommitContext => {
    const requestId = requestIdOf(request);
    return createContext(runtime.services, { log: runtime.log.child({ requestId }), requestId });
  };
  const networkOf = (request: Request): string => identify(app, runtime, request, requestIdOf(request)).network();
  /** Where an operator signed in before has quotas of its own, so that a neighbour in the network cannot use them up (OWASP: device cookies). */
  const quotaOwnerOf = async (request: Request): Promise<string> => {
    const secret = cookies.findKnown(request);
    const sessionId = secret === null ? null : await findBrowserSession(contextOf(request), secret);
    return sessionId === null ? networkOf(request) : `browser:${sessionId}`;
  };
  const hostOf = (): string => new URL(runtime.settings.openid?.issuer ?? runtime.settings.publicUrl).host;
  const choicesOf = (next: string): SignInChoices => ({
    provider:
      runtime.settings.openid === null
        ? null
        : { host: hostOf(), startUrl: publicUrlOf(runtime.settings.publicUrl, "/operator/sign-in/start") },
    hasKey: runtime.settings.operatorApiKeys.length > 0,
    next,
  });
  const ask = (next: string, refusal: string | null, status: number, headers: Record<string, string> = {}): Response =>
    showPage(renderSignIn(choicesOf(next), refusal), status, headers);
  const answerFault = (request: Request, error: unknown, next = "/operator"): Response => {
    if (error instanceof SignInFailed) {
      const sentence = describeSignInFault(error.fault, hostOf());
      return ask(next, sentence, signInStatuses[error.fault], { "Set-Cookie": cookies.endSignIn() });
    }
    const fault = toCardkeepError(error);
    logError(runtime, fault, { requestId: requestIdOf(request), operation: "operator" });
    return ask(next, describeFault(fault), fault.status, waitHeaders(fault));
  };
  /** The name of a shared key that a person typed; null for any other text. */
  const findKeyName = (given: string): string | null => {
    const used: string[] = [];
    createKeyCheck(runtime.settings.operatorApiKeys, (key) => {
      runtime.keyUses.record("OPERATOR_API_KEY", key);
      used.push(nameSecret("OPERATOR_API_KEY", key));
    })(given);
    return used[0] ?? null;
  };
  return {
    find: async (request) => {
      const secret = cookies.findSession(request);
      const { pathname } = urlOf(request);
      const next = request.method === "GET" ? pathname : "/operator";
      try {
        const found = secret === null ? null : await withDeadline(() => operators.find(contextOf(request), secret));
        if (found === null) return ask(next, null, 401);
        return found.roles.length > 0 ? found : answerFault(request, new SignInFailed("roleless"));
      } catch (error) {
        return answerFault(request, error, next);
      }
    },
    ask: (refusal, status) => ask("/operator", refusal, status),
    showPage: async (request) => ask(readNext(urlOf(request).searchParams), null, 200),
    start: async (request) => {
      const next = readNext(urlOf(request).searchParams);
      // An image or a frame of any page could use up the quota of a network otherwise.
      if ((request.headers.get("sec-fetch-dest") ?? "document") !== "document")
        return ask(next, "Sign in from a page of its own.", 403);
      try {
        await runtime.services.rateLimits.take(startQuota, await quotaOwnerOf(request));
        const { url, browserSecret } = await withDeadline(() => startSignIn(contextOf(request), next));
        return goOn(url, { "Set-Cookie": cookies.beginSignIn(browserSecret) });
      } catch (error) {
        return answerFault(request, error, next);
      }
    },
    finish: async (request) => {
      try {
        await runtime.services.rateLimits.take(finishQuota, await quotaOwnerOf(request));
        const { secret, next } = await withDeadline(() =>
          finishSignIn(contextOf(request), {
            query: urlOf(request).search,
            browserSecret: cookies.findSignIn(request),
            replaced: cookies.findSession(request),
          }),
        );
        const answer = goOn(next, { "Set-Cookie": cookies.endSignIn() });
        const begun = cookies.beginSession(secret, runtime.services.policy.operators.sessionMs);
        for (const line of [cookies.keepKnown(secret), begun]) answer.headers.append("Set-Cookie", line);
        return answer;
      } catch (error) {
        return answerFault(request, error);
      }
    },
    signInWithKey: async (request) => {
      const network = networkOf(request);
      const form = new URLSearchParams(await readBody(request));
      const next = readNext(form);
      try {
        await runtime.services.rateLimits.take(keyQuota, await quotaOwnerOf(request));
        const keyName = findKeyName(form.get("key") ?? "");
        if (keyName === null) {
          runtime.log.warn({ requestId: requestIdOf(request), network }, "a wrong operator key");
          return ask(next, "This is not the operator's key.", 401);
        }
        const replaced = cookies.findSession(request);
        const secret = await signInWithKey(contextOf(request), { keyName, replaced, network });
        const begun = cookies.beginSession(secret, runtime.services.policy.operators.sessionMs);
        const answer = goOn(next, { "Set-Cookie": begun });
        answer.headers.append("Set-Cookie", cookies.keepKnown(secret));
        return answer;
      } catch (error) {
        return answerFault(request, error, next);
      }
    },
    signOut: async (request) => {
      const secret = cookies.findSession(request);
      if (secret !== null) await endSessions(contextOf(request), { secretHash: hashSecret(secret) }, "signed-out");
      return goOn("/operator", { "Set-Cookie": cookies.endSession() });
    },
    logOut: async (request) => {
      const headers = { "Cache-Control": "no-store" };
      try {
        await runtime.services.rateLimits.take(logOutQuota, networkOf(request));
        const token = new URLSearchParams(await readBody(request)).get("logout_token") ?? "";
        const ended = await logOut(contextOf(request), token);
        return ended === null
          ? Response.json({ error: "invalid_request" }, { status: 400, headers })
          : new Response(null, { status: 204, headers });
      } catch (error) {
        const fault = toCardkeepError(error);
        logError(runtime, fault, { requestId: requestIdOf(request), operation: "operator" });
        return Response.json(
          { error: "temporarily_unavailable" },
          { status: fault.status, headers: { ...headers, ...waitHeaders(fault) } },
        );
      }
    },
  };
}
