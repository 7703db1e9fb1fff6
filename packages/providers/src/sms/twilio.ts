/**
 * Text messages through Twilio's Messages API, which other gateways offer too.
 *
 * Source: twilio.com/docs/messaging/api/message-resource, twilio.com/docs/usage/requests-to-twilio,
 * twilio.com/docs/api/errors.
 */
import { z } from "zod";
import { createBreaker } from "../breaker.ts";
import { callJson, ProviderPostponed, ProviderRefused, ProviderUnavailable, type ReportCall } from "../http.ts";
import type { SmsSender } from "./port.ts";

const messagingService = /^MG[0-9a-f]{32}$/;
const answer = z.object({ sid: z.string().min(1) });

const badRequest = 400;
const refusal = z.object({ code: z.number() });
/**
 * Faults of the number itself: invalid, unreachable, a short code, our own, of a premium rate, opted out, not to be connected,
 * neither mobile nor able to receive text messages. A region that is not enabled (21408) is a fault of our account.
 */
const ofReceiver: readonly (number | undefined)[] = [
  21211, 21214, 21217, 21265, 21266, 21268, 21610, 21612, 21614, 21635,
];

/** A fault of our credentials, account or sender says nothing about the number: the message has to wait. */
function sortRefusal({ status, body, message }: { status: number; body: unknown; message: string }): Error {
  if (status !== badRequest) return new ProviderUnavailable(message, { isWithoutEffect: true });
  const { code } = refusal.safeParse(body).data ?? {};
  const known = `${message}, code ${code ?? "unknown"}`;
  return ofReceiver.includes(code) ? new ProviderRefused(status, known) : new ProviderPostponed(known);
}

export interface TwilioAccount {
  /** Base address of the API, without the version. */
  readonly url: string;
  readonly accountSid: string;
  /** The account itself or one of its API keys. */
  readonly username: string;
  readonly password: string;
  /** A sender number or name, or the `MG…` id of a messaging service. */
  readonly from: string;
}

/**
 * Parses an account from one address: `https://user:password@host/?from=…`, and `account=…` if the user is an API key.
 *
 * Null if a part is missing.
 */
export function parseTwilioUrl(text: string): TwilioAccount | null {
  if (!URL.canParse(text)) return null;
  const { protocol, host, pathname, username, password, searchParams } = new URL(text);
  const from = searchParams.get("from") ?? "";
  if (!/^https?:$/.test(protocol) || username === "" || password === "" || from === "") return null;
  const user = decodeURIComponent(username);
  return {
    url: `${protocol}//${host}${pathname.replace(/\/+$/, "")}`,
    accountSid: searchParams.get("account") ?? user,
    username: user,
    password: decodeURIComponent(password),
    from,
  };
}

/** A sender for one account. */
export function createTwilio(input: TwilioAccount & { timeoutMs: number; report?: ReportCall }): SmsSender {
  const { url, accountSid, username, password, from, timeoutMs, report } = input;
  const breaker = createBreaker("The text message gateway");
  const messages = `${url}/2010-04-01/Accounts/${encodeURIComponent(accountSid)}/Messages.json`;
  const headers = {
    "Content-Type": "application/x-www-form-urlencoded",
    Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`,
  };
  const senderField = messagingService.test(from) ? "MessagingServiceSid" : "From";
  return {
    send: async ({ to, text }) => {
      const body = new URLSearchParams({ To: to, [senderField]: from, Body: text }).toString();
      const call = { url: messages, method: "POST", headers, body, timeoutMs, answer, sortRefusal, report };
      await breaker(() => callJson(call));
    },
  };
}
