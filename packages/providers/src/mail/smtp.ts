/** Mail over SMTP (RFC 5321), with TLS from the start or by STARTTLS (RFC 3207). */
import { email } from "@cardkeep/contract/users/auth";
import { isLoopback } from "@cardkeep/contract/core/loopback";
import { createTransport } from "nodemailer";
import pTimeout from "p-timeout";
import { z } from "zod";
import { createBreaker } from "../breaker.ts";
import { ProviderPostponed, ProviderRefused, ProviderUnavailable, type ReportCall } from "../http.ts";
import type { Mailer } from "./port.ts";

/** Submission with TLS from the start, and with STARTTLS. Source: RFC 8314, RFC 6409. */
const ports = { "smtps:": 465, "smtp:": 587 } as const;

export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the start. */
  readonly secure: boolean;
  /** Whether STARTTLS must succeed before anything is sent. */
  readonly requireTLS: boolean;
  readonly auth?: { readonly user: string; readonly pass: string };
}

/**
 * Parses a server from one address: `smtp(s)://user:password@host:port`; null for an invalid one.
 *
 * A mail may hold a sign-in code, so no mail leaves this machine without TLS.
 */
export function parseSmtpUrl(text: string): SmtpServer | null {
  if (!URL.canParse(text)) return null;
  const { protocol, hostname, port, username, password } = new URL(text);
  if ((protocol !== "smtp:" && protocol !== "smtps:") || hostname === "") return null;
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  const secure = protocol === "smtps:";
  return {
    host,
    port: port === "" ? ports[protocol] : Number(port),
    secure,
    requireTLS: !secure && !isLoopback(host),
    ...(username !== "" && { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
  };
}

/** The used fields of a transport's error. */
const failure = z.object({
  responseCode: z.number().optional(),
  code: z.string().optional(),
  command: z.string().optional(),
  syscall: z.string().optional(),
});
/** From this code on the server's refusal is final. Source: RFC 5321, 4.2.1. */
const permanentFrom = 500;
/** Errors about the receiver or the mail; all others are about the connection. Source: nodemailer, "Error codes". */
const judgements: readonly (string | undefined)[] = ["EENVELOPE", "EMESSAGE"];

/** The server ends the connection: the answer is about the server. Source: RFC 5321, 3.8. */
const closing = 421;
/**
 * Commands whose refusal is about a receiver or the mail, for good or as by greylisting (RFC 6647). One of `MAIL FROM` is
 * about our own address.
 */
const ofReceiver: readonly string[] = ["RCPT TO", "DATA"];

/** Errors before a mail is handed over. Source: nodemailer, "Error codes". */
const unconnected: readonly string[] = ["EDNS", "ETLS", "EAUTH"];

/** Has the code of the transport's own errors of this kind. */
const timedOut = Object.assign(new Error("The mail server is slow"), { code: "ETIMEDOUT" });

/** A mailer over one server; `from` is the sender address, `senderName` what people read there. */
export function createSmtpMailer(input: {
  server: SmtpServer;
  from: string;
  senderName: string;
  timeoutMs: number;
  report?: ReportCall;
}): Mailer {
  const { server, from, senderName, timeoutMs, report } = input;
  const breaker = createBreaker("The mail server");
  const transport = createTransport({
    ...server,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    send: async ({ to, subject, text, html }) => {
      // The library reads a line break or a comma as the start of another receiver.
      if (!email.safeParse(to).success) throw new ProviderRefused(permanentFrom, "The receiver is not a mail address");
      const startedAt = performance.now();
      const countSend = (outcome: "answered" | "refused" | "unavailable") =>
        report?.({ outcome, seconds: (performance.now() - startedAt) / 1000 });
      await breaker(async () => {
        try {
          const sending = transport.sendMail({
            envelope: { from, to: [to] },
            from: { name: senderName, address: from },
            to,
            subject,
            text,
            ...(html !== undefined && { html }),
          });
          // Each step has its own limit; this one covers all of them.
          await pTimeout(sending, { milliseconds: timeoutMs, message: timedOut });
          countSend("answered");
        } catch (error) {
          const fault = toProviderError(error, server.host);
          countSend(fault instanceof ProviderRefused ? "refused" : "unavailable");
          throw fault;
        }
      });
    },
  };
}

/** Without a cause: the server's text names the receiver. */
function toProviderError(error: unknown, host: string): ProviderRefused | ProviderUnavailable {
  const { responseCode, code = "unknown", command = "", syscall } = failure.safeParse(error).data ?? {};
  if (responseCode !== undefined && responseCode !== closing && ofReceiver.includes(command)) {
    if (responseCode >= permanentFrom && judgements.includes(code))
      return new ProviderRefused(responseCode, `SMTP ${host} answered ${responseCode}`);
    return new ProviderPostponed(`SMTP ${host} postponed a mail: ${responseCode}`);
  }
  // Without an answer the mail may have arrived, unless there was no connection.
  const isWithoutEffect = responseCode !== undefined || syscall === "connect" || unconnected.includes(code);
  return new ProviderUnavailable(`SMTP ${host} did not accept a mail: ${responseCode ?? code}`, { isWithoutEffect });
}
