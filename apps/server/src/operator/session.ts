/**
 * Sign-in state of the operator's pages. Nothing is stored: a cookie, signed with the operator's first key, holds its end.
 * It is valid on every server and becomes invalid when its key is removed.
 */
import type { OperatorActor } from "@cardkeep/domain/actor";
import { createKeyCheck } from "@cardkeep/runtime/keyCheck";
import { createHmac } from "node:crypto";

const name = "cardkeep_operator";
const lifetimeSeconds = 3_600;
const loopbackHosts: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/** A holder of the shared key; the service does not know which person it is. */
const keyOperator: OperatorActor = {
  kind: "operator",
  id: "key",
  name: "shared key",
  via: "page",
  proof: "key",
  roles: ["admin"],
};

export interface Sessions {
  isKey(given: string): boolean;
  /** The operator who signed in in the browser of a request; null without a session. */
  findOperator(request: Request): OperatorActor | null;
  /** The cookie of a session that begins at an instant and lasts for an hour. */
  begin(at: Date): string;
  /** The cookie that ends a session in its browser. */
  end(): string;
}

/** The sessions of each of the keys, for a server at `publicUrl`. New ones are of the first. */
export function createSessions(keys: readonly string[], publicUrl: string, onKey?: (key: string) => void): Sessions {
  const [first] = keys;
  if (first === undefined) throw new Error("A key of the operator is needed");
  const isSecure = !loopbackHosts.includes(new URL(publicUrl).hostname);
  const attributes = `; Path=/operator; HttpOnly; SameSite=Strict${isSecure ? "; Secure" : ""}`;
  const seal = (key: string, endsAtMs: number): string =>
    `${endsAtMs}.${createHmac("sha256", key).update(`operator session until ${endsAtMs}`).digest("base64url")}`;
  return {
    isKey: createKeyCheck(keys, onKey),
    findOperator: (request) => {
      const value = findCookie(request);
      const endsAtMs = Number.parseInt(value, 10);
      const isValid = endsAtMs > Date.now() && createKeyCheck(keys.map((key) => seal(key, endsAtMs)))(value);
      return isValid ? keyOperator : null;
    },
    begin: (at) =>
      `${name}=${seal(first, at.getTime() + lifetimeSeconds * 1000)}; Max-Age=${lifetimeSeconds}${attributes}`,
    end: () => `${name}=; Max-Age=0${attributes}`,
  };
}

function findCookie(request: Request): string {
  const cookies = (request.headers.get("cookie") ?? "").split("; ").map((cookie) => cookie.split("="));
  return cookies.find(([given]) => given === name)?.[1] ?? "";
}

/**
 * Whether one of our pages sent a form. Browsers send the page's origin with every POST, and a page cannot change it.
 */
export function isSameOrigin(request: Request, publicUrl: string): boolean {
  const origin = request.headers.get("origin") ?? "";
  const ours = [request.headers.get("host"), new URL(publicUrl).host];
  return URL.canParse(origin) && ours.includes(new URL(origin).host);
}
