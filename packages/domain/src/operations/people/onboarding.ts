/** A person's way into the service, step by step. Pure: the caller reads the facts. */
import { ibanMachine } from "@cardkeep/contract/users/ibans";
import { kycMachine } from "@cardkeep/contract/verification/kyc";
import { safeMachine } from "@cardkeep/contract/accounts/safes";
import type { Card } from "@cardkeep/db/queries/cards/cards";
import type { Iban } from "@cardkeep/db/queries/users/ibans";
import type { Safe } from "@cardkeep/db/queries/accounts/safes";
import type { User } from "@cardkeep/db/queries/users/users";
import { isEnded } from "../../cards/cards/card.ts";
import { isEligible } from "../../users/ibans/eligibility.ts";
import { type ProgressStep, step } from "../../core/progressStep.ts";

export interface OnboardingFacts {
  user: User;
  /** Of the documents in force. */
  acceptances: { accepted: number; all: number; lastAt: Date | null };
  /** The newest Safe. */
  safe: Safe | null;
  /** Whether its set-up was changed past the service. */
  isChanged: boolean;
  iban: Iban | null;
  cards: readonly Card[];
  isCardBeingMade: boolean;
  /** Why the user may have no further card; null where nothing is against it. */
  cardFault: string | null;
}

/** The steps in their order; each says what it waits for. */
export const listOnboardingSteps = (facts: OnboardingFacts): ProgressStep[] => [
  step("Sign-up", "done", { at: facts.user.createdAt }),
  { ...termsStep(facts), isOptional: true },
  kycStep(facts.user),
  questionsStep(facts.user),
  phoneStep(facts.user),
  safeStep(facts),
  { ...ibanStep(facts), isOptional: true },
  cardStep(facts),
];

function termsStep({ acceptances }: OnboardingFacts): ProgressStep {
  const { accepted, all, lastAt } = acceptances;
  const isAll = accepted >= all;
  return step("Terms", isAll ? "done" : "open", {
    at: isAll ? lastAt : null,
    text: `${accepted} of ${all} documents accepted.`,
  });
}

function kycStep({ kycStatus }: User): ProgressStep {
  if (kycStatus === "approved") return step("Identity", "done");
  const state =
    kycStatus === "rejected"
      ? "failed"
      : kycStatus === "pending" || kycStatus === "processing" || kycStatus === "requiresAction"
        ? "waiting"
        : "open";
  return step("Identity", state, { text: `${kycMachine.states[kycStatus].means}.` });
}

function questionsStep({ isSourceOfFundsAnswered, sourceOfFundsRisk }: User): ProgressStep {
  if (!isSourceOfFundsAnswered) return step("Source of funds", "open", { text: "The questions are not answered." });
  return sourceOfFundsRisk === "red"
    ? step("Source of funds", "failed", { text: "The risk is red: this person gets no card." })
    : step("Source of funds", "done", { text: `Risk ${sourceOfFundsRisk ?? "unknown"}.` });
}

const phoneStep = ({ isPhoneValidated }: User): ProgressStep =>
  step("Phone", isPhoneValidated ? "done" : "open", { text: isPhoneValidated ? null : "The number is not validated." });

function safeStep({ user, safe, isChanged }: OnboardingFacts): ProgressStep {
  if (!safe || safe.status === "reset") {
    return user.kycStatus === "approved"
      ? step("Safe", "open", { text: "The person has not asked for it." })
      : step("Safe", "blocked", { text: "It needs an approved identity." });
  }
  if (isChanged) return step("Safe", "failed", { text: "Its set-up was changed past the service." });
  if (safe.status === "ok") return step("Safe", "done", { at: safe.updatedAt });
  const text = safe.reason ?? `${safeMachine.states[safe.status].means.replaceAll("`", "")}.`;
  const states = { processing: "waiting", settingUp: "waiting", created: "open", failed: "failed" } as const;
  return step("Safe", states[safe.status], { text });
}

function ibanStep({ user, safe, iban }: OnboardingFacts): ProgressStep {
  if (iban?.status === "ASSIGNED") return step("IBAN", "done", { at: iban.updatedAt });
  if (iban?.status === "PENDING") return step("IBAN", "waiting", { text: `${ibanMachine.states.PENDING.means}.` });
  if (iban?.status === "PENDING_OAUTH")
    return step("IBAN", "open", { text: `${ibanMachine.states.PENDING_OAUTH.means}.` });
  if (isEligible(user, safe)) return step("IBAN", "open", { text: "The person has not asked for it." });
  if (safe?.status === "ok" && safe.tokenSymbol !== "EURe")
    return step("IBAN", "unneeded", { text: "Only a Safe in EURe has one." });
  return step("IBAN", "blocked", {
    text: "It needs an approved identity with complete data, a supported country and nationality, and a Safe in EURe.",
  });
}

function cardStep({ cards, isCardBeingMade, cardFault, safe }: OnboardingFacts): ProgressStep {
  const live = cards.filter((card) => !isEnded(card.statusCode));
  const first = live.at(-1);
  if (first?.activatedAt) return step("Card", "done", { at: first.activatedAt });
  if (first) return step("Card", "open", { text: "The card was made; the person has to activate it." });
  if (isCardBeingMade) return step("Card", "waiting", { text: "The issuer is asked for it." });
  if (cardFault !== null) return step("Card", "blocked", { text: cardFault });
  return safe?.status === "ok"
    ? step("Card", "open", { text: "The person has not asked for it." })
    : step("Card", "blocked", { text: "It needs a Safe in service." });
}
