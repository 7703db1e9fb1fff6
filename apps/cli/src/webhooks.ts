import { givenInstant } from "@cardkeep/contract/core/instantOrDate";
import { deliveries } from "@cardkeep/desk/nouns/deliveries";
import { partners } from "@cardkeep/desk/nouns/partners";
import { buildRouteMap } from "@stricli/core";
import { z } from "zod";
import { buildChange } from "./answer.ts";
import type { CliContext } from "./context.ts";
import { buildNounRoutes, buildActs, sourceOf } from "./desk.ts";
import { UsageError } from "./errors.ts";
import { optionalSwitch, optionalText, parseBy, withReason } from "./parameters.ts";

/** A flag with an instant as its value. */
const optionalInstant = (brief: string) =>
  ({
    kind: "parsed",
    parse: parseBy(givenInstant()),
    optional: true,
    placeholder: "INSTANT",
    brief,
  }) as const;

interface ReplayFlags {
  id?: string;
  partner?: string;
  from?: string;
  until?: string;
  all?: boolean;
}

/** The act that the flags of `replay` name, with its key and inputs. @throws UsageError where they name none, or both kinds */
function selectReplay({ id, partner, from, until, all = false }: ReplayFlags) {
  const isSpan = id === undefined && partner !== undefined && from !== undefined && until !== undefined;
  const isOne = id !== undefined && [partner, from, until].every((flag) => flag === undefined) && !all;
  if (isOne === isSpan) throw new UsageError("Give either --id, or --partner together with --from and --until.");
  if (isOne) return { act: "resend", key: id, given: {} };
  return { act: "resend-span", key: "", given: { partner, from, until, ...(all && { all: "yes" }) } };
}

const span = z.object({ replayed: z.number() });

export const webhooks = buildRouteMap<string, CliContext>({
  docs: { brief: deliveries.brief },
  routes: {
    ...buildNounRoutes({ ...deliveries, acts: {} }),
    replay: buildChange({
      verb: "deliveries.resend",
      brief: "Resends one delivery by id, or all undelivered ones of a partner between two instants",
      example: "webhooks replay --partner shop --from 2030-01-01T00:00:00Z --until 2030-01-02T00:00:00Z",
      parameters: {
        flags: withReason({
          id: optionalText("ID", "Resend this delivery"),
          partner: optionalText("ID", "Resend deliveries of this partner, with --from and --until"),
          from: optionalInstant("Resend events from this instant on, such as 2030-01-01T00:00:00Z"),
          until: optionalInstant("Resend events before this instant"),
          all: optionalSwitch("Resend delivered ones too"),
        }),
      },
      run: async (cli: CliContext, { reason, ...flags }: ReplayFlags & { reason?: string }) => {
        const { act, key, given } = selectReplay(flags);
        const { data } = await sourceOf(cli).act(deliveries, act, key, {
          ...given,
          ...(reason !== undefined && { reason }),
        });
        const { replayed } = act === "resend" ? { replayed: 1 } : span.parse(data);
        return {
          data: { replayed },
          text: `${replayed} ${replayed === 1 ? "delivery is" : "deliveries are"} to be sent again.\n`,
        };
      },
    }),
    ...buildActs(partners, { enable: "enable-webhook" }),
  },
});
