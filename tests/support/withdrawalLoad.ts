/** People who withdraw without a pause, each withdrawal to an address of its own: its balance counts the executions. */
import { tokens } from "@cardkeep/chain/tokens";
import { errors } from "@cardkeep/contract/core/errorCatalogue";
import type { Address } from "@cardkeep/contract/core/primitives";
import { sql } from "drizzle-orm";
import { randomUUID } from "node:crypto";
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts";
import { type Answer, Person } from "./person.ts";
import { until } from "./poll.ts";
import type { RunningService } from "./service.ts";

/** One withdrawal of one base unit. */
export interface Withdrawal {
  person: Person;
  destination: Address;
  /** The operation's id and the time of the answer; null without an acknowledgement. */
  acknowledged: { id: string; atMs: number } | null;
}

export interface WithdrawalLoad {
  readonly withdrawals: readonly Withdrawal[];
  /** Answers that were neither a success, nor a 503 with `Retry-After`, nor said that the first request still waits. */
  readonly surprises: readonly string[];
  countAcknowledged(): number;
  /** Lets the requests in flight end. */
  stop(): Promise<void>;
}

/** Opens people's accounts with money for `withdrawalsMax` each. */
export const openPayers = (
  service: { url: string; sandboxUrl: string },
  { people, withdrawalsMax }: { people: number; withdrawalsMax: number },
): Promise<Person[]> =>
  Promise.all(
    Array.from({ length: people }, async () => {
      const person = new Person(service);
      const address = await person.becomeAccountHolder();
      await person.sandbox("POST", "/chain/faucet", { address, token: "EURe", amount: String(withdrawalsMax) });
      return person;
    }),
  );

/**
 * Each person withdraws again and again, and repeats a request that was not answered with the same `Idempotency-Key`, as a
 * client does. `pauseMs` lies between two requests.
 */
export function startWithdrawals(
  people: readonly Person[],
  { withdrawalsMax, pauseMs }: { withdrawalsMax: number; pauseMs: number },
): WithdrawalLoad {
  const withdrawals: Withdrawal[] = [];
  const surprises: string[] = [];
  let isOver = false;

  /** The answer's body; null while the service is away. */
  async function request(send: () => ReturnType<Person["call"]>) {
    const answer = await send().catch(() => null);
    if (answer?.status === 200) return answer.body;
    const isExpected = (is: Answer): boolean =>
      (is.status === 503 && is.headers.has("retry-after")) || is.body?.error === errors["idempotency.in_flight"].text;
    if (answer !== null && !isExpected(answer)) surprises.push(`${answer.status} ${JSON.stringify(answer.body)}`);
    return null;
  }

  /** The answer's body, of whichever try; null where all is over before one. */
  async function untilAnswered(send: () => ReturnType<Person["call"]>) {
    for (;;) {
      const body = await request(send);
      if (body !== null || isOver) return body;
      await Bun.sleep(pauseMs);
    }
  }

  async function withdraw(person: Person): Promise<void> {
    const destination = privateKeyToAddress(generatePrivateKey());
    const transfer = { tokenAddress: tokens.EURe.address, to: destination, amount: "1" };
    const path = `/accounts/withdraw/transaction-data?${new URLSearchParams(transfer)}`;
    const asked = await untilAnswered(() => person.call("GET", path));
    if (asked === null) return;
    const signature = await person.account.signTypedData(asked.data);
    const body = { ...transfer, signature, message: asked.data.message };
    const headers = { "Idempotency-Key": randomUUID() };
    const withdrawal: Withdrawal = { person, destination, acknowledged: null };
    withdrawals.push(withdrawal);
    const answered = await untilAnswered(() => person.call("POST", "/accounts/withdraw", body, headers));
    if (answered !== null) withdrawal.acknowledged = { id: answered.data.id, atMs: performance.now() };
  }

  const running = people.map(async (person) => {
    for (let count = 0; !isOver && count < withdrawalsMax; count++) {
      await withdraw(person);
      await Bun.sleep(pauseMs);
    }
  });
  return {
    withdrawals,
    surprises,
    countAcknowledged: () => withdrawals.filter(({ acknowledged }) => acknowledged !== null).length,
    stop: async () => {
      isOver = true;
      await Promise.all(running);
    },
  };
}

/** Waits until each acknowledged withdrawal ran, and answers the balances of all destinations. */
export async function untilExecuted(service: RunningService, { withdrawals }: WithdrawalLoad): Promise<bigint[]> {
  await until(
    async () => {
      const [row] = await service.runtime.db.execute<{ open: number }>(
        sql`select count(*)::int as open from delay_transactions where status in ('QUEUING', 'WAITING', 'EXECUTING')`,
      );
      if (row?.open !== 0) await new Person(service).sandbox("POST", "/chain/advance", { seconds: 181 });
      return row?.open === 0;
    },
    { timeoutMs: 60_000, everyMs: 1_000 },
  );
  return Promise.all(
    withdrawals.map(({ destination }) => service.runtime.chain.getTokenBalance(tokens.EURe.address, destination)),
  );
}
