import type { Token } from "@cardkeep/chain/tokens";
import type { CardItem, Statement, StatementEntry } from "@cardkeep/contract/spending/statements";
import type { User } from "@cardkeep/db/queries/users/users";
import { sumOf } from "../../core/money.ts";
import { describeCountry } from "../payments/isoCodes.ts";
import { formatAmount, parseAmount } from "./cardFacts.ts";
import type { Range } from "./readPayments.ts";

const isText = (text: string | null): text is string => text !== null && text !== "";

/** What a statement has besides its entries. */
export interface StatementHead {
  readonly user: User;
  /** Its code. */
  readonly language: string;
  /** The programme's name. */
  readonly issuedBy: string;
  readonly safeAddress: string;
  readonly iban: string | null;
  readonly token: Token;
  readonly zone: string;
  readonly month: string | null;
  readonly now: Date;
  readonly isFinal: boolean;
}

/** A statement of entries whose first one follows `opening`. */
export function buildStatement(
  { user, language, issuedBy, safeAddress, iban, token, zone, month, now, isFinal }: StatementHead,
  { from, to }: Range,
  { opening, entries, cardItems }: { opening: bigint; entries: StatementEntry[]; cardItems: CardItem[] },
): Statement {
  const amounts = entries.map(({ amount }) => parseAmount(amount, token.decimals));
  const show = (value: bigint): string => formatAmount(value, token.decimals);
  const cityLine = [user.postalCode, user.city].filter(isText).join(" ");
  return {
    month,
    from: from.toISOString(),
    to: to.toISOString(),
    timeZone: zone,
    isFinal,
    createdAt: now.toISOString(),
    digest: null,
    issuedBy,
    language,
    holder: {
      name: [user.firstName, user.lastName].filter(isText).join(" "),
      address: [user.address1, user.address2, cityLine, user.state, describeCountry(user.country).name].filter(isText),
    },
    account: safeAddress,
    iban,
    currency: token.fiat,
    openingBalance: show(opening),
    closingBalance: show(opening + sumOf(amounts)),
    totalIn: show(sumOf(amounts.filter((amount) => amount > 0n))),
    totalOut: show(sumOf(amounts.filter((amount) => amount < 0n))),
    cardTotal: formatAmount(sumOf(cardItems.map(({ amount }) => parseAmount(amount, 2))), 2),
    entries,
    cardItems,
  };
}
