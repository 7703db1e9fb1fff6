import { listSuccessRates } from "@cardkeep/domain/operations/health/measureDeliveries";
import { changePartner, enableWebhook, setPartnerStatus } from "@cardkeep/domain/partners/partners/changePartner";
import { createPartner } from "@cardkeep/domain/partners/partners/createPartner";
import { getPartner, listPartners } from "@cardkeep/domain/partners/partners/getPartner";
import { rotatePartnerKey } from "@cardkeep/domain/partners/partners/keys";
import { Answered, defineNoun } from "../defineNoun.ts";
import { code, id, instant, status, text } from "../value.ts";
import { change, creation, endpointInputs, overlapHours, rotation, rotationInputs } from "./partnerInputs.ts";
import { formatRate, hideEndpoint, listFields, listKeys, type PartnerRow, readHost, readUse } from "./partnerTables.ts";

export const partners = defineNoun({
  name: "partners",
  title: "Partners",
  group: "Access",
  brief: "Apps that may sign people in",
  argument: { name: "id", brief: "Id of the partner" },
  keyOf: (row: PartnerRow) => row.id,
  list: {
    verb: "partners.list",
    brief: "Lists partners, newest first",
    example: "partners list",
    lead: "Who may sign people in, and receives events.",
    none: "There are no partners.",
    hint: "Register one: `cardkeep partners create --name Shop --domain shop.example.org`.",
    filters: {},
    columns: [
      { name: "Partner", of: (row) => id(row.id, "partners") },
      { name: "Name", of: (row) => text(row.name, "stranger") },
      { name: "Status", of: (row) => status(row.status) },
      { name: "Created", of: (row) => instant(row.createdAt) },
      { name: "Domains", of: (row) => text(row.domains.join(", ") || null), terminal: "elastic" },
      { name: "Endpoint", of: (row) => text(readHost(row.webhookUrl)), terminal: "hidden" },
      { name: "Endpoint is", of: (row) => status(row.webhookUrl && row.webhookStatus), terminal: "hidden" },
      { name: "Success, day", of: ({ rates }) => text(formatRate(rates?.day)), terminal: "hidden" },
      { name: "Success, week", of: ({ rates }) => text(formatRate(rates?.week)), terminal: "hidden" },
    ],
    read: async (ctx, position): Promise<readonly PartnerRow[]> => {
      const rows = await listPartners(ctx, position);
      const rates = await listSuccessRates(ctx, { partnerIds: rows.map((row) => row.id) });
      return rows.map((row) => ({ ...hideEndpoint(ctx, row), rates: rates.get(row.id) }));
    },
  },
  show: {
    verb: "partners.show",
    brief: "Shows one partner with its domains",
    example: "partners show shop",
    title: "Partner",
    read: readUse,
    rowOf: (shown) => shown,
    page: (shown) => ({ tables: [listKeys(shown)] }),
    fields: (shown) => [
      ...listFields(shown),
      ["No attempt before", instant(shown.pausedUntil)],
      ["Subscriptions", text(`${shown.subscriptions}${shown.isCut ? " or more" : ""}`)],
      ["Success of a day", text(formatRate(shown.rates?.day) ?? "no attempt")],
      ["Success of a week", text(formatRate(shown.rates?.week) ?? "no attempt")],
    ],
  },
  acts: {
    create: {
      verb: "partners.create",
      label: "Register a partner",
      brief: "Registers a partner. Its domains may sign people in at once. Its keys are shown once",
      example: "partners create --name Shop --domain shop.example.org --webhook-url https://shop.example.org/events",
      isKeyless: true,
      showsSecret: true,
      inputs: {
        name: { label: "Name", brief: "Name that people see", placeholder: "TEXT", isRequired: true },
        domain: {
          label: "Domains, divided by commas",
          brief: "Domain of its apps; give the flag once per domain",
          placeholder: "HOST[:PORT]",
          isList: true,
        },
        ...endpointInputs,
        id: { label: "Id", brief: "Id of the partner; generated if left out", placeholder: "ID" },
      },
      check: creation.check,
      run: async (ctx, key, given) => {
        const { apiKey, webhookSecret, id: made } = await createPartner(ctx, creation.parse(key, given));
        const partner = await getPartner(ctx, { id: made });
        return new Answered(made, { ...partner, apiKey, webhookSecret }, [
          ...listFields(partner),
          ["API key", code(apiKey)],
          ["Secret", code(webhookSecret)],
          ["Note", text("Keep both keys now: they are shown once.")],
        ]);
      },
    },
    change: {
      verb: "partners.change",
      brief: "Changes where and how a partner receives its events. A flag that is left out changes nothing",
      example: "partners change shop --payload thin",
      inputs: endpointInputs,
      check: change.check,
      offer: ({ webhookUrl, payload, hasAllEvents, contact }) => ({
        label: "Change its endpoint",
        consequence: "Deliveries go to the new address at once. A disabled endpoint is enabled by a new address.",
        present: { webhookUrl, payload, events: hasAllEvents ? "all" : "published", email: contact },
      }),
      run: (ctx, key, given) => changePartner(ctx, { ...change.parse(key, given), id: key }),
    },
    rotate: {
      verb: "partners.rotate",
      brief: `Creates a new webhook secret or API key, shown once. The old one works for ${overlapHours.default} hours unless you say otherwise`,
      example: "partners rotate shop --overlap-hours 48",
      showsSecret: true,
      inputs: rotationInputs,
      check: rotation.check,
      offer: () => ({
        label: "Create a new key",
        consequence:
          "The next page shows the new key, once; where a second person approves it, that person sees it. The present ones end after the hours below: give it to the partner before.",
        present: { overlapHours: String(overlapHours.default) },
        isDanger: true,
      }),
      run: async (ctx, key, given) => {
        const { kind, overlapHours: hours, scopes, expiresAt } = rotation.parse(key, given);
        const rotated = await rotatePartnerKey(ctx, {
          id: key,
          kind,
          overlapSeconds: hours * 3_600,
          ...(kind === "api" && scopes !== undefined && { scopes }),
          ...(expiresAt !== undefined && { expiresAt }),
        });
        return new Answered(key, rotated, [
          [kind === "api" ? "API key" : "Secret", code(rotated.key)],
          ["Older until", instant(rotated.olderUntil)],
          ["Note", text("Keep the key now: it is shown once.")],
        ]);
      },
    },
    disable: {
      verb: "partners.disable",
      brief: "Disables a partner: its domains sign people in no longer",
      example: "partners disable shop",
      offer: (row) =>
        row.status === "ACTIVE"
          ? {
              label: "Disable this partner",
              consequence:
                "No user can sign in on its domains any more, its API keys are refused, and nothing is delivered. Access tokens that were given out live until they expire. It can be enabled again.",
              isDanger: true,
            }
          : null,
      run: (ctx, key) => setPartnerStatus(ctx, { id: key, status: "DISABLED" }),
    },
    enable: {
      verb: "partners.enable",
      brief: "Enables a partner: its domains sign people in again",
      example: "partners enable shop",
      offer: (row) =>
        row.status === "ACTIVE"
          ? null
          : {
              label: "Enable this partner",
              consequence:
                "People can sign in on its domains again, its API keys work, and what was kept back is delivered.",
            },
      run: (ctx, key) => setPartnerStatus(ctx, { id: key, status: "ACTIVE" }),
    },
    "enable-webhook": {
      verb: "webhooks.enable",
      brief: "Enables the disabled webhook of a partner and sends its kept events",
      example: "webhooks enable shop",
      offer: (row) =>
        row.webhookStatus === "DISABLED"
          ? {
              label: "Enable its endpoint",
              consequence: "The events that were kept back are delivered, oldest first.",
            }
          : null,
      run: async (ctx, key) => {
        await enableWebhook(ctx, { id: key });
        return getPartner(ctx, { id: key });
      },
    },
  },
});
