import type { OperatorActor } from "@cardkeep/domain/actor";
import { hostname, userInfo } from "node:os";

/** A terminal without a sign-in: the user of this machine. The settings that it reads give it the database, so it is an admin. */
export function describeMachine(): OperatorActor {
  const host = hostname();
  const user = findUserName();
  const id = `machine:${host}/${user}`;
  return { kind: "operator", id, name: `${user} at ${host}`, via: "cli", proof: "machine", roles: ["admin"] };
}

/** A container may run under a number that has no name. */
function findUserName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? "unknown");
  }
}
