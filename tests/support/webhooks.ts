/** Helpers for webhook tests: a partner with a receiver of the sandbox, and users who are subscribed. */
import { type CommitContext, createContext } from "@cardkeep/domain/core/context";
import { deliveries, events } from "@cardkeep/db/schema/tables";
import { publish } from "@cardkeep/domain/core/publish";
import type { Runtime } from "@cardkeep/runtime/compose";
import { eq } from "drizzle-orm";
import type { Person } from "./person.ts";
import { until } from "./poll.ts";

export interface Attempt {
  headers: Record<string, string>;
  body: string;
  verified: boolean;
  status: number;
  receivedAt: string;
}

export interface TestPartner {
  id: string;
  apiKey: string;
  webhookSecret: string;
}

/** A partner whose events arrive at the receiver `name` of the sandbox. */
export async function registerPartner(person: Person, name: string, fields: object = {}): Promise<TestPartner> {
  const webhookUrl = `${person.service.sandboxUrl}/inbox/${name}`;
  const { body } = await person.sandbox("POST", "/partners", { id: name, name, domains: [], webhookUrl, ...fields });
  return body;
}

/** Subscribes a partner to a person; returns the subscription's id. */
export async function subscribe(person: Person, partnerId: string): Promise<string> {
  const { body: issued } = await person.call("GET", `/webhooks/message/${partnerId}`);
  const signature = await person.account.signMessage({ message: issued.message });
  const { body } = await person.call("POST", `/webhooks/subscribe/${partnerId}`, {
    message: issued.message,
    signature,
  });
  return body.subscriptionId;
}

export const readInbox = async (person: Person, name: string): Promise<Attempt[]> =>
  (await person.sandbox("GET", `/inbox/${name}`)).body;

/** All attempts at a receiver, once there are this many. */
export async function awaitAttempts(person: Person, name: string, count: number): Promise<Attempt[]> {
  await until(async () => (await readInbox(person, name)).length >= count);
  return readInbox(person, name);
}

/** Waits until every event so far has arrived where it goes. */
export const untilDelivered = ({ db }: Runtime): Promise<void> =>
  until(
    async () =>
      (await db.$count(events, eq(events.isPending, true))) === 0 &&
      (await db.$count(deliveries, eq(deliveries.status, "PENDING"))) === 0,
  );

/** The context of one change that a test makes by itself. */
export const contextOf = ({ services, log }: Runtime): CommitContext =>
  createContext(services, { log, requestId: "test" });

/** Commits events of a person, each for a card of its own, like any change of theirs. */
export async function publishEvents(runtime: Runtime, userId: string | null, count: number): Promise<void> {
  await contextOf(runtime).commit(async (work) => {
    for (let index = 0; index < count; index++)
      await publish(work, "physical.card.pin.changed", userId ?? "", {
        userId: userId ?? "",
        cardToken: `card-${index}`,
      });
  });
}
