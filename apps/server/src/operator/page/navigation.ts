/** The rooms of the operator's pages, in groups: the navigation of every page. */
import type { OperatorActor } from "@cardkeep/domain/core/actor";
import { hasRole } from "@cardkeep/domain/core/operators/requireRole";
import type { OperatorVerb } from "@cardkeep/domain/core/operators/verbs";
import type { NounGroup } from "@cardkeep/desk/noun";
import { deskNouns } from "@cardkeep/desk/nouns";
import { markup, type Html } from "@cardkeep/html/markup";

const overview = "/operator";
/** The figures of the programme: the first room of those who do not run the service. */
const figures = "figures";

interface Room {
  readonly path: string;
  readonly name: string;
  /** Operators whose roles do not allow it do not see the room. */
  readonly verb: OperatorVerb;
}

const groupNames: readonly NounGroup[] = ["People", "Money", "Operations", "Access"];

/** Rooms that show more than one noun, behind those of their group. */
const others: Readonly<Partial<Record<NounGroup, readonly Room[]>>> = {
  Money: [
    { path: "/operator/money", name: "Where the money is", verb: "treasury.show" },
    { path: "/operator/reports", name: "Reports", verb: "books.show" },
  ],
  Access: [{ path: "/operator/roles", name: "Roles", verb: "overview.show" }],
};

/** Each noun is a room, in the order of the table. */
const groups: ReadonlyMap<NounGroup, readonly Room[]> = new Map(
  groupNames.map((group) => {
    const nouns = deskNouns.filter((noun) => noun.group === group && noun.name !== figures);
    const rooms = nouns.map(({ name, title, list: { verb } }) => ({ path: `/operator/${name}`, name: title, verb }));
    return [group, [...rooms, ...(others[group] ?? [])]];
  }),
);

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
  const shown = [...groups]
    .map(([group, rooms]) => ({ group, rooms: rooms.filter(({ verb }) => hasRole(operator, verb)) }))
    .filter(({ rooms }) => rooms.length > 0);
  return markup`<nav id="rooms" popover aria-label="Pages">
    ${renderRoom(path, overview, "Overview")} ${renderRoom(path, `/operator/${figures}`, "Figures")}
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
