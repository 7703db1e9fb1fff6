/** How Stripe says that a payment was proved to be the cardholder's. Source: its API reference, `verification_data`. */
import { z } from "zod";
import type { Verification } from "./spending.ts";

export const text = z.string().nullish();

/** `verification_data` of an authorization. */
export const verificationData = z.object({
  cvc_check: text,
  three_d_secure: z.object({ result: text }).nullish(),
  authentication_exemption: z.object({ type: text, claimed_by: text }).nullish(),
});

/** A transaction without an authorization has the wallet token alone. */
export function readVerification(
  token: string | null | undefined,
  data: z.output<typeof verificationData> | null | undefined,
): Verification {
  const { type, claimed_by: claimedBy } = data?.authentication_exemption ?? {};
  return {
    walletTokenId: token ?? null,
    threeDSecure: data?.three_d_secure?.result ?? null,
    authenticationExemption: type ? `${type} by ${claimedBy ?? "unknown"}` : null,
  };
}
