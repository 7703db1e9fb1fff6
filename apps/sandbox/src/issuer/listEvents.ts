/** The events of the last thirty days, whether they arrived or not. Source: docs.stripe.com/api/events/list. */
import { listIssuerObjects } from "@cardkeep/db/sandbox/issuerObjects";
import { z } from "zod";
import { eventObject } from "./events.ts";
import { buildList, createdRange, defineIssuerRoute, pageOf, toUnixSeconds } from "./route.ts";

const path = "/v1/events";
const typesMax = 20;
const keptSeconds = 30 * 86_400;

export const listEvents = defineIssuerRoute({
  method: "GET",
  path,
  input: pageOf({ created: createdRange, types: z.array(z.string()).max(typesMax).optional() }),
  run: async ({ tx, now }, { created, types, expand: _, ...page }) => {
    const createdFrom = Math.max(created?.createdFrom ?? 0, toUnixSeconds(now) - keptSeconds);
    return buildList(path, page, (asked) =>
      listIssuerObjects(tx, { object: eventObject, part: {}, types, ...created, createdFrom, ...asked }),
    );
  },
});
