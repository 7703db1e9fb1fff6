import { createPartner, newPartner } from "@cardkeep/domain/partners/create";
import { getPartner, type PartnerDetails } from "@cardkeep/domain/partners/get";
import { listPartners } from "@cardkeep/domain/partners/list";
import { setPartnerStatus } from "@cardkeep/domain/partners/setStatus";
import { z } from "zod";
import { type Answer, defineCommand, type Noun } from "./command.ts";
import { limit, limitFlag, tellMore } from "./lists.ts";
import { formatInstant, renderFields, renderTable } from "./print.ts";

const answer = (partner: PartnerDetails): Answer => ({
  data: partner,
  text: renderFields([
    ["Id", partner.id],
    ["Name", partner.name],
    ["Status", partner.status],
    ["Domains", partner.domains],
    ["Webhook", partner.webhookUrl ?? "-"],
    ["Users", String(partner.users)],
    ["Created", formatInstant(partner.createdAt)],
  ]),
});

const id = z.object({ id: z.string() });

export const partners: Noun = {
  summary: "Apps that may sign people in",
  verbs: {
    list: defineCommand({
      summary: "Every partner, newest first",
      flags: { limit: limitFlag },
      input: z.object({ limit }),
      run: async (session, input) => {
        const data = await listPartners((await session.open()).services, input);
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
        return { data, text: renderTable(columns, rows, "There are no partners.") + tellMore(data, input.limit) };
      },
    }),
    show: defineCommand({
      summary: "One partner with its domains",
      takes: ["id"],
      input: id,
      run: async (session, input) => answer(await getPartner((await session.open()).services, input)),
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
        webhookUrl: { kind: "text", value: "URL", summary: "Where its events are to go" },
        id: { kind: "text", value: "ID", summary: "Its id, made up unless given" },
      },
      input: newPartner,
      run: async (session, input) => {
        const { services } = await session.open();
        return answer(await getPartner(services, await createPartner(services, input)));
      },
    }),
    disable: defineCommand({
      summary: "Its domains sign nobody in any more",
      takes: ["id"],
      input: id,
      run: async (session, input) =>
        answer(await setPartnerStatus((await session.open()).services, { ...input, status: "DISABLED" })),
    }),
    enable: defineCommand({
      summary: "Its domains sign people in again",
      takes: ["id"],
      input: id,
      run: async (session, input) =>
        answer(await setPartnerStatus((await session.open()).services, { ...input, status: "ACTIVE" })),
    }),
  },
};
