/** Calls to Monerium with its tokens: our app's own, which is kept until shortly before it ends, or a person's. */
import { z } from "zod";
import { createBreaker } from "../breaker.ts";
import { callJson, ProviderRefused, ProviderUnavailable, type ReportCall } from "../http.ts";
import type { ConsentTokens } from "./port.ts";

const mediaType = "application/vnd.monerium.api-v2+json";
/** A token is renewed this long before it ends. */
const renewAheadMs = 60_000;

const tokenAnswer = z.object({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1).nullish(),
  expires_in: z.number().positive(),
});

/** Source: docs.monerium.com, errors: the code is the HTTP status. */
const refusal = z.object({ code: z.int() });
/** An authorization server answers no other. Source: RFC 6749, 5.2. */
const tokenRefusals: readonly number[] = [400, 401];

/** What is refused without the institution's form is a gateway's, or another's at a wrong address: it says nothing. */
const sortRefusal = ({ status, body, message }: { status: number; body: unknown; message: string }): Error =>
  refusal.safeParse(body).data?.code === status
    ? new ProviderRefused(status, message)
    : new ProviderUnavailable(`${message}, which is not in the institution's form`);

/** Whether the institution refused a call with one of these statuses. */
export const isStatus = (error: unknown, ...statuses: number[]): boolean =>
  error instanceof ProviderRefused && statuses.includes(error.status);

interface Call {
  method: "GET" | "POST" | "PATCH";
  path: string;
  body?: object;
  accessToken?: string | null;
  answerBytesMax?: number;
}

interface MoneriumCalls {
  /** Uses the person's token if there is one, else our app's, which may have been revoked meanwhile. */
  call<T extends z.ZodType>(answer: T, request: Call): Promise<z.output<T>>;
  /** Asks for a person's tokens by a grant. */
  requestConsent(fields: Record<string, string>): Promise<ConsentTokens>;
}

/** The calls of one app. They throw ProviderUnavailable, ProviderRefused or ProviderUnreadable. */
export function createMoneriumCalls(input: {
  url: string;
  clientId: string;
  clientSecret: string;
  timeoutMs: number;
  report?: ReportCall;
}): MoneriumCalls {
  const { clientId, timeoutMs, report } = input;
  const breaker = createBreaker("The e-money institution");
  const base = input.url.replace(/\/+$/, "");
  let ours: { token: string; until: number } | null = null;

  const requestToken = (fields: Record<string, string>) =>
    breaker(() =>
      callJson({
        url: `${base}/auth/token`,
        method: "POST",
        headers: { "Content-Type": "application/x-www-form-urlencoded", Accept: mediaType },
        body: new URLSearchParams({ client_id: clientId, ...fields }).toString(),
        timeoutMs,
        answer: tokenAnswer,
        sortRefusal: ({ status, message }) =>
          tokenRefusals.includes(status) ? new ProviderRefused(status, message) : new ProviderUnavailable(message),
        report,
      }),
    );

  const requestConsent = async (fields: Record<string, string>): Promise<ConsentTokens> => {
    const { access_token: accessToken, refresh_token: refreshToken = null } = await requestToken(fields);
    return { accessToken, refreshToken };
  };

  const getOurToken = async (): Promise<string> => {
    if (ours !== null && ours.until > Date.now()) return ours.token;
    const fields = { grant_type: "client_credentials", client_secret: input.clientSecret };
    const { access_token: token, expires_in: seconds } = await requestToken(fields);
    ours = { token, until: Date.now() + seconds * 1000 - renewAheadMs };
    return token;
  };

  const send = <T extends z.ZodType>(
    answer: T,
    token: string,
    { method, path, body, answerBytesMax }: Call,
  ): Promise<z.output<T>> =>
    breaker(() =>
      callJson({
        url: base + path,
        method,
        headers: {
          Accept: mediaType,
          Authorization: `Bearer ${token}`,
          ...(body && { "Content-Type": "application/json" }),
        },
        ...(body && { body: JSON.stringify(body) }),
        timeoutMs,
        answerBytesMax,
        answer,
        sortRefusal,
        report,
      }),
    );

  const call = async <T extends z.ZodType>(answer: T, request: Call): Promise<z.output<T>> => {
    if (request.accessToken != null) return send(answer, request.accessToken, request);
    try {
      return await send(answer, await getOurToken(), request);
    } catch (error) {
      if (!isStatus(error, 401)) throw error;
      ours = null;
      return send(answer, await getOurToken(), request);
    }
  };

  return { call, requestConsent };
}
