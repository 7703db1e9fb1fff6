/** Settings of mail and text messages. */
import { email } from "@cardkeep/contract/users/auth";
import { parseSmtpUrl } from "@cardkeep/providers/mail/smtp";
import { parseTwilioUrl } from "@cardkeep/providers/sms/twilio";
import { readBy, type Values } from "./types.ts";

export const messageEnvironment = {
  MAIL_URL: readBy(parseSmtpUrl, "must be smtp(s)://user:password@host:port")
    .optional()
    .describe("SMTP server for mail, smtp(s)://user:password@host:port; unset: the sandbox's mailbox"),
  MAIL_FROM: email.optional().describe("Sender address of mail; unset: no-reply at the host of PUBLIC_URL"),
  SMS_URL: readBy(parseTwilioUrl, "must be https://account:token@host?from=%2B15005550006")
    .optional()
    .describe(
      "Gateway with Twilio's Messages API, https://account:token@api.twilio.com?from=%2B15005550006; " +
        "unset: the sandbox's phones",
    ),
};

/** The account of the sandbox's gateway. */
const sandboxSms = { accountSid: "ACsandbox", username: "ACsandbox", password: "sandbox-token", from: "Cardkeep" };

export const readMessages = (
  e: Values<typeof messageEnvironment>,
  { publicUrl, sandboxUrl }: { publicUrl: string; sandboxUrl: string },
) => ({
  /** Null: the sandbox's mailbox. */
  mailServer: e.MAIL_URL ?? null,
  mailFrom: e.MAIL_FROM ?? `no-reply@${new URL(publicUrl).hostname}`,
  sms: e.SMS_URL ?? { ...sandboxSms, url: sandboxUrl },
});
