import Stripe from "stripe";

/** Far more failures than one object meets within the day for which the issuer keeps them. */
const keysMax = 25;

/**
 * Creates an object once, under keys that follow from `key`.
 *
 * The issuer keeps the first answer to a key for a day, failures too, and refuses another request under it. A kept failure
 * leads to the next key, where `find` finds nothing that it left. So the keys need no state of ours, and the same key is
 * used until its answer is known. Source: docs.stripe.com/api/idempotent_requests.
 */
export async function createOnce<T>(
  key: string,
  { create, find }: { create(idempotencyKey: string): Promise<T>; find(): Promise<T | null> },
): Promise<T> {
  for (let used = 0; ; used++) {
    try {
      return await create(used === 0 ? key : `${key}:${used}`);
    } catch (error) {
      if (!isKept(error) || used === keysMax) throw error;
      const found = await find();
      if (found !== null) return found;
    }
  }
}

/** Whether the answer is an earlier one's: a failure that was kept, or a request that differs from the earlier one. */
const isKept = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripeError &&
  (error.type === "StripeIdempotencyError" || error.headers?.["idempotent-replayed"] === "true");
