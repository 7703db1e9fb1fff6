/** What a user has to know of the account's state, in words. */
import type { AccountNotice } from "@cardkeep/contract/safes";

/** Each standing problem of an account with what its user can do about it. */
export const findNotices = ({ isChanged }: { isChanged: boolean }): AccountNotice[] =>
  isChanged ? [{ code: "account_changed", message: changed }] : [];

const changed =
  "The card is declined: a transaction in the account's queue changes more than balances, owners or the daily limit. " +
  "If it has not been executed yet, let it expire and the card works again. If it has been executed, withdraw your money, " +
  "reset the account and deploy a new one.";
