/** Posting rules of what a witness has and no event explains. All pure. */
import { isCurrency } from "@cardkeep/contract/core/currencies";
import type { NewLine } from "@cardkeep/db/queries/books/postings";
import type { RestFact, WitnessFact } from "@cardkeep/db/queries/books/witnessSources";
import { type AccountKind, type BookCurrency, nameAccount } from "./chart.ts";
import type { Posting } from "./rules.ts";

/** The issuer's kinds of balance transactions that are no clearing and no dispute, and the account that each is against. */
const issuerKinds: Readonly<Record<string, { type: string; against: AccountKind }>> = {
  topup: { type: "top-up", against: "bank" },
  topup_reversal: { type: "top-up", against: "bank" },
  payout: { type: "top-up", against: "bank" },
  stripe_fee: { type: "issuer-fee", against: "issuer-fees" },
  issuing_disbursement: { type: "interchange", against: "interchange" },
  interchange: { type: "interchange", against: "interchange" },
};

/** Tokens that an account held before the programme began are the operator's; a negative rest is none, and stays in suspense. */
const opening = { type: "opening", against: "capital" } as const;

/** What a witness saw on an account, and the account of the books that it is against. */
const pair = (line: NewLine & { currency: BookCurrency }, against: AccountKind): NewLine[] => [
  line,
  { ...line, account: nameAccount(against, line.currency), amount: -line.amount, reference: null },
];

/** What a witness has and no event explains: the issuer's fees, shares and top-ups; what moved on chain is in suspense. */
export function postWitnessEntry(entry: WitnessFact): Posting | null {
  const { witness, reference, ordinal, account, currency, amount, kind, at } = entry;
  if (!isCurrency(currency)) return null;
  const ofChain = kind === opening.type && amount > 0n ? opening : undefined;
  const known = witness === "issuer" ? issuerKinds[kind] : ofChain;
  const { type, against } = known ?? { type: "unannounced", against: "suspense" };
  const lines = pair({ account, currency, amount, reference }, against);
  return { type, externalId: `${witness}:${reference}:${ordinal}`, cause: reference, at, lines };
}

/** What a transaction moved on an account beyond what other postings have of it: it is in suspense. */
export function postRest({ reference, account, currency, amount, at, postings }: RestFact): Posting | null {
  if (!isCurrency(currency)) return null;
  const lines = pair({ account, currency, amount, reference }, "suspense");
  return { type: "unannounced", externalId: `chain:${reference}:${account}:${postings}`, cause: reference, at, lines };
}
