import { formatWay } from "@cardkeep/domain/core/wording";
import { endSession, listSessions, type SessionDetails } from "@cardkeep/domain/operators/operatorSessions/sessions";
import { Answered, defineNoun } from "../defineNoun.ts";
import { code, instant, text } from "../value.ts";

export const operators = defineNoun({
  name: "operators",
  title: "Operators",
  group: "Access",
  brief: "Signing in at this terminal, and the sessions of all operators",
  argument: { name: "session", brief: "Id of the session" },
  keyOf: (row: SessionDetails) => row.id,
  list: {
    verb: "operators.list",
    brief: "Lists the sessions of operators, in browsers and at terminals",
    example: "operators list",
    lead: "The operators who are signed in now, in browsers and at terminals.",
    none: "There are no sessions.",
    isWhole: true,
    filters: {},
    columns: [
      { name: "Session", of: (row) => code(row.id) },
      { name: "Operator", of: (row) => text(row.actor.name), terminal: "elastic" },
      { name: "Id of the operator", of: (row) => code(row.actor.id), terminal: "hidden" },
      { name: "By", of: (row) => text(formatWay(row.actor)), terminal: "optional" },
      { name: "Roles", of: (row) => text(row.actor.roles.join(", ")) },
      { name: "Signed in", of: (row) => instant(row.startedAt), terminal: "hidden" },
      { name: "Last seen", of: (row) => instant(row.seenAt) },
      { name: "Ends", of: (row) => instant(row.endsAt) },
    ],
    read: (ctx) => listSessions(ctx),
  },
  acts: {
    end: {
      verb: "operators.end",
      brief: "Ends a session at once on every server",
      example: "operators end 01a203da-e080-734a-b8df-3a0e6288513f --reason left",
      offer: ({ actor }) => ({
        label: `End the session of ${actor.name}`,
        consequence: `The session of ${actor.name} is over at once on every server. The person may sign in again.`,
      }),
      run: async (ctx, key) => {
        await endSession(ctx, key);
        return new Answered(key, { id: key }, [["Ended session", code(key)]]);
      },
    },
  },
});
