/** The text message gateway's API. Source: twilio.com/docs/messaging/api/message-resource. */
import { insertMessage } from "@cardkeep/db/sandbox/messages";
import { randomBytes } from "node:crypto";
import type { SandboxRuntime } from "../core/openStore.ts";

/** E.164: a plus, and at most 15 digits. */
const numberPattern = /^\+[1-9]\d{1,14}$/;
const codePattern = /\b\d{6}\b/;
const textLengthMax = 1_600;

/** Refuses a request in the gateway's form. Source of the codes: twilio.com/docs/api/errors. */
const refuse = (status: number, code: number, message: string): Response =>
  Response.json({ code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status }, { status });

/** Stores one message for `/phones`; answers 401 for another account, and 400 for an invalid message. */
export async function answerSmsApi(
  runtime: SandboxRuntime,
  request: Request,
  account: string,
  body: string,
): Promise<Response> {
  const { accountSid, username, password } = runtime.settings.sms;
  const given = /^Basic (.+)$/.exec(request.headers.get("authorization") ?? "")?.[1] ?? "";
  const isKnown = Buffer.from(given, "base64").toString() === `${username}:${password}`;
  if (account !== accountSid || !isKnown) return refuse(401, 20_003, "Authenticate");
  const form = new URLSearchParams(body);
  const [to = "", text = "", from] = [form.get("To"), form.get("Body"), form.get("From")].map((value) => value ?? "");
  if (!numberPattern.test(to)) return refuse(400, 21_211, "Invalid 'To' Phone Number");
  if (text === "") return refuse(400, 21_602, "Message body is required");
  if (text.length > textLengthMax) return refuse(400, 21_617, "The concatenated message body exceeds the limit");
  const sentAt = await runtime.clock.now(runtime.db);
  const code = codePattern.exec(text)?.[0] ?? null;
  await insertMessage(runtime.store, { channel: "phone", to, subject: "", text, code, sentAt });
  const sid = `SM${randomBytes(16).toString("hex")}`;
  return Response.json({ sid, account_sid: account, to, from, body: text, status: "queued" }, { status: 201 });
}
