import type { Tx } from "@cardkeep/db/client";
import { insertBookAccounts } from "@cardkeep/db/queries/books/postings";
import { accountKinds, kindOf } from "./chart.ts";

/** Opens the accounts of lines that have none yet. */
export async function openAccounts(
  tx: Tx,
  lines: readonly { readonly account: string; readonly currency: string }[],
  now: Date,
): Promise<void> {
  const accounts = new Map(lines.map(({ account, currency }) => [account, currency]));
  await insertBookAccounts(
    tx,
    [...accounts].flatMap(([id, currency]) => {
      const kind = kindOf(id);
      return kind === null ? [] : [{ id, kind, currency, owner: accountKinds[kind].owner, createdAt: now }];
    }),
  );
}
