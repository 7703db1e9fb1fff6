import { fail } from "@cardkeep/contract/errors";
import type { Hex } from "@cardkeep/contract/primitives";
import type { Iban } from "@cardkeep/db/queries/ibans";
import type { UserContext } from "../context.ts";
import { profileIdOf } from "./iban.ts";
import { requestIban } from "./request.ts";

const buildAnswer = (row: Iban) => ({
  data: {
    success: true,
    status: 200,
    description: row.iban === null ? "The IBAN was asked for and comes within minutes" : "The IBAN is there",
    emoneyProfileId: profileIdOf(row),
    ...(row.iban !== null && { iban: row.iban }),
    ...(row.bic !== null && { bic: row.bic }),
  },
});

/**
 * Asks for the user's IBAN and tells how far it is; a signature that is known need not be sent again.
 *
 * @throws ibans.integration_exists with the address of the consent page, and as `requestIban`
 */
export const integrateIban = (ctx: UserContext, { signature }: { signature?: Hex | undefined }) =>
  requestIban(
    ctx,
    { signature, callbackUrl: undefined },
    {
      tell: buildAnswer,
      exists: (redirectUrl) => fail("ibans.integration_exists", { details: { responseData: { redirectUrl } } }),
    },
  );
