/** What the owner of a Safe does beside its cards: takes its money without the service, and withdraws with it. */
import { buildTransfer, tokens } from "@cardkeep/chain/tokens";
import { CardkeepError } from "@cardkeep/contract/core/errors";
import type { Address } from "@cardkeep/contract/core/primitives";
import { listDebts } from "@cardkeep/db/queries/spending/debts";
import { formatUnits } from "@cardkeep/domain/core/wording";
import { writeOffDebt } from "@cardkeep/domain/spending/payments/writeOffDebt";
import { openNode } from "../support/node.ts";
import { until } from "../support/poll.ts";
import type { Service } from "../support/service.ts";
import { euro } from "../support/spending.ts";
import { operatorOf } from "../support/operator.ts";
import type { CardLife } from "./cardLife.ts";
import type { Random } from "./random.ts";

/** A person with a Safe and its cards, and the money that came and went without them. */
export interface Owner {
  readonly lives: readonly [CardLife, ...CardLife[]];
  given: bigint;
  taken: bigint;
}

const token = tokens.EURe.address;
const elsewhere = `0x${"be".repeat(20)}` as const;

/** Empties the Safe as a hidden module would; no effect if a spend came first. */
export async function emptySafe(service: Service, owner: Owner): Promise<void> {
  const safe = owner.lives[0].holder.safe as Address;
  const amount = await service.runtime.chain.getTokenBalance(token, safe);
  if (amount === 0n) return;
  try {
    await openNode(service.rpcUrl).sendAs(safe, buildTransfer({ token, to: elsewhere, amount }));
    owner.taken += amount;
  } catch {
    // Its balance was already lower.
  }
}

/** An operator gives up a part of each debt at times, also while it is collected. */
export async function writeOffSome({ runtime }: Service, { lives }: Owner, random: Random): Promise<void> {
  const userId = lives[0].holder.person.userId ?? "";
  for (const { id, owed } of await listDebts(runtime.db, userId)) {
    const amount = formatUnits(BigInt(1 + random(100)) * (owed / 100n), tokens.EURe.decimals);
    if (random(3) > 0) continue;
    await writeOff(runtime, id, amount);
  }
}

/** False where less is owed by now. */
async function writeOff(runtime: Service["runtime"], reference: string, amount: string): Promise<boolean> {
  try {
    await writeOffDebt(operatorOf(runtime, "It is not worth its collection"), { reference, amount });
    return true;
  } catch (error) {
    if (!(error instanceof CardkeepError) || !["debts.none", "debts.amount"].includes(error.code)) throw error;
    return false;
  }
}

/** An operator gives up one whole debt; answers the thread of its payment, or null where nothing is owed. */
export async function writeOffWhole({ runtime }: Service, { lives }: Owner): Promise<string | null> {
  const [debt] = await listDebts(runtime.db, lives[0].holder.person.userId ?? "");
  if (!debt) return null;
  const amount = formatUnits(debt.owed, tokens.EURe.decimals);
  return (await writeOff(runtime, debt.id, amount)) ? debt.threadId : null;
}

/** What each person withdraws. */
export const withdrawn = 7n * euro;

/** All people withdraw at once, so that the clock is advanced once. */
export async function withdrawAll(service: Service, owners: readonly Owner[]): Promise<void> {
  const transfer = { tokenAddress: token, to: elsewhere, amount: String(withdrawn) };
  const people = owners.map(({ lives: [{ holder }] }) => holder.person);
  const ids = await Promise.all(
    people.map(async (person) => {
      const { status, body } = await person.call("POST", "/accounts/withdraw", await person.signWithdrawal(transfer));
      if (status !== 200) throw new Error(`accounts/withdraw: ${status} ${JSON.stringify(body)}`);
      return String(body.data.id);
    }),
  );
  const have = (status: string) =>
    until(
      async () => {
        const found = await Promise.all(people.map((person, index) => person.findDelay(ids[index] ?? "")));
        return found.every((operation) => operation?.status === status);
      },
      { timeoutMs: 120_000 },
    );
  await have("WAITING");
  await advance(service, 181);
  await have("EXECUTED");
}

/** Advances the clock of chain and service. */
export async function advance({ sandboxUrl }: Service, seconds: number): Promise<void> {
  await fetch(`${sandboxUrl}/chain/advance`, { method: "POST", body: JSON.stringify({ seconds }) });
}
