/** All steps of a person's life, in their order. */
import { dispute } from "./disputes.ts";
import { iban, transfer } from "./ibans.ts";
import { card } from "./cards.ts";
import { limit, owners, withdraw } from "./delayed.ts";
import { money, safe } from "./money.ts";
import { acceptTerms, signIn, signUp } from "./registration.ts";
import { element, pay } from "./payments.ts";
import { wallets } from "./signInWallets.ts";
import { statements, tokens } from "./statements.ts";
import type { Step } from "./step.ts";
import { partner } from "./subscriptions.ts";
import { funds, identity, phone } from "./verification.ts";

export const steps: readonly Step[] = [
  signIn,
  signUp,
  acceptTerms,
  partner,
  identity,
  funds,
  phone,
  safe,
  money,
  card,
  pay,
  element,
  dispute,
  iban,
  transfer,
  statements,
  tokens,
  withdraw,
  limit,
  owners,
  wallets,
];
