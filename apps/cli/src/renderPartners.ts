import type { listPartners, PartnerDetails } from "@cardkeep/domain/partners/getPartner";
import { formatInstant } from "@cardkeep/domain/wording";
import type { Answer } from "./answer.ts";
import { renderFields, renderTable } from "./print.ts";

/** A table of partners. */
export const renderPartners = (partners: Awaited<ReturnType<typeof listPartners>>): string =>
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
      formatInstant(partner.createdAt),
      partner.domains.join(", ") || "-",
    ]),
    "There are no partners.",
  );

const describeEndpoint = ({ webhookUrl, webhookStatus, webhookReason, failingSince }: PartnerDetails): string => {
  if (webhookUrl === null) return "none";
  if (webhookStatus === "DISABLED") return `disabled: ${webhookReason}`;
  return failingSince === null ? "in order" : `failing since ${formatInstant(failingSince)}`;
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
    ["Endpoint", describeEndpoint(partner)],
    ["E-mail", partner.contact ?? "-"],
    ["Users", String(partner.users)],
    ["Created", formatInstant(partner.createdAt)],
  ]),
});
