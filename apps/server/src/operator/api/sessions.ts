/** Sessions of the operator's API: how people and programs get the token that opens it, and how they end it. */
import type { ErrorCode } from "@cardkeep/contract/core/errorCatalogue";
import { CardkeepError, fail } from "@cardkeep/contract/core/errors";
import { createContext } from "@cardkeep/domain/core/context";
import { hashSecret } from "@cardkeep/domain/core/secrets/randomSecret";
import { type BegunSession, endSessions } from "@cardkeep/domain/operators/operatorSessions/sessions";
import { SignInFailed, type SignInFault } from "@cardkeep/domain/operators/operatorSessions/signIn";
import {
  finishDeviceSignIn,
  signInProgram,
  startDeviceSignIn,
} from "@cardkeep/domain/operators/operatorSessions/signInByApi";
import { describeSignInFault } from "@cardkeep/domain/operators/operatorSessions/signInWords";
import type { Runtime } from "@cardkeep/runtime/compose";
import type { Elysia } from "elysia";
import { z } from "zod";
import { readJson } from "../../body.ts";
import { identify, requestIdOf } from "../../caller.ts";
import { withDeadline } from "../../deadline.ts";
import { answerFault, answerJson, base } from "./answers.ts";
import { authenticateOperator, findBearer } from "./authenticate.ts";

/** Each may ask the provider, so networks are limited; a device asks about once a second. */
const quota = { name: "operator-api-session", count: 120, withinSeconds: 60 };

const credentials = z.union([
  z.strictObject({ accessToken: z.string().min(1).max(16_384) }),
  z.strictObject({ device: z.string().min(1).max(4_096) }),
]);

const codes: Readonly<Partial<Record<SignInFault, ErrorCode>>> = {
  off: "request.not_found",
  unavailable: "server.unavailable",
  misconfigured: "server.unavailable",
  roleless: "operators.forbidden",
};

interface SessionAnswer {
  readonly status: number;
  readonly data: unknown;
}

const show = ({ id, secret, actor, endsAt }: BegunSession): SessionAnswer => ({
  status: 200,
  data: { id, token: secret, name: actor.name, roles: actor.roles, endsAt },
});

/** Mounts `/operator/api/sessions`. */
export function mountSessions(app: Elysia, runtime: Runtime): void {
  const run = async (
    request: Request,
    answer: (ctx: ReturnType<typeof createContext>) => Promise<SessionAnswer>,
  ): Promise<SessionAnswer> => {
    // Read for each request: secrets may change.
    const { services, settings, log } = runtime;
    const requestId = requestIdOf(request);
    await services.rateLimits.take(quota, identify(app, runtime, request, requestId).network());
    try {
      return await answer(createContext(services, { log, requestId }));
    } catch (error) {
      if (!(error instanceof SignInFailed)) throw error;
      const host = new URL(settings.openid?.issuer ?? settings.publicUrl).host;
      throw new CardkeepError(codes[error.fault] ?? "auth.token_invalid", {
        text: describeSignInFault(error.fault, host),
      });
    }
  };
  const handle =
    (answer: (ctx: ReturnType<typeof createContext>, request: Request) => Promise<SessionAnswer>) =>
    ({ request }: { request: Request }): Promise<Response> =>
      withDeadline(() => run(request, (ctx) => answer(ctx, request)))
        .then(({ data, status }) => answerJson(data, status))
        .catch((error: unknown) => answerFault(runtime, request, error));
  const startDevice = handle(async (ctx) => ({ status: 200, data: await startDeviceSignIn(ctx) }));
  const begin = handle(async (ctx, request) => {
    const given = credentials.safeParse((await readJson(request)) ?? {}).data;
    if (given === undefined) return fail("request.invalid", { text: "Give either accessToken or device" });
    if ("accessToken" in given) return show(await signInProgram(ctx, given.accessToken));
    const begun = await finishDeviceSignIn(ctx, given.device);
    return begun === null ? { status: 202, data: { pending: true } } : show(begun);
  });
  const end = handle(async (ctx, request) => {
    const ended = await endSessions(ctx, { secretHash: hashSecret(findBearer(request)) }, "signed-out");
    return { status: 200, data: { ended: ended.length } };
  });
  const showCaller = handle(async (_, request) => {
    const { name, roles, proof } = await authenticateOperator(app, runtime, request);
    return { status: 200, data: { name, roles, proof } };
  });
  app.get(`${base}/sessions/current`, showCaller);
  app.post(`${base}/sessions`, begin, { parse: "none" });
  app.post(`${base}/sessions/device`, startDevice, { parse: "none" });
  app.delete(`${base}/sessions/current`, end, { parse: "none" });
}
