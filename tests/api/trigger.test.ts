import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { events } from "@cardkeep/contract/partners/events";
import { type Service, startService } from "../support/service.ts";
import { until } from "../support/poll.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

interface Attempt {
  sequence: number;
  headers: Record<string, string>;
  body: string;
  verified: boolean;
}

async function trigger(event: string) {
  const response = await fetch(`${service.sandboxUrl}/trigger`, { method: "POST", body: JSON.stringify({ event }) });
  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads whatever the sandbox said
  return { status: response.status, body: (await response.json()) as any };
}

/** The newest attempt before the event: hundreds of older ones are not read again. */
let seen = 0;

const newAttempts = async (): Promise<Attempt[]> =>
  (await fetch(`${service.sandboxUrl}/inbox/sandbox?after=${seen}`)).json() as Promise<Attempt[]>;

describe("a triggered event", () => {
  test.each(Object.keys(events))(
    "%s arrives at the partner's inbox, signed, about the person that was made",
    async (event) => {
      const { status, body } = await trigger(event);
      expect({ status, error: body.error }).toEqual({ status: 200, error: undefined });
      const find = async () => (await newAttempts()).find(({ headers }) => headers["webhook-id"] === body.deliveryId);
      await until(async () => (await find()) !== undefined);
      const arrived = await find();
      expect(arrived?.verified).toBe(true);
      expect(JSON.parse(arrived?.body ?? "")).toMatchObject({ eventType: event });
      expect(arrived?.body).toContain(body.person.id);
      seen = (await newAttempts()).at(-1)?.sequence ?? seen;
    },
  );
});
