import { replaceIllFormedText } from "@cardkeep/contract/core/text";
import Stripe from "stripe";

/**
 * The package's own client, in whose answers texts that cannot be stored are replaced: a merchant or the owner of a device
 * chose some of them, and what they are part of is booked with any text.
 */
export function createStripeHttp(): ReturnType<typeof Stripe.createFetchHttpClient> {
  const client = Stripe.createFetchHttpClient();
  const makeRequest = client.makeRequest.bind(client);
  client.makeRequest = async (...request) => {
    const response = await makeRequest(...request);
    const readBody = response.toJSON.bind(response);
    response.toJSON = async () => replaceIllFormedText(await readBody());
    return response;
  };
  return client;
}
