/**
 * `attacks`: card payments that are approved while strangers and a partner attack the server, each attack in turns with a server
 * that is left alone. An issuer waits for no answer longer than the limit of a decision, so a late approval is a decline.
 */
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { registerPartner } from "../support/webhooks.ts";
import { forgetDecisions, path, prepareCardOwner, signCallback } from "./authorize.ts";
import { type Benchmark, type Measure, median, type Run } from "./measure.ts";
import { startTarget, startWorld, type World } from "./world.ts";

const people = 8;
/** As many payments in each round, so many milliseconds apart, as a quiet programme has. */
const paymentsEach = 60;
const everyMs = 100;
/** The issuer decides by itself after so long: docs.stripe.com/issuing/controls/real-time-authorizations. */
const issuerMsMax = 2_000;
const rulesMax = 25;
/** Of the share that is approved without an attack. */
const ratioMin = 0.95;
const attacks = ["bodies", "batches", "rules"] as const;
type Attack = (typeof attacks)[number];

interface Round {
  approved: number;
  latenciesMs: number[];
}

export const attacksBenchmark: Benchmark = {
  names: ["attacks"],
  isByNameOnly: true,
  measure: async (run) => {
    run.printProgress(`${people} people with a card`);
    const world = await startWorld({ people, prepare: prepareCardOwner });
    const cardTokens = await Promise.all(
      world.holders.map(async ({ person }): Promise<string> => (await person.call("GET", "/cards")).body[0].cardToken),
    );
    const rival = await openRival(world);
    // The first decisions of a process compile code.
    await pay(world, cardTokens);
    const measures: Measure[] = [];
    for (const attack of attacks) measures.push(await measureAttack(run, world, { attack, cardTokens, rival }));
    run.note(
      `attacks: ${paymentsEach} payments a round, one each ${everyMs} ms, approved within the limit of a decision; \`bodies\` are 500,000 keys on two ` +
        "connections and `batches` fifty calls on sixty, both with a token that is none; `rules` are 25 of another partner, whose states change on eight",
    );
    return measures;
  },
};

/** A partner of no cardholder here, with as many rules as it may have. */
async function openRival({ service, holder }: World): Promise<Record<"KEY" | "RULES", string>> {
  const { apiKey: key } = await registerPartner(holder.person, "rival");
  const partner = Object.assign(new Person(service), { token: key });
  const definition = { conditions: [{ type: "mcc", operator: "in", values: ["5691"] }] };
  const ids: string[] = [];
  for (let made = 0; made < rulesMax; made++) {
    const { body } = await partner.call("POST", "/partners/card-rules", { scope: "partner", name: "None", definition });
    ids.push(body.id);
  }
  return { KEY: key, RULES: ids.join(",") };
}

async function measureAttack(
  { options, printProgress }: Run,
  world: World,
  { attack, cardTokens, rival }: { attack: Attack; cardTokens: readonly string[]; rival: Record<string, string> },
): Promise<Measure> {
  const rounds: { idle: Round; attacked: Round }[] = [];
  for (let round = 1; round <= options.rounds; round++) {
    printProgress(`attacks.${attack}: round ${round} of ${options.rounds}`);
    const idle = await pay(world, cardTokens);
    if (idle.approved === 0) throw new Error("No payment is approved without an attack");
    const attacker = await startTarget("attacker.ts", { ...rival, ATTACK: attack, PORT: String(world.server.port) });
    const attacked = await pay(world, cardTokens);
    process.kill(attacker.pid, "SIGKILL");
    rounds.push({ idle, attacked });
  }
  const seconds = (paymentsEach * everyMs) / 1000;
  const ratios = rounds.map(({ idle, attacked }) => attacked.approved / idle.approved);
  const ratio = median(ratios);
  const sorted = rounds.flatMap(({ attacked }) => attacked.latenciesMs).toSorted((a, b) => a - b);
  const percentile = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
  return {
    name: `attacks.${attack}`,
    ratio,
    value: median(rounds.map(({ attacked }) => attacked.approved)) / seconds,
    unit: "approved/s",
    baseline: median(rounds.map(({ idle }) => idle.approved)) / seconds,
    p50: percentile(0.5),
    p99: percentile(0.99),
    spread: [Math.min(...ratios), Math.max(...ratios)],
    target: `ratio >= ${ratioMin}`,
    met: ratio >= ratioMin,
  };
}

/**
 * One payment after another begins, whether or not those before it were answered. The holds of earlier ones go first: no worker
 * moves them, and an old hold that stands still declines everybody.
 */
async function pay({ server, service }: World, cardTokens: readonly string[]): Promise<Round> {
  await until(() => forgetDecisions(service.ownerDb).then(Boolean, () => false));
  const answers: Promise<{ isApproved: boolean; ms: number }>[] = [];
  for (let sent = 0; sent < paymentsEach; sent++) {
    answers.push(askServer(server.port, cardTokens[sent % cardTokens.length] ?? ""));
    await Bun.sleep(everyMs);
  }
  const said = await Promise.all(answers);
  return { approved: said.filter(({ isApproved }) => isApproved).length, latenciesMs: said.map(({ ms }) => ms) };
}

async function askServer(port: number, cardToken: string): Promise<{ isApproved: boolean; ms: number }> {
  const { body, signature } = signCallback(cardToken);
  const headers = { "Content-Type": "application/json", "Stripe-Signature": signature };
  const startedAt = performance.now();
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method: "POST", body, headers })
    .then(async (response): Promise<{ approved?: boolean }> => (response.ok ? response.json() : {}))
    .catch(() => ({}));
  const ms = performance.now() - startedAt;
  return { isApproved: "approved" in answer && answer.approved === true && ms <= issuerMsMax, ms };
}
