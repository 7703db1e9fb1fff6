import { writeOffDebt } from "@cardkeep/domain/spending/payments/writeOffDebt";
import { buildRouteMap } from "@stricli/core";
import { buildChange } from "./answer.ts";
import type { CliContext } from "./context.ts";
import { parseText, withReason } from "./parameters.ts";

export const debts = buildRouteMap({
  docs: { brief: "Debts: money of card payments that did not leave a Safe" },
  routes: {
    "write-off": buildChange({
      verb: "debts.write-off",
      brief: "Gives up a debt of a payment, at your cost; give --reason",
      details:
        "The worker collects it no more, and the user's cards work again once nothing else is owed. A later refund reduces\n" +
        "your loss first. `users list --owing` shows who owes.",
      example: "debts write-off iauth_1a2b3c4d 12.50 --reason token-is-gone",
      parameters: {
        flags: withReason({}),
        positional: {
          kind: "tuple",
          parameters: [
            { parse: parseText, placeholder: "payment", brief: "Id of the payment, or of its thread" },
            { parse: parseText, placeholder: "amount", brief: "Amount in whole tokens, such as 12.50" },
          ],
        },
      },
      run: async (cli: CliContext, _: object, reference: string, amount: string) => {
        const data = await writeOffDebt(await cli.open(), { reference, amount });
        return { data, text: `${data.amount} ${data.tokenSymbol} of payment ${data.paymentId} are written off.\n` };
      },
    }),
  },
});
