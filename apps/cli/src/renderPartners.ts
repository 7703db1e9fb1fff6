import type { listPartners, PartnerDetails } from "@cardkeep/domain/partners/partners/getPartner";
import type { Answer } from "./answer.ts";
import { renderFields, renderTable } from "./print.ts";
import { phrase, type Text } from "./texts.ts";

/** A table of partners. */
export const renderPartners = (partners: Awaited<ReturnType<typeof listPartners>>): Text =>
  renderTable(
    [
      { title: "id" },
      { title: "name" },
      { title: "status" },
      { title: "created" },
      { title: "domains", elastic: true },
    ],
    partners.map((partner) => [
      partner.id,
      partner.name,
      partner.status,
      partner.createdAt,
      partner.domains.join(", ") || "-",
    ]),
    "There are no partners. Register one: `cardkeep partners create --name Shop --domain shop.example.org`.",
  );

const describeEndpoint = ({ webhookUrl, webhookStatus, webhookReason, failingSince }: PartnerDetails): Text => {
  if (webhookUrl === null) return "none";
  if (webhookStatus === "DISABLED") return `disabled: ${webhookReason}`;
  return failingSince === null ? "in order" : phrase`failing since ${failingSince}`;
};

/** One partner with its domains, as a command answers it. */
export const answerPartner = (partner: PartnerDetails): Answer => ({
  data: partner,
  text: renderFields([
    ["Id", partner.id],
    ["Name", partner.name],
    ["Status", partner.status],
    ["Domains", partner.domains],
    ["Webhook", partner.webhookUrl ?? "-"],
    ["Payload", partner.payload],
    ["Events", partner.hasAllEvents ? "all" : "published"],
    ["Endpoint", describeEndpoint(partner)],
    ["E-mail", partner.contact ?? "-"],
    ["Users", String(partner.users)],
    ["Created", partner.createdAt],
  ]),
});
