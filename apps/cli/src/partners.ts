import { createPartner, newPartner } from "@cardkeep/domain/partners/partners/createPartner";
import { getPartner, listPartners } from "@cardkeep/domain/partners/partners/getPartner";
import { changePartner, setPartnerStatus } from "@cardkeep/domain/partners/partners/changePartner";
import { rotatePartnerKey } from "@cardkeep/domain/partners/partners/keys";
import { type PartnerScope, partnerScopes } from "@cardkeep/contract/core/scopes";
import { z } from "zod";
import { buildRouteMap } from "@stricli/core";
import { buildChange, buildVerb } from "./answer.ts";
import type { CliContext } from "./context.ts";
import { formatMoreHint, limit } from "./lists.ts";
import {
  optionalSwitch,
  optionalText,
  parseBy,
  parseInput,
  parseNumber,
  parseText,
  textArgument,
  withJson,
  withReason,
} from "./parameters.ts";
import { answerPartner, renderPartners } from "./renderPartners.ts";
import { renderFields } from "./print.ts";
import { joinTexts } from "./texts.ts";

/** How long a rotated key works on: time to roll the new one out. */
const overlapHoursDefault = 24;
const overlapHoursMax = 720;

const idArgument = textArgument("id", "Id of the partner");

const changeable = {
  webhookUrl: optionalText("URL", "Address for the partner's events: https and public"),
  payload: {
    kind: "enum",
    values: ["full", "thin"],
    optional: true,
    brief: "Content of a delivery: the whole event, or the user's id only",
  },
  email: optionalText("ADDRESS", "Address for a message when the webhook is disabled"),
  events: {
    kind: "enum",
    values: ["published", "all"],
    optional: true,
    brief: "Kinds of events: the published ones, or all, such as iban.order.received",
  },
} as const;

interface ChangeFlags {
  webhookUrl?: string;
  payload?: "full" | "thin";
  email?: string;
  events?: "published" | "all";
}

/** What `--events` says, as partners are stored. */
const readEvents = ({ events }: ChangeFlags) => (events === undefined ? {} : { hasAllEvents: events === "all" });

interface RotateFlags {
  api?: boolean;
  overlapHours: number;
  scope?: PartnerScope[];
  expires?: Date;
}

interface NewPartnerFlags {
  name: string;
  domain?: string[];
  id?: string;
}

const change = newPartner
  .pick({ webhookUrl: true, email: true })
  .extend({ payload: z.enum(["full", "thin"]).optional(), hasAllEvents: z.boolean().optional() });

const setStatus = (status: "ACTIVE" | "DISABLED", brief: string, verb: "enable" | "disable") =>
  buildChange({
    verb: `partners.${verb}`,
    brief,
    example: `partners ${verb} shop`,
    parameters: { flags: withReason({}), positional: idArgument },
    run: async (cli: CliContext, _: object, id: string) =>
      answerPartner(await setPartnerStatus(await cli.open(), { id, status })),
  });

export const partners = buildRouteMap({
  docs: { brief: "Apps that may sign people in" },
  routes: {
    list: buildVerb({
      verb: "partners.list",
      brief: "Lists partners, newest first",
      example: "partners list",
      parameters: { flags: withJson({ limit }) },
      run: async (cli: CliContext, flags: { limit: number }) => {
        const data = await listPartners(await cli.open(), flags);
        return { data, text: joinTexts(renderPartners(data), formatMoreHint(data, flags.limit)) };
      },
    }),
    show: buildVerb({
      verb: "partners.show",
      brief: "Shows one partner with its domains",
      example: "partners show shop",
      parameters: { flags: withJson({}), positional: idArgument },
      run: async (cli: CliContext, _: object, id: string) => answerPartner(await getPartner(await cli.open(), { id })),
    }),
    create: buildChange({
      verb: "partners.create",
      brief: "Registers a partner. Its domains may sign people in at once. Its keys are shown once",
      example: "partners create --name Shop --domain shop.example.org --webhook-url https://shop.example.org/events",
      parameters: {
        flags: withReason({
          name: { kind: "parsed", parse: parseText, placeholder: "TEXT", brief: "Name that people see" },
          domain: {
            kind: "parsed",
            parse: parseText,
            optional: true,
            variadic: true,
            placeholder: "HOST[:PORT]",
            brief: "Domain of its apps; give the flag once per domain",
          },
          ...changeable,
          id: optionalText("ID", "Id of the partner; generated if left out"),
        }),
      },
      run: async (cli: CliContext, flags: ChangeFlags & NewPartnerFlags) => {
        const { name, domain, id, webhookUrl, payload, email } = flags;
        const input = parseInput(
          newPartner,
          { name, domains: domain, id, webhookUrl, payload, email, ...readEvents(flags) },
          { domains: "domain" },
        );
        const ctx = await cli.open();
        const { apiKey, webhookSecret, id: partnerId } = await createPartner(ctx, input);
        const { data, text } = answerPartner(await getPartner(ctx, { id: partnerId }));
        const keys = renderFields([
          ["API key", apiKey],
          ["Secret", webhookSecret],
        ]);
        const shown = { ...Object(data), apiKey, webhookSecret };
        return { data: shown, text: joinTexts(text, keys, "Keep both keys now: they are shown once.\n") };
      },
    }),
    change: buildChange({
      verb: "partners.change",
      brief: "Changes where and how a partner receives its events. A flag that is left out changes nothing",
      example: "partners change shop --payload thin",
      parameters: { flags: withReason(changeable), positional: idArgument },
      run: async (cli: CliContext, flags: ChangeFlags, id: string) => {
        const { webhookUrl, payload, email } = flags;
        const input = parseInput(change, { webhookUrl, payload, email, ...readEvents(flags) });
        return answerPartner(await changePartner(await cli.open(), { ...input, id }));
      },
    }),
    rotate: buildChange({
      verb: "partners.rotate",
      brief: `Creates a new webhook secret or API key, shown once. The old one works for ${overlapHoursDefault} hours unless you say otherwise`,
      example: "partners rotate shop --overlap-hours 48",
      parameters: {
        flags: withReason({
          api: optionalSwitch("Rotate the API key, not the webhook secret"),
          scope: {
            kind: "enum",
            values: partnerScopes,
            optional: true,
            variadic: true,
            brief: "What the API key opens; give the flag once per scope. By default what the one before opens",
          },
          expires: {
            kind: "parsed",
            parse: parseBy(z.iso.datetime({ offset: true }).transform((text) => new Date(text))),
            optional: true,
            placeholder: "INSTANT",
            brief: "End of the new key: ISO 8601; without it, the next one ends it",
          },
          overlapHours: {
            kind: "parsed",
            parse: parseBy(z.number().min(0).max(overlapHoursMax), parseNumber),
            default: String(overlapHoursDefault),
            placeholder: "N",
            brief: "Hours that the old key works on",
          },
        }),
        positional: idArgument,
      },
      run: async (cli: CliContext, { api, overlapHours, scope, expires }: RotateFlags, id: string) => {
        const kind = api === true ? "api" : "secret";
        const data = await rotatePartnerKey(await cli.open(), {
          id,
          kind,
          overlapSeconds: overlapHours * 3_600,
          ...(kind === "api" && scope !== undefined && { scopes: scope }),
          ...(expires !== undefined && { expiresAt: expires }),
        });
        const text = renderFields([
          [api === true ? "API key" : "Secret", data.key],
          ["Older until", data.olderUntil],
        ]);
        return { data, text: joinTexts(text, "Keep the key now: it is shown once.\n") };
      },
    }),
    disable: setStatus("DISABLED", "Disables a partner: its domains sign people in no longer", "disable"),
    enable: setStatus("ACTIVE", "Enables a partner: its domains sign people in again", "enable"),
  },
});
