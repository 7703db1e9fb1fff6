import type { OperatorActor } from "@cardkeep/domain/core/actor";
import { readFileSync } from "node:fs";
import { hostname, userInfo } from "node:os";

/**
 * A terminal without a sign-in: the user of this machine. The settings that it reads give it the database, so it is an admin. It
 * names no person: everybody with these settings may be any user of a machine, so it counts for no approval.
 */
export function describeMachine(): OperatorActor {
  const host = hostname();
  const user = findUserName();
  const id = `machine:${host}/${user}`;
  return { kind: "operator", id, name: `${user} at ${host}`, via: "cli", proof: "machine", roles: ["admin"] };
}

/** The name of the process's user as the machine has it: `userInfo` would answer what the environment says. */
function findUserName(): string {
  const number = process.getuid?.();
  if (number === undefined) return userInfo().username;
  // passwd(5): name, password, number. A container may run under a number without a name.
  const isOwn = (line: string): boolean => line.split(":")[2] === String(number);
  return readUsers().find(isOwn)?.split(":")[0] ?? String(number);
}

function readUsers(): string[] {
  try {
    return readFileSync("/etc/passwd", "utf8").split("\n");
  } catch {
    return [];
  }
}
