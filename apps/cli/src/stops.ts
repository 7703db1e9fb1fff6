import { stopNames } from "@cardkeep/db/schema/operators/stops";
import { listStops, setStop, type StopState } from "@cardkeep/domain/operators/stops/setStop";
import { stopTexts } from "@cardkeep/domain/operators/stops/describeStopped";
import { buildRouteMap } from "@stricli/core";
import { buildChange, buildVerb } from "./answer.ts";
import type { CliContext } from "./context.ts";
import { parseChoice, withJson, withReason } from "./parameters.ts";
import { renderTable } from "./print.ts";
import type { Text } from "./texts.ts";

const columns = [
  { title: "part" },
  { title: "stopped" },
  { title: "since" },
  { title: "by" },
  { title: "reason", elastic: true },
];

const renderStops = (stops: readonly StopState[]): Text =>
  renderTable(
    columns,
    stops.map(({ name, stop }) => [
      name,
      stop === null ? "no" : "yes",
      stop?.stoppedAt ?? null,
      stop?.operator ?? "-",
      stop?.reason ?? "-",
    ]),
    "",
  );

const states = ["on", "off"] as const;

export const stops = buildRouteMap({
  docs: { brief: "Switches that stop parts of the service in an emergency" },
  routes: {
    list: buildVerb({
      verb: "stops.list",
      brief: "Lists the switches, each with who stopped its part, since when and why",
      example: "stops list",
      parameters: { flags: withJson({}) },
      run: async (cli: CliContext) => {
        const data = await listStops(await cli.open());
        return { data, text: renderStops(data) };
      },
    }),
    set: buildChange({
      verb: "stops.set",
      brief: "Stops a part of the service (on), or resumes it (off)",
      details: stopNames.map((name) => `${name.padEnd(14)} ${stopTexts[name].effect}`).join("\n"),
      example: [
        "stops set card-payments on --reason Incident-42",
        "stops set card-payments off --reason Incident-42-is-over",
      ],
      parameters: {
        flags: withReason({}),
        positional: {
          kind: "tuple",
          parameters: [
            { parse: parseChoice(stopNames), placeholder: "part", brief: `One of ${stopNames.join(", ")}` },
            { parse: parseChoice(states), placeholder: "on|off", brief: "Whether it is stopped" },
          ],
        },
      },
      run: async (cli: CliContext, _: object, name: (typeof stopNames)[number], state: (typeof states)[number]) => {
        const data = await setStop(await cli.open(), { name, isStopped: state === "on" });
        return { data, text: renderStops([data]) };
      },
    }),
  },
});
