import type { OperatorVerb } from "@cardkeep/domain/core/operators/verbs";
import type { Command } from "@stricli/core";
import type { CliContext } from "./context.ts";

type AnyCommand = Command<CliContext>;

const verbsOf = new WeakMap<AnyCommand, readonly OperatorVerb[]>();

/** Names the rows of a command in the table of operators' verbs. */
export function nameVerbs(command: AnyCommand, verbs: readonly OperatorVerb[]): AnyCommand {
  verbsOf.set(command, verbs);
  return command;
}

/** The rows of a command; none for one that was built without. */
export const listVerbsOf = (command: AnyCommand): readonly OperatorVerb[] => verbsOf.get(command) ?? [];
