import { fail } from "@cardkeep/contract/core/errors";
import type { OperatorActor } from "../actor.ts";
import { findVerbRow, type OperatorVerb } from "./verbs.ts";

/** Whether one of an operator's roles allows a verb. */
export const hasRole = ({ roles }: Pick<OperatorActor, "roles">, verb: OperatorVerb): boolean =>
  findVerbRow(verb).roles.some((role) => roles.includes(role));

/** Refuses a verb that none of the operator's roles allows. @throws operators.forbidden */
export function requireRole(actor: OperatorActor, verb: OperatorVerb): void {
  if (hasRole(actor, verb)) return;
  const own = actor.roles.length === 0 ? "no role" : actor.roles.join(", ");
  fail("operators.forbidden", {
    text: `${verb} needs one of these roles: ${findVerbRow(verb).roles.join(", ")}. ${actor.name} has ${own}.`,
  });
}
