/** The rooms of the operator's pages, in groups: the navigation of every page. A new list page adds a line. */
import { markup, type Html } from "@cardkeep/html/markup";

const overview = "/operator";

const groups = {
  People: { "/operator/users": "Users", "/operator/cards": "Cards", "/operator/orders": "Orders" },
  Money: { "/operator/payments": "Payments", "/operator/delays": "Delays" },
  Operations: {
    "/operator/deliveries": "Deliveries",
    "/operator/jobs": "Jobs",
    "/operator/relayers": "Relayers",
    "/operator/stops": "Stop switches",
  },
  Access: { "/operator/actions": "Actions", "/operator/operators": "Operators" },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;

const isIn = (path: string, room: string): boolean =>
  path === room || (room !== overview && path.startsWith(`${room}/`));

const renderRoom = (path: string, room: string, name: string): Html =>
  markup`<a href="${room}"${isIn(path, room) && markup` aria-current="page"`}>${name}</a>`;

/** Beside the page on a desk. On a phone it is a popover, which the browser opens without a script. */
export const renderRooms = (path: string): Html =>
  markup`<nav id="rooms" popover aria-label="Pages">
    ${renderRoom(path, overview, "Overview")}
    ${Object.entries(groups)
      .filter(([, rooms]) => Object.keys(rooms).length > 0)
      .map(
        ([group, rooms]) =>
          markup`<p id="rooms-${group}">${group}</p>
            <ul aria-labelledby="rooms-${group}">
              ${Object.entries(rooms).map(([room, name]) => markup`<li>${renderRoom(path, room, name)}</li>`)}
            </ul>`,
      )}
  </nav>`;

/** Opens the rooms on a phone. */
export const roomsButton: Html = markup`<button type="button" class="quiet menu" popovertarget="rooms">Menu</button>`;
