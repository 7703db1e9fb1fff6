import {
  pathOfDecline,
  pathOfError,
  pathOfEvent,
  pathOfGuide,
  pathOfMachine,
  pathOfNoun,
  pathOfRoute,
} from "@cardkeep/contract/openapi/documents";
import { declineCatalogue } from "@cardkeep/contract/spending/declineWords";
import { type ErrorCode, errors } from "@cardkeep/contract/core/errorCatalogue";
import { events } from "@cardkeep/contract/partners/events";
import { machines } from "@cardkeep/contract/machines";
import { nouns } from "@cardkeep/contract/nouns";
import { listRoutes } from "@cardkeep/contract/core/route";
import { routes } from "@cardkeep/contract/routes";
import { guides } from "./guides.ts";

const names = new Set(listRoutes(routes).map(({ name }) => name));

const isErrorCode = (name: string): name is ErrorCode => name in errors;

/** Where each kind of name leads; null for an unknown name. */
const resolvers: Readonly<Record<string, (name: string) => string | null>> = {
  route: (name) => (names.has(name) ? pathOfRoute(name) : null),
  error: (name) => (isErrorCode(name) ? pathOfError(name) : null),
  event: (name) => (name in events ? pathOfEvent(name) : null),
  noun: (name) => (name in nouns ? pathOfNoun(name) : null),
  decline: (name) => (declineCatalogue.has(name) ? pathOfDecline(name) : null),
  guide: (name) => (guides.some(({ slug }) => slug === name.split("#")[0]) ? pathOfGuide(name) : null),
  machine: (name) => {
    const machine = machines.find((each) => each.name === name);
    return machine ? pathOfMachine(machine) : null;
  },
};

/** The target of a guide's link. @throws Error for the name of nothing, and for a scheme that no page may lead to */
export function resolveLink(href: string): string {
  const [, kind = "", name = ""] = /^([a-z]+):([^/].*)$/.exec(href) ?? [];
  const resolve = resolvers[kind];
  if (resolve === undefined) {
    if (/^(https?:\/\/|\/|#)/.test(href)) return href;
    throw new Error(`A guide links to ${href}, which is no address`);
  }
  const target = resolve(name);
  if (target === null) throw new Error(`A guide links to ${href}, which does not exist`);
  return target;
}
