import Stripe from "stripe";

/** Whether the issuer itself has no such object: a 404 alone may be a gateway's. Source: docs.stripe.com/error-codes. */
export const isAbsent = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripeError && error.statusCode === 404 && error.code === "resource_missing";

/** Null for what the issuer does not know. */
export async function orNull<T>(call: () => Promise<T>): Promise<T | null> {
  try {
    return await call();
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}
