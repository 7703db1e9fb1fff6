/** Mails and text messages that were sent in the sandbox. */
import { and, desc, eq } from "drizzle-orm";
import type { Executor } from "../client.ts";
import { messages } from "./tables.ts";

const messagesMax = 100;

export async function insertMessage(on: Executor, row: Omit<typeof messages.$inferInsert, "id">): Promise<void> {
  await on.insert(messages).values({ id: Bun.randomUUIDv7(), ...row });
}

/** The HTML of the newest mail to a receiver; null where there is none. */
export async function findNewestHtml(on: Executor, to: string): Promise<string | null> {
  const [row] = await on
    .select({ html: messages.html })
    .from(messages)
    .where(and(eq(messages.channel, "mail"), eq(messages.to, to)))
    .orderBy(desc(messages.sequence))
    .limit(1);
  return row?.html ?? null;
}

/** The last hundred messages, newest first, to one receiver or to all. */
export async function listMessages(on: Executor, channel: "mail" | "phone", to?: string) {
  const ofChannel = eq(messages.channel, channel);
  return on
    .select({
      to: messages.to,
      subject: messages.subject,
      text: messages.text,
      code: messages.code,
      sentAt: messages.sentAt,
    })
    .from(messages)
    .where(to === undefined ? ofChannel : and(ofChannel, eq(messages.to, to)))
    .orderBy(desc(messages.sequence))
    .limit(messagesMax);
}
