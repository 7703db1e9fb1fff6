/** Authentication at the institution: our app by its secret, or a person by a consent (OAuth 2.0, PKCE). */
import { findEmoneyRecord, putEmoneyRecord, takeEmoneyRecord } from "@cardkeep/db/sandbox/emoneyRecords";
import { randomBytes } from "node:crypto";
import { z } from "zod";
import { refuse } from "./answers.ts";
import type { SandboxRuntime } from "../core/openStore.ts";

/** `profile` and `holder`: the person who agreed; null for the app itself. */
const caller = z.object({ profile: z.string().nullable(), holder: z.string().nullable(), until: z.number() });
export type Caller = z.output<typeof caller>;

const refreshed = caller.omit({ until: true });

const code = z.object({
  profile: z.string(),
  holder: z.string(),
  challenge: z.string(),
  redirectUri: z.string(),
  until: z.number(),
});

const tokenSeconds = 3_600;
export const generateToken = (): string => randomBytes(24).toString("base64url");

/** The caller of a request, from its token. */
export async function authenticate(runtime: SandboxRuntime, request: Request): Promise<Caller | null> {
  const [, token] = /^Bearer ([\w-]+)$/.exec(request.headers.get("authorization") ?? "") ?? [];
  const record = token === undefined ? null : await findEmoneyRecord(runtime.store, "token", token);
  const found = record && caller.parse(record.data);
  return found && found.until > Date.now() ? found : null;
}

/** Answers `POST /auth/token`. */
export async function grantToken(runtime: SandboxRuntime, text: string): Promise<Response> {
  const form = new URLSearchParams(text);
  const { clientId, clientSecret } = runtime.settings.emoney;
  if (form.get("client_id") !== clientId) return refuse(401, "Not authenticated");
  if (form.get("grant_type") === "client_credentials") {
    return form.get("client_secret") === clientSecret
      ? issue(runtime, { profile: null, holder: null })
      : refuse(401, "Not authenticated");
  }
  if (form.get("grant_type") === "refresh_token") {
    // A refresh token is valid once: the answer holds the next one.
    const used = await takeEmoneyRecord(runtime.store, "refresh", form.get("refresh_token") ?? "");
    return used ? issue(runtime, refreshed.parse(used.data)) : refuse(400, "The refresh token is unknown");
  }
  if (form.get("grant_type") !== "authorization_code") return refuse(400, "Unknown grant type");
  const taken = await takeEmoneyRecord(runtime.store, "code", form.get("code") ?? "");
  const granted = taken && code.parse(taken.data);
  if (!granted || granted.until < Date.now() || granted.redirectUri !== form.get("redirect_uri")) {
    return refuse(400, "The code is unknown");
  }
  const verifier = Buffer.from(form.get("code_verifier") ?? "");
  const challenge = Buffer.from(await crypto.subtle.digest("SHA-256", verifier)).toString("base64url");
  if (challenge !== granted.challenge) return refuse(400, "The verifier does not fit");
  return issue(runtime, granted);
}

async function issue(
  runtime: SandboxRuntime,
  { profile, holder }: Pick<Caller, "profile" | "holder">,
): Promise<Response> {
  const token = generateToken();
  const data = { profile, holder, until: Date.now() + tokenSeconds * 1000 };
  await putEmoneyRecord(runtime.store, { kind: "token", id: token, profile, data });
  const refresh = generateToken();
  await putEmoneyRecord(runtime.store, { kind: "refresh", id: refresh, profile, data: { profile, holder } });
  const tokens = { access_token: token, refresh_token: refresh, expires_in: tokenSeconds, token_type: "Bearer" };
  return Response.json({ ...tokens, profile, userId: holder });
}
