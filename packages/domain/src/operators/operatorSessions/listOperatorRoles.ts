import { type OperatorRole, operatorRoles } from "../../core/actor.ts";
import type { OperatorPolicy } from "../../core/policy.ts";

/** The roles that the settings give now to a person who is in these groups. */
export function listOperatorRoles({ roles: byGroup }: OperatorPolicy, groups: readonly string[]): OperatorRole[] {
  const given = new Set(groups.flatMap((group) => byGroup.get(group) ?? []));
  return operatorRoles.filter((role) => given.has(role));
}
