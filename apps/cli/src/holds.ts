import { releaseHold } from "@cardkeep/domain/spending/payments/releaseHold";
import { buildRouteMap } from "@stricli/core";
import { buildChange } from "./answer.ts";
import type { CliContext } from "./context.ts";
import { textArgument, withReason } from "./parameters.ts";

export const holds = buildRouteMap({
  docs: { brief: "Holds: money of card payments that was not captured yet" },
  routes: {
    release: buildChange({
      verb: "holds.release",
      brief: "Ends the hold of a payment before the issuer does; give --reason",
      details: "The worker returns the held amount to the Safe. A later capture is collected all the same.",
      example: "holds release iauth_1a2b3c4d --reason paid-in-cash",
      parameters: {
        flags: withReason({}),
        positional: textArgument("payment", "Id of the payment, or of its thread"),
      },
      run: async (cli: CliContext, _: object, reference: string) => {
        const data = await releaseHold(await cli.open(), { reference });
        return { data, text: `The worker releases the hold of payment ${data.paymentId}.\n` };
      },
    }),
  },
});
