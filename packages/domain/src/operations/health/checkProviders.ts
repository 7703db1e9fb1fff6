/** The checks of the providers. Each partner is asked for something that it does not have. */
import { ProviderRefused, ProviderUnavailable } from "@cardkeep/providers/http";
import { randomUUID } from "node:crypto";
import { generateId } from "../../core/generateId.ts";
import type { Services } from "../../core/services.ts";
import { formatCents } from "../../spending/payments/formatMoney.ts";
import { type Finding, finding, formatCause } from "./finding.ts";

/** A partner that is silent, by our own words; the cause of it is the network's, in the words of the engine. */
const describeFailure = (error: unknown): string =>
  error instanceof ProviderUnavailable ? error.message : formatCause(error);

/** Asks for an unknown person: a provider that accepts our credentials answers that there is none. */
export async function checkIdentityProvider({ kyc }: Services): Promise<Finding> {
  try {
    await kyc.findApplicant(generateId());
    return finding("identity provider", "ok", "Answers, and knows our credentials");
  } catch (error) {
    const text =
      error instanceof ProviderRefused
        ? `${error.message}: see KYC_URL, KYC_APP_TOKEN and KYC_APP_SECRET`
        : "Does not answer, so no user can be verified: see KYC_URL, or start it";
    return finding("identity provider", "fault", text);
  }
}

/** Asks for an unknown card: an issuer that accepts our key answers that there is none. */
export async function checkCardIssuer({ issuer }: Services): Promise<Finding> {
  const well = finding("card issuer", "ok", "Answers, and knows our key");
  try {
    await issuer.findCard({ cardholderId: "ich_none", reference: generateId() });
    return well;
  } catch (error) {
    if (error instanceof ProviderRefused) return well;
    return finding("card issuer", "fault", `${describeFailure(error)}: see CARD_ISSUER_API_KEY and CARD_ISSUER_URL`);
  }
}

/** Asks what the operator has at the issuer: the payments of all cards are paid from it. */
export async function checkIssuerBalance({ issuer, policy }: Pick<Services, "issuer" | "policy">): Promise<Finding> {
  const name = "balance at the issuer";
  try {
    const balances = await issuer.readBalances();
    const text = balances.map(({ currency, amountCents }) => formatCents(BigInt(amountCents), currency)).join(", ");
    if (balances.length === 0)
      return finding(name, "warning", "The issuer names none: see that the key may read balances");
    if (balances.some(({ amountCents }) => amountCents <= 0))
      return finding(name, "fault", `${text}: the issuer declines cards before it asks; send money to it`);
    const isLow = balances.some(({ amountCents }) => BigInt(amountCents) < policy.issuerBalanceCentsMin);
    return isLow
      ? finding(name, "warning", `${text}: below ISSUER_BALANCE_CENTS_MIN; send money, which takes a bank's day`)
      : finding(name, "ok", text);
  } catch (error) {
    return finding(
      name,
      "warning",
      `Cannot be read: ${describeFailure(error)}: the key needs the right to read balances`,
    );
  }
}

/** Asks for an unknown profile: an institution that accepts our credentials answers that there is none. */
export async function checkEmoney({ emoney }: Services): Promise<Finding> {
  const well = finding("e-money institution", "ok", "Answers, and knows our credentials");
  try {
    await emoney.getProfileState({ profileId: randomUUID(), accessToken: null });
    return well;
  } catch (error) {
    if (error instanceof ProviderRefused && (error.status === 403 || error.status === 404)) return well;
    const text = `${describeFailure(error)}: see EMONEY_CLIENT_ID, EMONEY_CLIENT_SECRET and EMONEY_URL`;
    return finding("e-money institution", "fault", text);
  }
}

/** Asks for the configuration. The service goes on without it, and the shared key signs in. */
export async function checkOpenid({ openid }: Services): Promise<Finding> {
  const name = "OpenID provider";
  if (openid === null) return finding(name, "ok", "None is set: operators sign in with OPERATOR_API_KEY alone");
  try {
    await openid.check();
    return finding(name, "ok", "Answers, and is the issuer that it should be");
  } catch (error) {
    return finding(name, "warning", `No operator can sign in with it: ${describeFailure(error)}: see OIDC_ISSUER`);
  }
}
