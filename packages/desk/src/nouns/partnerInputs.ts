/** What operators give to register and change partners, and to rotate their keys. */
import { givenInstant } from "@cardkeep/contract/core/instantOrDate";
import { partnerScopes } from "@cardkeep/contract/core/scopes";
import { newPartner } from "@cardkeep/domain/partners/partners/createPartner";
import { z } from "zod";
import { readBySchema, readNumber, splitList } from "../input.ts";
import type { Given, Input } from "../noun.ts";

/** How long a rotated key works on: time to roll the new one out. */
export const overlapHours = { default: 24, max: 720 };

export const endpointInputs = {
  webhookUrl: {
    label: "Endpoint: https and public",
    brief: "Address for the partner's events: https and public",
    placeholder: "URL",
  },
  payload: {
    label: "Deliveries carry",
    brief: "Content of a delivery: the whole event, or the user's id only",
    placeholder: "full|thin",
    values: ["full", "thin"],
    meanings: { full: "the whole event", thin: "the user's id" },
  },
  email: {
    label: "Mail address for the message that the endpoint is disabled",
    brief: "Address for a message when the webhook is disabled",
    placeholder: "ADDRESS",
  },
  events: {
    label: "Kinds of events",
    brief: "Kinds of events: the published ones, or all, such as iban.order.received",
    placeholder: "published|all",
    values: ["published", "all"],
    meanings: { published: "the published ones", all: "all" },
  },
} as const satisfies Record<string, Input>;

/** What `events` says, as partners are stored. */
const readEndpoint = ({ webhookUrl, payload, email, events }: Given) => ({
  webhookUrl,
  payload,
  email,
  hasAllEvents: events === undefined || events === "" ? undefined : events === "all",
});

export const creation = readBySchema(
  newPartner,
  (_, { name, domain, id, ...given }) => ({
    name,
    id,
    domains: splitList(domain),
    ...readEndpoint(given),
  }),
  { domains: "domain" },
);
export const change = readBySchema(
  newPartner
    .pick({ webhookUrl: true, email: true })
    .extend({ payload: z.enum(["full", "thin"]).optional(), hasAllEvents: z.boolean().optional() }),
  (_, given) => readEndpoint(given),
);
export const rotation = readBySchema(
  z.object({
    kind: z.enum(["api", "secret"]),
    overlapHours: z.number().min(0).max(overlapHours.max).default(overlapHours.default),
    scopes: z.array(z.enum(partnerScopes)).optional(),
    expiresAt: givenInstant()
      .transform((words) => new Date(words))
      .optional(),
  }),
  (_, { api, scope, expires, overlapHours: hours }) => ({
    kind: api === "yes" ? "api" : "secret",
    overlapHours: readNumber(hours),
    scopes: splitList(scope),
    expiresAt: expires,
  }),
  { scopes: "scope", expiresAt: "expires" },
);

export const rotationInputs = {
  api: {
    label: "Rotate the API key, not the webhook secret",
    brief: "Rotate the API key, not the webhook secret",
    placeholder: "yes",
    values: ["yes"],
    isSwitch: true,
  },
  scope: {
    label: "What the API key opens; by default what the one before opens",
    brief: "What the API key opens; give the flag once per scope. By default what the one before opens",
    placeholder: partnerScopes.join("|"),
    values: partnerScopes,
    isList: true,
  },
  expires: {
    label: "End of the new key",
    brief: "End of the new key: ISO 8601; without it, the next one ends it",
    placeholder: "INSTANT",
    calendar: "instant",
  },
  overlapHours: {
    label: "Hours that the present keys still work",
    brief: `Hours that the old key works on; ${overlapHours.default} if not given`,
    placeholder: "N",
    isNumber: true,
  },
} as const satisfies Record<string, Input>;
