import { stopNames } from "@cardkeep/db/schema/operators/stops";
import { describeCardholders } from "@cardkeep/domain/operations/health/checkCardholders";
import { stopTexts } from "@cardkeep/domain/operators/stops/describeStopped";
import { listStops, setStop } from "@cardkeep/domain/operators/stops/setStop";
import { chooseGiven, defineNoun } from "../defineNoun.ts";
import { instant, status, text } from "../value.ts";

const states = ["on", "off"] as const;

export const stops = defineNoun({
  name: "stops",
  title: "Stop switches",
  group: "Operations",
  brief: "Switches that stop parts of the service in an emergency",
  argument: { name: "part", brief: `One of ${stopNames.join(", ")}`, values: stopNames },
  keyOf: (row) => row.name,
  list: {
    verb: "stops.list",
    brief: "Lists the switches, each with who stopped its part, since when and why",
    example: "stops list",
    lead: "A switch stops a part of the service in an emergency. What is under way ends.",
    none: "There are no switches.",
    isWhole: true,
    note: describeCardholders,
    filters: {},
    columns: [
      { name: "Part", of: (row) => text(row.name) },
      { name: "Stopped", of: (row) => status(row.stop === null ? "no" : "yes") },
      { name: "What a stop does", of: (row) => text(stopTexts[row.name].effect), terminal: "hidden" },
      { name: "Since", of: (row) => instant(row.stop?.stoppedAt ?? null) },
      { name: "By", of: (row) => text(row.stop?.operator ?? null) },
      { name: "Reason", of: (row) => text(row.stop?.reason ?? null), terminal: "elastic" },
    ],
    read: listStops,
  },
  acts: {
    set: {
      verb: "stops.set",
      isBare: true,
      brief: "Stops a part of the service (on), or resumes it (off)",
      details: stopNames.map((name) => `${name.padEnd(14)} ${stopTexts[name].effect}`).join("\n"),
      example: [
        "stops set card-payments on --reason Incident-42",
        "stops set card-payments off --reason Incident-42-is-over",
      ],
      inputs: {
        state: {
          label: "State",
          brief: "Whether it is stopped",
          placeholder: "on|off",
          values: states,
          isArgument: true,
        },
      },
      offer: ({ name, stop }) => {
        const { subject, effect } = stopTexts[name];
        return stop === null
          ? {
              label: `Stop ${subject.toLowerCase()}`,
              consequence: `${effect} Everybody who operates the service sees your name and the reason.`,
              given: { state: "on" },
              isDanger: true,
            }
          : {
              label: `Resume ${subject.toLowerCase()}`,
              consequence: `${subject} work again at once.`,
              given: { state: "off" },
            };
      },
      run: (ctx, key, { state }) =>
        setStop(ctx, { name: chooseGiven(stopNames, key), isStopped: chooseGiven(states, state) === "on" }),
    },
  },
});
