/** The text message gateway's API. Source: twilio.com/docs/messaging/api/message-resource. */
import { insertMessage } from "@cardkeep/db/sandbox/messages";
import { randomBytes } from "node:crypto";
import { SandboxError } from "../core/route.ts";
import type { SandboxRuntime } from "../core/openStore.ts";

/** E.164: a plus, and at most 15 digits. */
const numberPattern = /^\+[1-9]\d{1,14}$/;
const codePattern = /\b\d{6}\b/;
const textLengthMax = 1_600;

/**
 * Stores one message for `/phones`.
 * @throws SandboxError 401 for another account, 400 for an invalid message
 */
export async function answerSmsApi(runtime: SandboxRuntime, request: Request, account: string, body: string) {
  const { accountSid, username, password } = runtime.settings.sms;
  const given = /^Basic (.+)$/.exec(request.headers.get("authorization") ?? "")?.[1] ?? "";
  const isKnown = Buffer.from(given, "base64").toString() === `${username}:${password}`;
  if (account !== accountSid || !isKnown) throw new SandboxError(401, "Authenticate");
  const form = new URLSearchParams(body);
  const [to = "", text = "", from] = [form.get("To"), form.get("Body"), form.get("From")].map((value) => value ?? "");
  if (!numberPattern.test(to)) throw new SandboxError(400, "Invalid 'To' Phone Number");
  if (text === "" || text.length > textLengthMax) throw new SandboxError(400, "Message body is required");
  const sentAt = await runtime.clock.now(runtime.db);
  const code = codePattern.exec(text)?.[0] ?? null;
  await insertMessage(runtime.store, { channel: "phone", to, subject: "", text, code, sentAt });
  return { sid: `SM${randomBytes(16).toString("hex")}`, account_sid: account, to, from, body: text, status: "queued" };
}
