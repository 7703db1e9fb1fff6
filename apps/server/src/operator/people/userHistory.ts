/** One line of time of everything that happened to a user. */
import type { HistoryPosition } from "@cardkeep/db/queries/operations/userHistory";
import { type HistoryEntry, historyKinds } from "@cardkeep/domain/operations/people/historySources";
import { listUserHistory } from "@cardkeep/domain/operations/people/listUserHistory";
import { resolveUser } from "@cardkeep/domain/users/users/listUsers";
import { cleanText } from "@cardkeep/domain/core/wording";
import { type Html, markup } from "@cardkeep/html/markup";
import { readChoice, type ShowPage } from "../page/page.ts";
import { renderIdLink, renderTabs, renderWords } from "../page/parts.ts";
import { buildList, type Column } from "../page/table.ts";

const rooms: Readonly<Record<NonNullable<HistoryEntry["subject"]>["kind"], string>> = {
  card: "/operator/cards",
  payment: "/operator/payments",
  operation: "/operator/delays",
  order: "/operator/orders",
  delivery: "/operator/deliveries",
  action: "/operator/actions",
};

const textOf = ({ text }: HistoryEntry): string => cleanText(text);

const renderSubject = ({ subject }: HistoryEntry): Html | null =>
  subject && markup`<span class="whole">${subject.kind} ${renderIdLink(rooms[subject.kind], subject.id)}</span>`;

/** The table of a history, as data. */
export const historyTable = {
  name: "history",
  none: "Nothing happened.",
  columns: [
    { name: "At", text: ({ at }) => at },
    { name: "About", text: ({ kind }) => kind, cell: ({ kind }) => markup`<span class="whole">${kind}</span>` },
    { name: "What", text: ({ word }) => cleanText(word), cell: ({ word }) => markup`<strong>${word}</strong>` },
    { name: "Details", text: textOf, cell: (entry) => renderWords(textOf(entry)) },
    { name: "See", text: ({ subject }) => subject?.id, cell: renderSubject },
  ] satisfies readonly Column<HistoryEntry>[],
};

const formatPosition = ({ at, key }: HistoryPosition): string => `${at.getTime()}_${key}`;

/** The position that an address names; null for none. */
function readHistoryPosition(text: string | null): HistoryPosition | null {
  const [, ms = "", key = ""] = /^(\d{1,14})_(.+)$/.exec(text ?? "") ?? [];
  return key === "" ? null : { at: new Date(Number(ms)), key };
}

export const showUserHistory: ShowPage = async (visit) => {
  const user = await resolveUser(visit.ctx.db, visit.params["id"] ?? "");
  const kind = readChoice(visit, "kind", historyKinds);
  const history = await buildList(visit, {
    ...historyTable,
    keyOf: formatPosition,
    read: ({ after, limit }) => listUserHistory(visit.ctx, user, { kind, after: readHistoryPosition(after), limit }),
  });
  return {
    title: "History",
    path: `/operator/users/${user.id}/history`,
    body: markup`<p class="lead">User ${renderIdLink("/operator/users", user.id)}</p>
      ${renderTabs(visit, "kind", historyKinds, kind)} ${history}`,
    tables: [history],
  };
};
