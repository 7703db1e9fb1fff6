/**
 * Text messages through Twilio's Messages API, which other gateways offer too.
 *
 * Source: twilio.com/docs/messaging/api/message-resource, twilio.com/docs/usage/requests-to-twilio.
 */
import { z } from "zod";
import { createBreaker } from "../breaker.ts";
import { callJson, type ReportCall } from "../http.ts";
import type { SmsSender } from "./port.ts";

const messagingService = /^MG[0-9a-f]{32}$/;
const answer = z.object({ sid: z.string().min(1) });

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
      await breaker(() => callJson({ url: messages, method: "POST", headers, body, timeoutMs, answer, report }));
    },
  };
}
