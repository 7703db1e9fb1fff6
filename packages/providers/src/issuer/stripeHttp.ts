/** The package's own client, between which and the package answers are checked and made fit to be stored. */
import { replaceIllFormedText } from "@cardkeep/contract/core/text";
import Stripe from "stripe";
import { z } from "zod";

/** Source: docs.stripe.com/api/errors. */
const failure = z.looseObject({ error: z.looseObject({ type: z.string() }) });

/**
 * The body of an answer. Texts that cannot be stored are replaced in it: a merchant or the owner of a device chose some, and
 * what they are part of is booked with any text.
 *
 * @throws Error for a failure without the issuer's form, which is a gateway's; the package would take it for a success
 */
function readBody(status: number, body: unknown): unknown {
  if (status >= 400 && !failure.safeParse(body).success) throw new Error(`The answer of ${status} is not the issuer's`);
  return replaceIllFormedText(body);
}

/** The client for one adapter. */
export function createStripeHttp(): ReturnType<typeof Stripe.createFetchHttpClient> {
  const client = Stripe.createFetchHttpClient();
  const makeRequest = client.makeRequest.bind(client);
  client.makeRequest = async (...request) => {
    const response = await makeRequest(...request);
    const parse = response.toJSON.bind(response);
    response.toJSON = async () => readBody(response.getStatusCode(), await parse());
    return response;
  };
  return client;
}
