/** The rooms of the operator's pages, in groups: the navigation of every page. A new list page adds a line. */
import type { OperatorActor } from "@cardkeep/domain/core/actor";
import { hasRole } from "@cardkeep/domain/core/operators/requireRole";
import type { OperatorVerb } from "@cardkeep/domain/core/operators/verbs";
import type { NounGroup } from "@cardkeep/desk/noun";
import { deskNouns } from "@cardkeep/desk/nouns";
import { markup, type Html } from "@cardkeep/html/markup";

const overview = "/operator";

interface Room {
  readonly path: string;
  readonly name: string;
  /** Operators whose roles do not allow it do not see the room. */
  readonly verb: OperatorVerb;
}

/** The rooms of the nouns that are described once, in their order. */
const listDescribed = (group: NounGroup): Room[] =>
  deskNouns.flatMap(({ name, title, group: of, hasOwnPages, list: { verb } }) =>
    of === group && !hasOwnPages ? [{ path: `/operator/${name}`, name: title, verb }] : [],
  );

const groups: Readonly<Record<NounGroup, readonly Room[]>> = {
  People: [
    { path: "/operator/users", name: "Users", verb: "users.list" },
    { path: "/operator/cards", name: "Cards", verb: "cards.list" },
    { path: "/operator/orders", name: "Orders", verb: "orders.list" },
    ...listDescribed("People"),
  ],
  Money: [
    { path: "/operator/payments", name: "Payments", verb: "payments.list" },
    { path: "/operator/disputes", name: "Disputes", verb: "disputes.list" },
    ...listDescribed("Money"),
    { path: "/operator/rules", name: "Card rules", verb: "rules.list" },
    { path: "/operator/delays", name: "Delays", verb: "delays.list" },
    { path: "/operator/ledger", name: "Ledger", verb: "ledger.list" },
    { path: "/operator/exports", name: "Exports", verb: "exports.list" },
    { path: "/operator/money", name: "Where the money is", verb: "treasury.show" },
  ],
  Operations: [
    { path: "/operator/deliveries", name: "Deliveries", verb: "deliveries.list" },
    { path: "/operator/jobs", name: "Jobs", verb: "jobs.list" },
    { path: "/operator/relayers", name: "Relayers", verb: "relayers.list" },
    { path: "/operator/chores", name: "Chores", verb: "chores.list" },
    ...listDescribed("Operations"),
  ],
  Access: [
    { path: "/operator/partners", name: "Partners", verb: "partners.list" },
    { path: "/operator/approvals", name: "Approvals", verb: "approvals.list" },
    { path: "/operator/actions", name: "Actions", verb: "actions.list" },
    { path: "/operator/operators", name: "Operators", verb: "operators.list" },
    ...listDescribed("Access"),
  ],
};

const isIn = (path: string, room: string): boolean =>
  path === room || (room !== overview && path.startsWith(`${room}/`));

const renderRoom = (path: string, room: string, name: string, waiting = 0): Html =>
  markup`<a href="${room}"${isIn(path, room) && markup` aria-current="page"`}
    >${name}${waiting > 0 && markup` <span class="tag">${waiting} waiting</span>`}</a
  >`;

/** What waits in a room. */
export interface RoomCounts {
  readonly approvals: number;
}

const countOf = (room: string, counts: RoomCounts): number => (room === "/operator/approvals" ? counts.approvals : 0);

/** Beside the page on a desk. On a phone it is a popover, which the browser opens without a script. */
export function renderRooms(path: string, operator: Pick<OperatorActor, "roles">, counts: RoomCounts): Html {
  const shown = Object.entries(groups)
    .map(([group, rooms]) => ({ group, rooms: rooms.filter(({ verb }) => hasRole(operator, verb)) }))
    .filter(({ rooms }) => rooms.length > 0);
  return markup`<nav id="rooms" popover aria-label="Pages">
    ${renderRoom(path, overview, "Overview")}
    ${shown.map(
      ({ group, rooms }) =>
        markup`<p id="rooms-${group}">${group}</p>
          <ul aria-labelledby="rooms-${group}">
            ${rooms.map((room) => markup`<li>${renderRoom(path, room.path, room.name, countOf(room.path, counts))}</li>`)}
          </ul>`,
    )}
  </nav>`;
}

/** Opens the rooms on a phone. */
export const roomsButton: Html = markup`<button type="button" class="quiet menu" popovertarget="rooms">Menu</button>`;
