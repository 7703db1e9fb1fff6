import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { keysOf } from "@cardkeep/contract/core/keysOf";
import { events } from "@cardkeep/contract/partners/events";
import type { Journey } from "@cardkeep/sandbox/trigger/journey";
import { journeys } from "@cardkeep/sandbox/trigger/journeys";
import { filled } from "../support/filled.ts";
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

/** One text for each journey: the same person who takes the same steps. */
const nameJourney = ({ person, play }: Journey): string => `${JSON.stringify(person)} ${play?.name}`;
const groups = Object.values(Object.groupBy(keysOf(events), (event) => nameJourney(journeys[event])));

describe("a triggered event arrives at the partner's inbox, signed, about the person that was made:", () => {
  // A journey that leads to several events is played once, by the name of the first.
  for (const [event = "", ...others] of filled(groups.map((group) => group ?? [])))
    test([event, ...others].join(", "), async () => {
      const { status, body } = await trigger(event);
      expect({ status, error: body.error }).toEqual({ status: 200, error: undefined });
      for (const eventType of [event, ...others]) {
        const find = async () =>
          (await newAttempts()).find(
            (attempt) =>
              JSON.parse(attempt.body).eventType === eventType &&
              attempt.body.includes(body.person.id) &&
              (eventType !== event || attempt.headers["webhook-id"] === body.deliveryId),
          );
        await until(async () => (await find()) !== undefined);
        expect((await find())?.verified).toBe(true);
      }
      seen = (await newAttempts()).at(-1)?.sequence ?? seen;
    });
});
