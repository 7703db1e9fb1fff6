/** Where the documents' pages describe each thing: paths below the server's address. */
import type { ErrorCode } from "../core/errorCatalogue.ts";
import type { Machine } from "../core/machine.ts";
import { operatorMachines } from "../machines.ts";

/** The index of all documents. */
export const documentsPath = "/docs";

/** The page of a noun of the route table. */
export const pathOfNoun = (noun: string): string => `${documentsPath}/${noun}`;

/** The place of a route by its tRPC name. */
export const pathOfRoute = (name: string): string => `${pathOfNoun(name.split(".")[0] ?? "")}#${name}`;

/** The place of an error, for `Link` on REST and `data.help` on tRPC. */
export const pathOfError = (code: ErrorCode): string => `${documentsPath}/errors#error-${code}`;

export const pathOfEvent = (type: string): string => `${documentsPath}/events#event-${type}`;

export const pathOfDecline = (code: string): string => `${documentsPath}/declines#decline-${code}`;

/** The place of a state machine's drawing and table. */
export const pathOfMachine = (machine: Machine): string =>
  `${documentsPath}/${operatorMachines.includes(machine) ? "operator-machines" : "machines"}#${anchorOfMachine(machine.name)}`;

/** The id of a state machine on its page. */
export const anchorOfMachine = (name: string): string => `machine-${name.replaceAll(/[^a-zA-Z]+/g, "-").toLowerCase()}`;

export const pathOfGuide = (slug: string): string => `${documentsPath}/guides/${slug}`;
