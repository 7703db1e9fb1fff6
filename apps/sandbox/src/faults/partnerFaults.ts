/** Faults of the partners that the sandbox plays, at the addresses where the service calls them. */
import { keysOf } from "@cardkeep/contract/core/keysOf";
import { STATUS_CODES } from "node:http";
import type { Partner } from "./catalogue.ts";
import { keepFault } from "./issuerReplies.ts";
import { activeFaultsOf } from "./activeFaults.ts";
import type { SandboxRuntime } from "../core/openStore.ts";

/** The first part of the paths of each partner's API. */
const doors: Readonly<Record<Partner, readonly string[]>> = {
  kyc: ["/resources/"],
  emoney: ["/emoney/api/"],
  issuer: ["/v1/"],
  identity: ["/identity/"],
  mail: ["/mailbox"],
  sms: ["/2010-04-01/"],
  signer: ["/aws-kms", "/web3signer/"],
};

function findPartner(method: string, pathname: string): Partner | null {
  const partner = keysOf(doors).find((each) => doors[each].some((door) => pathname.startsWith(door))) ?? null;
  // People read the mailbox; the service writes to it.
  return partner === "mail" && method !== "POST" ? null : partner;
}

const signerRole = "arn:aws:iam::111122223333:role/cardkeep";

/** An error in the partner's own form. */
const errorBodies: Readonly<Record<Partner, (status: number, text: string) => object>> = {
  kyc: (code, description) => ({ code, correlationId: "sandbox", description }),
  emoney: (code, message) => ({ code, status: STATUS_CODES[code], message }),
  issuer: (status, message) => ({ error: { type: status < 500 ? "invalid_request_error" : "api_error", message } }),
  identity: (status, message) => ({
    error: status < 500 ? "invalid_request" : "server_error",
    error_description: message,
  }),
  mail: (_, error) => ({ error }),
  sms: (status, message) => ({ code: 20_000 + status, message, more_info: "", status }),
  // Texts of KMS name the account and its roles.
  signer: (_, message) => ({ __type: "KMSInternalException", message: `${message}: ${signerRole}` }),
};

/** Delays a request to a partner, or answers it, as the faults say that are on. Null lets it pass. */
export async function applyPartnerFaults(runtime: SandboxRuntime, request: Request): Promise<Response | null> {
  const { pathname } = new URL(request.url);
  const partner = findPartner(request.method, pathname);
  const faults = activeFaultsOf(runtime);
  if (partner === null || !faults.isAnyOn(`${partner}.`)) return null;
  const subject = `${request.method} ${pathname}`;
  if (faults.hit(`${partner}.down`, subject)) return answerUnavailable();
  if (faults.hit(`${partner}.hang`, subject)) {
    await faults.waitUntilOff(`${partner}.hang`, request.signal);
    // A caller that gave up may have sent the request again.
    if (request.signal.aborted) return answerUnavailable();
  }
  const slow = faults.hit(`${partner}.slow`, subject);
  if (slow) await Bun.sleep(slow.ms);
  if (partner === "signer" && faults.hit("signer.throttle", subject)) return answerThrottled(pathname);
  const error = faults.hit(`${partner}.error`, subject);
  if (!error) return null;
  const body = errorBodies[partner](error.status, "The fault of the sandbox is on");
  if (partner === "issuer") await keepFault(runtime, request, { status: error.status, reply: body });
  return Response.json(body, { status: error.status });
}

/** KMS names an error; a web3signer is throttled by the gateway before it. */
const answerThrottled = (pathname: string): Response =>
  pathname.startsWith("/aws-kms")
    ? Response.json({ __type: "ThrottlingException", message: "Rate exceeded" }, { status: 400 })
    : new Response("Too Many Requests", { status: 429 });

/** What a gateway answers for a service that is down. */
export const answerUnavailable = (): Response =>
  new Response("<html><body><h1>503 Service Temporarily Unavailable</h1></body></html>", {
    status: 503,
    headers: { "Content-Type": "text/html" },
  });
