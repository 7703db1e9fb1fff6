import { buildRouteMap } from "@stricli/core";
import { keySafes } from "./keySafes.ts";

export const keys = buildRouteMap({
  docs: { brief: "Keys of the service, and what depends on each" },
  routes: { safes: keySafes },
});
