import { createPartner, newPartner } from "@cardkeep/domain/partners/create";
import { getPartner, type PartnerDetails } from "@cardkeep/domain/partners/getPartner";
import { listPartners } from "@cardkeep/domain/partners/listPartners";
import { changePartner } from "@cardkeep/domain/partners/changePartner";
import { rotatePartnerKey } from "@cardkeep/domain/partners/keys";
import { setPartnerStatus } from "@cardkeep/domain/partners/setPartnerStatus";
import { formatInstant } from "@cardkeep/domain/wording";
import { z } from "zod";
import { type Answer, defineCommand, type Noun } from "./command.ts";
import { limit, limitFlag, formatMoreHint } from "./lists.ts";
import { renderFields, renderTable } from "./print.ts";

const describeEndpoint = ({ webhookUrl, webhookStatus, webhookReason, failingSince }: PartnerDetails): string => {
  if (webhookUrl === null) return "none";
  if (webhookStatus === "DISABLED") return `disabled: ${webhookReason}`;
  return failingSince === null ? "in order" : `failing since ${formatInstant(failingSince)}`;
};

const answer = (partner: PartnerDetails): Answer => ({
  data: partner,
  text: renderFields([
    ["Id", partner.id],
    ["Name", partner.name],
    ["Status", partner.status],
    ["Domains", partner.domains],
    ["Webhook", partner.webhookUrl ?? "-"],
    ["Payload", partner.payload],
    ["Endpoint", describeEndpoint(partner)],
    ["E-mail", partner.contact ?? "-"],
    ["Users", String(partner.users)],
    ["Created", formatInstant(partner.createdAt)],
  ]),
});

/** Time enough to roll a secret out. */
const overlapHours = 24;

const id = z.object({ id: z.string() });

export const partners: Noun = {
  summary: "Apps that may sign people in",
  verbs: {
    list: defineCommand({
      summary: "Every partner, newest first",
      flags: { limit: limitFlag },
      input: z.object({ limit }),
      run: async (session, input) => {
        const data = await listPartners(await session.open(), input);
        const rows = data.map((row) => [
          row.id,
          row.name,
          row.status,
          formatInstant(row.createdAt),
          row.domains.join(", ") || "-",
        ]);
        const columns = [
          { title: "id" },
          { title: "name" },
          { title: "status" },
          { title: "created" },
          { title: "domains", elastic: true },
        ];
        return { data, text: renderTable(columns, rows, "There are no partners.") + formatMoreHint(data, input.limit) };
      },
    }),
    show: defineCommand({
      summary: "One partner with its domains",
      takes: ["id"],
      input: id,
      run: async (session, input) => answer(await getPartner(await session.open(), input)),
    }),
    create: defineCommand({
      summary: "Registers a partner; its domains may sign people in at once",
      flags: {
        name: { kind: "text", value: "TEXT", summary: "What people know it by; needed" },
        domains: {
          kind: "list",
          name: "domain",
          value: "HOST[:PORT]",
          summary: "A domain of its apps; again for each",
        },
        webhookUrl: { kind: "text", value: "URL", summary: "Where its events are to go: https and public" },
        payload: {
          kind: "text",
          value: "full|thin",
          summary: "What deliveries carry: all of it unless given, or the user's id",
        },
        email: { kind: "text", value: "ADDRESS", summary: "Who is told when the webhook was disabled" },
        id: { kind: "text", value: "ID", summary: "Its id, made up unless given" },
      },
      input: newPartner,
      run: async (session, input) => {
        const ctx = await session.open();
        const { apiKey, webhookSecret, id: partnerId } = await createPartner(ctx, input);
        const { data, text } = answer(await getPartner(ctx, { id: partnerId }));
        const keys = renderFields([
          ["API key", apiKey],
          ["Secret", webhookSecret],
        ]);
        const shown = { ...Object(data), apiKey, webhookSecret };
        return { data: shown, text: `${text}${keys}These two are told this once.\n` };
      },
    }),
    change: defineCommand({
      summary: "Changes where and how a partner is told events, and who hears of trouble",
      takes: ["id"],
      flags: {
        webhookUrl: { kind: "text", value: "URL", summary: "Where its events are to go: https and public" },
        payload: { kind: "text", value: "full|thin", summary: "What deliveries carry" },
        email: { kind: "text", value: "ADDRESS", summary: "Who is told when the webhook was disabled" },
      },
      input: newPartner.pick({ webhookUrl: true, email: true }).extend({
        id: z.string(),
        payload: z.enum(["full", "thin"]).optional(),
      }),
      run: async (session, input) => answer(await changePartner(await session.open(), input)),
    }),
    rotate: defineCommand({
      summary: "Gives a partner a new API key or webhook secret; the older ones hold for a while",
      takes: ["id"],
      flags: {
        api: { kind: "switch", summary: "The API key; the webhook secret unless given" },
        overlapHours: { kind: "number", value: "N", summary: `How long older ones hold, ${overlapHours} unless given` },
      },
      input: z.object({
        id: z.string(),
        api: z.boolean().default(false),
        overlapHours: z.number().min(0).max(720).default(overlapHours),
      }),
      run: async (session, input) => {
        const kind = input.api ? "api" : "secret";
        const overlapSeconds = input.overlapHours * 3_600;
        const data = await rotatePartnerKey(await session.open(), { id: input.id, kind, overlapSeconds });
        const text = renderFields([
          [input.api ? "API key" : "Secret", data.key],
          ["Older until", formatInstant(data.olderUntil)],
        ]);
        return { data, text: `${text}It is told this once.\n` };
      },
    }),
    disable: defineCommand({
      summary: "Its domains sign nobody in any more",
      takes: ["id"],
      input: id,
      run: async (session, input) =>
        answer(await setPartnerStatus(await session.open(), { ...input, status: "DISABLED" })),
    }),
    enable: defineCommand({
      summary: "Its domains sign people in again",
      takes: ["id"],
      input: id,
      run: async (session, input) =>
        answer(await setPartnerStatus(await session.open(), { ...input, status: "ACTIVE" })),
    }),
  },
};
