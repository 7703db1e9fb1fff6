import { toDecimal, tokens } from "@cardkeep/chain/tokens";
import type { TokenDebt } from "@cardkeep/db/queries/spending/debts";

/** A debt as people read it, for example `12.5 EURe`. */
export const formatDebt = ({ tokenSymbol, owed }: Pick<TokenDebt, "tokenSymbol" | "owed">): string =>
  `${toDecimal(owed, tokens[tokenSymbol])} ${tokenSymbol}`;
