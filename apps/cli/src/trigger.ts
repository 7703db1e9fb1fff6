/** `cardkeep trigger`: makes an event happen in the sandbox. */
import type { EventType } from "@cardkeep/contract/partners/events";
import { z } from "zod";
import { buildVerb } from "./answer.ts";
import type { CliContext } from "./context.ts";
import { eventTypes, parseEventType } from "./eventTypes.ts";
import { withJson } from "./parameters.ts";
import { renderFields } from "./print.ts";
import { callSandbox, findSandbox, refuseInProduction, sandboxFlag } from "./sandbox.ts";
import type { Text } from "./texts.ts";

const triggered = z.object({
  event: z.string(),
  deliveryId: z.string(),
  person: z.object({
    id: z.string(),
    privateKey: z.string(),
    address: z.string(),
    token: z.string(),
    safe: z.string().nullable(),
    cards: z.array(z.object({ cardToken: z.string() }).loose()),
    iban: z.string().nullable(),
  }),
  played: z.record(z.string(), z.string()),
});

const render = ({ event, deliveryId, person, played }: z.output<typeof triggered>): Text =>
  renderFields([
    ["Event", event],
    ["Delivery", deliveryId],
    ["Person", person.id],
    ["Wallet", person.address],
    ["Key", person.privateKey],
    ["Token", person.token],
    ["Safe", person.safe ?? "-"],
    ["Cards", person.cards.map(({ cardToken }) => cardToken)],
    ["IBAN", person.iban ?? "-"],
    ...Object.entries(played),
  ]);

export const trigger = buildVerb({
  verb: "trigger.run",
  brief: "Plays the journey of a new person that leads to an event, in the sandbox, and prints what it made",
  details:
    "The event is delivered to the partner `sandbox`. Where the journey passes a delay, it advances the clock.\n\n" +
    `Events\n${eventTypes.map((type) => `  ${type}`).join("\n")}`,
  waitsFor: "the sandbox plays the journey",
  example: ["trigger card.transaction.cleared", "trigger account.withdrawal.completed --json"],
  parameters: {
    flags: withJson({ sandbox: sandboxFlag }),
    positional: {
      kind: "tuple",
      parameters: [{ parse: parseEventType, placeholder: "event", brief: "Kind of event" }],
    },
  },
  run: async (cli: CliContext, flags: { sandbox?: string }, event: EventType) => {
    refuseInProduction();
    const sandbox = findSandbox(cli, flags.sandbox, { isChange: true });
    const data = await callSandbox({ sandbox, path: "/trigger", body: { event } }, triggered);
    return { data, text: render(data) };
  },
});
