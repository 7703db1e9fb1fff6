import { payments } from "@cardkeep/desk/nouns/payments";
import { buildRouteMap } from "@stricli/core";
import type { CliContext } from "./context.ts";
import { buildActs } from "./desk.ts";

export const holds = buildRouteMap<string, CliContext>({
  docs: { brief: "Holds: money of card payments that was not captured yet" },
  routes: buildActs(payments, { release: "release" }),
});

export const debts = buildRouteMap<string, CliContext>({
  docs: { brief: "Debts: money of card payments that did not leave a Safe" },
  routes: buildActs(payments, { "write-off": "write-off" }),
});
