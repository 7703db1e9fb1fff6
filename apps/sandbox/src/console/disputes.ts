/** The card network's desk: it decides the disputes that were submitted. */
import { findIssuerObject, type IssuerObject, listIssuerObjects } from "@cardkeep/db/sandbox/issuerObjects";
import type { Db } from "@cardkeep/db/client";
import { type Html, markup } from "@cardkeep/html/markup";
import { renderTime } from "@cardkeep/html/time";
import { z } from "zod";
import { transactionObject } from "../issuer/authorizations.ts";
import { disputeObject } from "../issuer/decideDispute.ts";
import { formatCents } from "./amounts.ts";
import { type Desk, renderWayOn } from "./desk.ts";
import { renderAction, renderBadge, renderCopy, renderCut, renderEmpty, type Tone } from "./parts.ts";

const disputesMax = 30;

const shown = z.object({
  id: z.string(),
  amount: z.number(),
  currency: z.string(),
  status: z.string(),
  loss_reason: z.string().optional(),
  transaction: z.string(),
  balance_transactions: z.array(z.object({ amount: z.number() })),
  evidence: z.object({ reason: z.string() }).catchall(z.record(z.string(), z.unknown())),
});
const disputed = z.object({ merchant_data: z.object({ name: z.string() }) });

const tones: Readonly<Record<string, Tone>> = { unsubmitted: "plain", submitted: "warn", won: "good", lost: "bad" };

/** The decisions that each status allows. */
const moves: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  unsubmitted: [["expire", "Expire"]],
  submitted: [
    ["win", "Win"],
    ["lose", "Lose"],
    ["reinstate", "Pay provisionally"],
    ["expire", "Expire"],
  ],
  won: [
    ["takeBack", "Take back"],
    ["reinstate", "Pay"],
    ["lose", "Reverse to lost"],
  ],
  lost: [["win", "Reverse to won"]],
};

const renderMoves = (id: string, status: string): Html | false =>
  (moves[status] ?? []).length > 0 &&
  renderAction({
    path: `/issuer/disputes/${id}/decide`,
    label: `Decide dispute ${id}`,
    done: "Done: {status}.",
    content: markup`<div class="row inline">
      <input name="amount" inputmode="decimal" data-kind="cents" placeholder="all" aria-label="Amount" pattern="[0-9]+([.][0-9]{1,2})?" />
      ${(moves[status] ?? []).map(([outcome, text]) => markup`<button class="plain" name="outcome" value="${outcome}">${text}</button>`)}
    </div>`,
  });

async function renderDispute(store: Db, { data, createdAt }: IssuerObject): Promise<Html> {
  const { id, amount, currency, status, loss_reason, transaction, balance_transactions, evidence } = shown.parse(data);
  const found = await findIssuerObject(store, transactionObject, transaction);
  const name = disputed.safeParse(found?.data).data?.merchant_data.name ?? transaction;
  const paid = balance_transactions.reduce((sum, entry) => sum + entry.amount, 0);
  const given = Object.entries(evidence[evidence.reason] ?? {}).filter(([, value]) => value !== null);
  return markup`<li id="dispute-${id}">
    <div class="head">
      <div>
        <h3>${name} ${renderBadge(status, tones[status])}</h3>
        <p class="meta">${evidence.reason} ${loss_reason} ${renderTime(createdAt)} <span>dispute ${renderCopy(id)}</span></p>
      </div>
      <p class="sum">
        <strong>${formatCents(amount, currency)}</strong>
        ${paid !== 0 && markup`<small>paid ${formatCents(paid, currency)}</small>`}
      </p>
    </div>
    <details>
      <summary>Evidence</summary>
      <dl>${given.map(([field, value]) => markup`<dt>${field}</dt><dd>${String(value)}</dd>`)}</dl>
    </details>
    ${renderMoves(id, status)}
  </li>`;
}

export const disputes: Desk = {
  id: "disputes",
  title: "Disputes",
  summary: "Decide disputes as the card network does: in whole, in part, and again after an appeal.",
  render: async ({ runtime: { store }, person }) => {
    const page = { object: disputeObject, part: {}, startingAfter: null, limit: disputesMax };
    const found = await listIssuerObjects(store, page);
    if (found.length === 0)
      return renderEmpty("No dispute yet.", renderWayOn("Dispute a payment at the Person desk", person));
    return markup`<ol class="rows">${await Promise.all(found.map((dispute) => renderDispute(store, dispute)))}</ol>
      ${renderCut(found.length, disputesMax)}`;
  },
};
