/**
 * Classes of records: what the law wants kept of a person, and for how long from the end of the relation.
 *
 * The relation ends with the erasure. Until then nothing of these tables is deleted. At the erasure a copy is sealed with
 * the person's key, and the tables are emptied of personal data. A chore deletes the copies, and last the key.
 */
import type { PersonalTableName } from "@cardkeep/db/queries/core/personalData/holdings";
import type { RecordClassName } from "@cardkeep/db/schema/users/records";

interface RecordClass {
  readonly reason: string;
  /** Bounds of the years that a country may ask for. */
  readonly yearsMin: number;
  readonly yearsMax: number;
  readonly yearsStandard: number;
  /** The tables whose rows are sealed. */
  readonly tables: readonly PersonalTableName[];
  /** What is sealed of a table of many rows: their ids and what the erasure takes. The rest of them stays where it is. */
  readonly columns?: Readonly<Partial<Record<PersonalTableName, readonly string[]>>>;
}

export const recordClasses: Readonly<Record<RecordClassName, RecordClass>> = {
  /** Directive (EU) 2015/849, article 40: five years, and five more where a member state says so. */
  identity: {
    reason: "Who the person was, by the law against money laundering",
    yearsMin: 5,
    yearsMax: 10,
    yearsStandard: 5,
    tables: ["users", "source_of_funds", "kyc_applications"],
  },
  /** Commercial and tax law of the member states: from five years to ten. */
  payments: {
    reason: "Payers and payees, by the laws of accounting and against money laundering",
    yearsMin: 5,
    yearsMax: 10,
    yearsStandard: 10,
    tables: ["iban_orders", "ibans", "archived_ibans", "orders", "cards", "card_payments"],
    columns: { card_payments: ["id", "merchantName", "merchantCity", "merchantNetworkId"] },
  },
};

/** So many years after an instant. */
export function addYears(at: Date, years: number): Date {
  const end = new Date(at);
  end.setUTCFullYear(end.getUTCFullYear() + years);
  return end;
}
