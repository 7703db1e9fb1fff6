/**
 * Sends deliveries. It connects to public addresses only, outside production also to receivers of this machine, and to
 * exactly the address that was checked.
 *
 * - endpoint: a receiver whose address was resolved, checked and pinned; redirects are not followed.
 */
import { lookup } from "node:dns/promises";
import http from "node:http";
import https from "node:https";
import ipaddr from "ipaddr.js";
import pTimeout from "p-timeout";
import { hostOf, isInbox, isLocal, isPublicAddress, parseWebhookUrl, type WebhookPlaces } from "./address.ts";
import { findLocalAddress } from "./findLocalAddress.ts";

/** The result of one attempt: an answer, or the reason without one. */
export interface WebhookAnswer {
  /** Null without an answer. */
  status: number | null;
  error: string | null;
  /** The wait that the receiver asks for. */
  retryAfterSeconds: number | null;
  /** The caller aborted the attempt; it says nothing about the receiver. */
  isAborted: boolean;
  durationMs: number;
}

export interface WebhookEndpoint {
  /** Sends one body; it never throws. */
  post(input: { headers: Readonly<Record<string, string>>; body: string; signal: AbortSignal }): Promise<WebhookAnswer>;
  /** Ends its connections. */
  close(): void;
}

export interface WebhookSender {
  /** Whether an address may be registered: it is valid, and public if it resolves. */
  accepts(url: string, options: { inbox: boolean }): Promise<boolean>;
  /**
   * Resolves and checks a receiver's address.
   * @throws WebhookRefused for a forbidden address
   */
  open(url: string): Promise<WebhookEndpoint>;
}

/** The address is not permitted for deliveries, or leads to one that is not. */
export class WebhookRefused extends Error {
  override readonly name = "WebhookRefused";
}

/** Returns every address of a name. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** IPv4 first: many machines have no route by IPv6. */
const resolveByDns: Resolve = async (host) =>
  (await lookup(host, { all: true })).toSorted((a, b) => a.family - b.family).map(({ address }) => address);

const answerBytesMax = 64 * 1024;
const socketsMax = 16;

/** A sender for one process; `resolve` is the system's resolver by default. */
export function createWebhookSender(input: WebhookPlaces & { timeoutMs: number; resolve?: Resolve }): WebhookSender {
  const { timeoutMs, resolve = resolveByDns } = input;

  /**
   * Every address of a host.
   * @throws WebhookRefused for a forbidden one
   */
  const findAddresses = async (url: URL): Promise<readonly string[]> => {
    const host = hostOf(url);
    const message = `no answer within ${timeoutMs / 1000} s`;
    const addresses = ipaddr.isValid(host)
      ? [host]
      : await pTimeout(resolve(host), { milliseconds: timeoutMs, message });
    // One forbidden address is enough: otherwise the name's owner could steer the connection to it.
    if (addresses.length === 0 || !addresses.every(isPublicAddress))
      throw new WebhookRefused("the address does not lead to the public internet");
    return addresses;
  };

  const findAddress = async (text: string, url: URL): Promise<string> => {
    if (isInbox(url, input)) return new URL(input.inboxOrigin ?? "").hostname;
    if (isLocal(text, input)) return findLocalAddress(url);
    const [address = ""] = await findAddresses(url);
    return address;
  };

  return {
    accepts: async (text, { inbox }) => {
      const url = parseWebhookUrl(text, input);
      if (url === null) return false;
      if (isInbox(url, input)) return inbox;
      if (isLocal(text, input)) return true;
      return findAddresses(url).then(
        () => true,
        // An unresolved name is harmless: it is resolved and checked before every connection.
        (error) => !(error instanceof WebhookRefused),
      );
    },
    open: async (text) => {
      const url = parseWebhookUrl(text, input);
      if (url === null) throw new WebhookRefused("deliveries cannot go to this address");
      return createEndpoint(url, await findAddress(text, url), timeoutMs);
    },
  };
}

/** Connections to one checked address. `Host` and TLS use the name. */
function createEndpoint(url: URL, address: string, timeoutMs: number): WebhookEndpoint {
  const isSecure = url.protocol === "https:";
  const options = { keepAlive: true, maxSockets: socketsMax };
  const agent = isSecure ? new https.Agent(options) : new http.Agent(options);
  const host = hostOf(url);
  const target = {
    host: address,
    port: url.port === "" ? (isSecure ? 443 : 80) : Number(url.port),
    path: url.pathname + url.search,
    method: "POST",
    agent,
    ...(isSecure && !ipaddr.isValid(host) && { servername: host }),
  };
  return {
    post: ({ headers, body, signal }) =>
      new Promise((settle) => {
        const startedAt = performance.now();
        const end = (answer: Partial<WebhookAnswer>) => {
          clearTimeout(timer);
          signal.removeEventListener("abort", abort);
          const durationMs = Math.round(performance.now() - startedAt);
          settle({ status: null, error: null, retryAfterSeconds: null, isAborted: false, ...answer, durationMs });
        };
        const request = (isSecure ? https : http).request({
          ...target,
          headers: { ...headers, Host: url.host, "Content-Length": String(Buffer.byteLength(body)) },
        });
        const give = (error: string, isAborted = false) => {
          end({ error, isAborted });
          request.destroy();
        };
        const abort = () => give("given up", true);
        const timer = setTimeout(() => give(`no answer within ${timeoutMs / 1000} s`), timeoutMs);
        signal.addEventListener("abort", abort, { once: true });
        request.on("error", (error: NodeJS.ErrnoException) => end({ error: error.code ?? error.name }));
        request.on("response", (response) => {
          let bytes = 0;
          const finish = () =>
            end({
              status: response.statusCode ?? 0,
              retryAfterSeconds: parseRetryAfter(response.headers["retry-after"]),
            });
          response.on("data", (chunk: Buffer) => {
            bytes += chunk.byteLength;
            if (bytes <= answerBytesMax) return;
            // The status is known; the rest of the answer is not read.
            finish();
            request.destroy();
          });
          response.on("end", finish);
          response.on("error", (error: NodeJS.ErrnoException) => end({ error: error.code ?? error.name }));
        });
        request.end(body);
      }),
    close: () => agent.destroy(),
  };
}

/** `Retry-After` in seconds (RFC 9110): a number, or an instant by the wall clock; null for any other text. */
function parseRetryAfter(text: string | undefined): number | null {
  if (text === undefined) return null;
  if (/^\d{1,9}$/.test(text.trim())) return Number(text);
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - Date.now()) / 1000));
}
