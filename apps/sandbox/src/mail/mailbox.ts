/** The sandbox's mailbox and phone. */
import { findNewestHtml, insertMessage, listMessages } from "@cardkeep/db/sandbox/messages";
import { z } from "zod";
import { defineSandboxRoute } from "../core/route.ts";
import type { SandboxRuntime } from "../core/openStore.ts";

/** An unencoded `+` arrives as a space, which no mail address or phone number contains. */
const receiver = z
  .string()
  .max(320)
  .transform((text) => text.replaceAll(" ", "+"));
const to = z.object({ to: receiver.optional() });

export const receiveMail = defineSandboxRoute({
  method: "POST",
  path: "/mailbox",
  summary: "The service sends its mail here",
  input: z.object({
    to: z.string().max(320),
    subject: z.string(),
    text: z.string(),
    html: z.string().optional(),
    code: z.string().optional(),
  }),
  example: { to: "ada@example.org", subject: "Hello", text: "A mail" },
  run: async (runtime: SandboxRuntime, { code, html, ...mail }) => {
    const sentAt = await runtime.clock.now(runtime.db);
    await insertMessage(runtime.store, { channel: "mail", ...mail, html: html ?? null, code: code ?? null, sentAt });
    return { ok: true };
  },
});

export const readMailbox = defineSandboxRoute({
  method: "GET",
  path: "/mailbox",
  summary: "Mails sent, newest first",
  input: to,
  example: {},
  run: (runtime, input) => listMessages(runtime.store, "mail", input.to),
});

export const readPhones = defineSandboxRoute({
  method: "GET",
  path: "/phones",
  summary: "Text messages sent, newest first",
  input: to,
  example: {},
  run: (runtime, input) => listMessages(runtime.store, "phone", input.to),
});

export const readMailHtml = defineSandboxRoute({
  method: "GET",
  path: "/mailbox/html",
  summary: "The newest mail to a receiver as HTML; null where there is none",
  input: z.object({ to: receiver }),
  example: { to: "ada@example.org" },
  run: async (runtime: SandboxRuntime, { to: address }) => ({ html: await findNewestHtml(runtime.store, address) }),
});
