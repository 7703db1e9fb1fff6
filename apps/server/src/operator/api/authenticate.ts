/** Who calls the operator's API: the bearer of the shared key, or of a session's secret. A cookie opens nothing here. */
import { fail } from "@cardkeep/contract/core/errors";
import type { OperatorActor } from "@cardkeep/domain/core/actor";
import { createContext } from "@cardkeep/domain/core/context";
import { describeOperator, findSignedIn } from "@cardkeep/domain/operators/operatorSessions/sessions";
import type { Runtime } from "@cardkeep/runtime/compose";
import { createKeyCheck } from "@cardkeep/runtime/keyCheck";
import { nameSecret } from "@cardkeep/runtime/settingKeys";
import type { Elysia } from "elysia";
import { identify, requestIdOf } from "../../caller.ts";

/** Wrong tokens are limited per network, calls per operator; on all servers together. */
const guessQuota = { name: "operator-api-token", count: 10, withinSeconds: 60 };
export const callQuota = { name: "operator-api", count: 600, withinSeconds: 60 };

/** The bearer token of a request. @throws auth.token_missing */
export function findBearer(request: Request): string {
  const [, token] = /^Bearer (\S{1,4096})$/i.exec(request.headers.get("authorization") ?? "") ?? [];
  return token ?? fail("auth.token_missing");
}

/** The operator of a request. The action log says that the act came in by the API. @throws auth.token_missing, auth.token_invalid, request.rate_limited */
export async function authenticateOperator(app: Elysia, runtime: Runtime, request: Request): Promise<OperatorActor> {
  const { services, settings, log, keyUses } = runtime;
  const requestId = requestIdOf(request);
  const token = findBearer(request);
  const names: string[] = [];
  createKeyCheck(settings.operatorApiKeys, (key) => {
    keyUses.record("OPERATOR_API_KEY", key);
    names.push(nameSecret("OPERATOR_API_KEY", key));
  })(token);
  const [keyName] = names;
  const key = { way: "page", proof: "key", issuer: null, name: "shared key", groups: [] } as const;
  const actor =
    keyName === undefined
      ? await findSignedIn(createContext(services, { log, requestId }), token)
      : describeOperator(services, { ...key, subject: keyName });
  if (actor === null) {
    await services.rateLimits.take(guessQuota, identify(app, runtime, request, requestId).network());
    return fail("auth.token_invalid");
  }
  await services.rateLimits.take(callQuota, actor.id);
  return { ...actor, via: "api" };
}
