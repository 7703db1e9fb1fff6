/**
 * Items of a close. All pure.
 *
 * Books and a witness are compared object by object. What one of them has beyond the other is an item, until a later day brings
 * the other side of it. So the open items of an account always come to its whole difference.
 */

/** What a witness has of one object beyond the books, in one day. */
export interface Net {
  readonly witness: string;
  readonly account: string;
  readonly currency: string;
  readonly reference: string;
  /** Base units; below zero where the books have more. */
  readonly amount: bigint;
}

export interface Item extends Net {
  readonly id: string;
  readonly cause: string;
  readonly owner: string;
  /** The first close that had it. */
  readonly firstDay: string;
}

export interface Settled {
  /** Open after the day, in the order of their ids. */
  readonly open: Item[];
  /** Ended by the day. */
  readonly resolved: Item[];
}

const nameItem = ({ witness, account, reference }: Net): string => `${witness} ${account} ${reference}`;

const causes: Readonly<Record<string, readonly [above: string, below: string]>> = {
  chain: ["The chain moved money that no posting explains", "The books have a movement that the chain does not have"],
  issuer: ["The issuer booked what no posting explains", "The books have what the issuer did not book"],
  ledger: ["An entry of card money is not posted", "A posting is not what its entry of card money says"],
  clearings: ["A clearing of the issuer is not posted", "A posting is not what its clearing says"],
  "institution-balance": [
    "The institution owes more than the chain has",
    "The institution owes less than the chain has",
  ],
  institution: ["An order of the institution is not posted", "A posting is not what its order of the institution says"],
};

const owners: Readonly<Record<string, string>> = { ledger: "operations", clearings: "operations" };

const describe = (net: Net): Pick<Item, "cause" | "owner"> => {
  const [above, below] = causes[net.witness] ?? ["The witness has more", "The books have more"];
  return { cause: net.amount > 0n ? above : below, owner: owners[net.witness] ?? "finance" };
};

/** Carries items over a day whose comparison left `nets`: each once for each object. */
export function carryOver(before: readonly Item[], nets: readonly Net[], day: string): Settled {
  const items = new Map(before.map((item) => [item.id, item]));
  const resolved: Item[] = [];
  for (const net of nets) {
    const id = nameItem(net);
    const earlier = items.get(id);
    const amount = (earlier?.amount ?? 0n) + net.amount;
    const firstDay = earlier?.firstDay ?? day;
    items.delete(id);
    if (amount !== 0n) items.set(id, { ...net, amount, id, firstDay, ...describe({ ...net, amount }) });
    else if (earlier) resolved.push(earlier);
  }
  return { open: [...items.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1)), resolved };
}

/** What items of one witness and account come to. */
export const sumItems = (items: readonly Item[], { witness, account }: Pick<Net, "witness" | "account">): bigint =>
  items.reduce((sum, item) => (item.witness === witness && item.account === account ? sum + item.amount : sum), 0n);
