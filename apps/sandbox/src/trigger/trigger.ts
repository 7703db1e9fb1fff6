/** Makes a certain event happen. */
import { keysOf } from "@cardkeep/contract/core/keysOf";
import { events } from "@cardkeep/contract/partners/events";
import { findDeliveryId } from "@cardkeep/db/sandbox/deliveries";
import { z } from "zod";
import { partnerId, startPerson } from "../people/createPerson.ts";
import { waitUntil } from "../people/openAccount.ts";
import { defineSandboxRoute } from "../core/route.ts";
import { journeys } from "./journeys.ts";

// The catalogue's keys are its event types.
const eventTypes = keysOf(events);

export const trigger = defineSandboxRoute({
  method: "POST",
  path: "/trigger",
  summary:
    "Plays the journey of a new person that leads to an event, and waits until the event is on its way to the partner `sandbox`",
  input: z.strictObject({ event: z.enum(eventTypes) }),
  example: { event: "card.transaction.cleared" },
  run: async (runtime, { event }) => {
    const journey = journeys[event];
    const { made, person } = await startPerson(runtime, journey.person);
    const played = (await journey.play?.(person)) ?? {};
    let deliveryId: string | null = null;
    await waitUntil(`The event ${event}`, async () => {
      deliveryId = await findDeliveryId(runtime.db, { userId: person.id, eventType: event, partnerId });
      return deliveryId !== null;
    });
    return { event, deliveryId, person: made, played };
  },
});
