/** Each alert rule: quiet while the service is well, and raised by its fault. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { tokens } from "@cardkeep/chain/tokens";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { type AlertRule, alertRules } from "@cardkeep/runtime/alertRules";
import { buildAlertGroups, nameRunbookPage } from "@cardkeep/runtime/buildAlerts";
import { sql } from "drizzle-orm";
import { until } from "../support/poll.ts";
import { Person } from "../support/person.ts";
import { type AppProcess, spawnApp } from "../support/process.ts";
import { type Service, startService } from "../support/service.ts";
import dashboard from "../../packages/runtime/grafana.json" with { type: "json" };

const destination = "0x000000000000000000000000000000000000bEEF";

let service: Service;
let worker: AppProcess;
let ada: Person;
beforeAll(async () => {
  service = await startService({ worker: false, env: { COOLDOWN_SECONDS: "1" } });
  worker = await spawnApp("worker", service.env);
  await worker.ready("taking jobs");
  ada = new Person(service);
  const address = await ada.becomeAccountHolder();
  await ada.sandbox("POST", "/chain/faucet", { address, token: "EURe", amount: "10" });
});
afterAll(async () => {
  worker.kill("SIGKILL");
  await worker.exited;
  await service.stop();
});

interface Series {
  metric: string;
  labels: string;
  value: number;
}
const readSeries = async (): Promise<Series[]> => {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  return [...text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)].map(([, metric = "", labels = "", value]) => ({
    metric,
    labels,
    value: Number(value),
  }));
};

/** Whether Prometheus would raise the alarm once `forMinutes` are over; counters grew from 0 to what they are. */
function isRaised({ measured, compare }: AlertRule, all: readonly Series[]): boolean {
  const ofMetric = (name: string) => all.filter(({ metric }) => metric === name);
  if (measured.kind === "absent") return ofMetric(measured.metric).length === 0;
  const [sign, bound] = compare ?? [">", Infinity];
  const holds = (value: number) => (sign === ">" ? value > bound : value < bound);
  if (measured.kind === "quantile") {
    const counts = ofMetric(`${measured.metric}_bucket`).map(({ labels, value }) => ({
      le: Number(/le="([^"]+)"/.exec(labels)?.[1]?.replace("+Inf", "Infinity")),
      value,
    }));
    const upTo = (le: number) => counts.reduce((sum, count) => sum + (count.le === le ? count.value : 0), 0);
    const [edge = 0] = counts
      .map(({ le }) => le)
      .filter((le) => upTo(le) >= measured.quantile * upTo(Infinity))
      .toSorted((a, b) => a - b);
    return upTo(Infinity) > 0 && holds(edge);
  }
  const [, label = "", operator = "", wanted = ""] = /^(\w+)(=~?)"(.*)"$/.exec(measured.labels ?? "") ?? [];
  const isMeant = ({ labels }: Series): boolean => {
    const value = new RegExp(`(?:^|,)${label}="([^"]*)"`).exec(labels)?.[1] ?? "";
    return label === "" || (operator === "=" ? value === wanted : new RegExp(`^(?:${wanted})$`).test(value));
  };
  return ofMetric(measured.metric)
    .filter(isMeant)
    .some(({ value }) => holds(value));
}
const listRaised = async () => {
  const all = await readSeries();
  return alertRules.filter((rule) => isRaised(rule, all)).map(({ name }) => name);
};

const write = (text: string) => service.ownerDb.execute(sql.raw(text));
const requestId = "alert";
/** What is done to the service, by the alert that it raises. The worker is dead from the second on. */
const faults: Readonly<Record<string, () => unknown>> = {
  CardkeepCallbacksRefused: () => fetch(`${service.url}/callbacks/sumsub`, { method: "POST", body: "{}" }),
  CardkeepWorkerAway: () => worker.kill("SIGKILL"),
  CardkeepPartDegraded: () => {},
  CardkeepJobsLate: async () => {
    await enqueue(service.runtime.db, "card.mail", { cardId: "none", requestId });
    await write(
      "update graphile_worker._private_jobs set run_at = now() - interval '1 hour' where key = 'card.mail:none'",
    );
  },
  CardkeepJobsGivenUp: async () => {
    await enqueue(service.runtime.db, "card.mail", { cardId: "failed", requestId });
    await write("update graphile_worker._private_jobs set attempts = max_attempts where key = 'card.mail:failed'");
  },
  CardkeepOperationsQueueLate: async () => {
    const body = await ada.signWithdrawal({ tokenAddress: tokens.EURe.address, to: destination, amount: "1" });
    expect((await ada.call("POST", "/accounts/withdraw", body)).status).toBe(200);
    await write("update delay_transactions set created_at = created_at - interval '1 hour' where status = 'QUEUING'");
  },
  CardkeepWithdrawalsLate: () =>
    write(`update delay_transactions set status = 'WAITING', queue_nonce = 0, enqueued_block = 1, enqueued_hash = '0x1',
      ready_at = now() - interval '1 hour' where status = 'QUEUING'`),
  CardkeepDeliveriesLate: () => write("update events set is_pending = true, created_at = now() - interval '1 hour'"),
  CardkeepMoneyMissing: () =>
    write(`insert into settlement_funds (token, folded, required, balance, compared_at) values ('EURe', 0, 1e18, 0, now())
      on conflict (token) do update set required = settlement_funds.balance + 1e18`),
  CardkeepIssuerCover: () =>
    write(`insert into issuer_cover (currency, balance_cents, in_transit_cents, hours, transfer_hours, read_at) values ('EUR', 1, 0, 3, 26, now())
      on conflict (currency) do update set hours = 3`),
  CardkeepAccountChanged: () =>
    write(`insert into account_violations (id, safe_id, queue_nonce, status, reason, hash, block_number, seen_at, updated_at)
      select 'one', id, 7, 'QUEUED', 'no known kind', '0x1', 1, now(), now() from safes`),
  CardkeepSignerFails: () =>
    write(`insert into signer_reports values ('one', '0x1', 'kms', 'unavailable', 'away', now(), false, now())`),
  CardkeepNoncesMissing: () => write("update relayers set next_nonce = next_nonce + 3"),
  CardkeepKeyShared: () => write("update relayers set foreign_count = 1, foreign_seen_at = now()"),
  CardkeepRefundsWait: () =>
    write(`insert into live_transfers (id, payment_id, ordinal, user_id, safe_id, direction, amount, is_collection, status, request_id, created_at)
      select 'none:0', 'none', 0, user_id, id, 'return', 1, false, 'PLANNED', 'alert', now() - interval '1 hour' from safes`),
  CardkeepThreadsUnbooked: () =>
    write("insert into unmatched_threads values ('one', 'stripe', 'card', 'EUR', 1, now(), null)"),
  CardkeepRecordsMissing: () =>
    write("insert into discrepancies (id, kind, text, found_at) values ('one', 'card', 'a card', now())"),
  // Counted in the process as they happen; the faults behind them are tried elsewhere.
  CardkeepRequestsFail: () => {
    for (let count = 0; count < 21; count++)
      service.runtime.metrics.observeRequest({ surface: "rest", operation: "users.get", status: 503, seconds: 1 });
  },
  CardkeepDecisionsSlow: () => service.runtime.metrics.observeDecision(true, 0.6),
  CardkeepChoresFail: () => service.runtime.metrics.countChoreFailures("fanOut", 4),
  CardkeepPartDown: () => write("update drizzle.__drizzle_migrations set hash = 'another version'"),
};
/** A silent service serves no metrics; a top-up account is not set up here. */
const untried = ["CardkeepSilent", "CardkeepGasStarves"];

describe("the alert rules", () => {
  test("ask for metrics that the dashboard shows, and have a page in the runbook each", async () => {
    const shown = JSON.stringify(dashboard);
    const stem = (name: string) => name.replace(/_(bucket|count|sum)$/, "");
    expect(alertRules.filter(({ measured }) => !shown.includes(stem(measured.metric)))).toEqual([]);
    const pages = (await Bun.file("apps/cli/RUNBOOK.md").text()).matchAll(/^### (Cardkeep\w+)$/gm);
    expect([...pages].map(([, name]) => name)).toEqual(alertRules.map(({ name }) => name));
    const { rules } = buildAlertGroups().groups[0] ?? { rules: [] };
    expect(rules.map(({ annotations }) => annotations.runbook)).toEqual(alertRules.map(nameRunbookPage));
    expect(rules.find(({ alert }) => alert === "CardkeepJobsGivenUp")?.expr).toBe(
      'max by (task) (cardkeep_jobs{state="failed"}) > 0',
    );
    expect(isRaised(alertRules[0] as AlertRule, [])).toBe(true);
  });

  test("that one event raises look at counters that begin with 0: Prometheus sees no growth of one that appears with 1", async () => {
    const labels = (await readSeries())
      .filter(({ metric, value }) => metric === "cardkeep_callbacks_total" && value === 0)
      .map((series) => series.labels);
    const wanted = ["kyc", "emoney", "issuer"].flatMap((provider) =>
      ["forged", "refused"].map((outcome) => `provider="${provider}",outcome="${outcome}"`),
    );
    expect(labels.toSorted()).toEqual(wanted.toSorted());
  });

  test("are quiet while the service is well", async () => {
    await until(async () => (await listRaised()).length === 0);
  });

  test("are raised by their faults", async () => {
    expect([...Object.keys(faults), ...untried].toSorted()).toEqual(alertRules.map(({ name }) => name).toSorted());
    for (const [name, cause] of Object.entries(faults)) {
      // A worker that is away also degrades its part.
      if (name !== "CardkeepPartDegraded") expect(await listRaised()).not.toContain(name);
      await cause();
      await until(async () => (await listRaised()).includes(name)).catch(() => expect(name).toBe("raised"));
    }
  });
});
