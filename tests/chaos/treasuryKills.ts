/**
 * The programme's money under SIGKILL: at each commit of a move, each broadcast and each order at the institution, and at each
 * commit of a close. Meanwhile each order comes to the institution twice, and every third answer of it is lost.
 */
import { buildTransferTopics } from "@cardkeep/chain/spending";
import { tokens } from "@cardkeep/chain/tokens";
import { listEmoneyRecords } from "@cardkeep/db/sandbox/emoneyRecords";
import type { Close } from "@cardkeep/domain/books/closes/closes";
import type { ShownMove } from "@cardkeep/domain/treasury/moves/showMove";
import { mainOf } from "../support/bundles.ts";
import { askCli } from "../support/cli.ts";
import { findShortfall } from "../support/funds.ts";
import { type HttpProxy, startHttpProxy } from "../support/httpProxy.ts";
import { until } from "../support/poll.ts";
import { type AppProcess, spawnApp, spawnProcess } from "../support/process.ts";
import { type RpcProxy, startRpcProxy } from "../support/rpcProxy.ts";
import type { RunningService } from "../support/service.ts";
import { type CardHolder, becomeCardHolder, euro, follow, give, untilSettled, use } from "../support/spending.ts";
import { startSqlProxy } from "../support/sqlProxy.ts";
import { setTrap, type Trap } from "./trap.ts";

const kinds = ["sweep", "redeem", "fund", "contribute"] as const;
type Kind = (typeof kinds)[number];

export interface TreasuryKills {
  /** Deaths by what died: a kind of move, or a close. */
  readonly kills: Record<string, number>;
  readonly faults: readonly string[];
}

const ofMove = /^\s*(insert|update|delete|with)[^]*(treasury_moves|relay_transactions|relay_attempts)/i;
const ofBooks = /^\s*(insert|update|delete|with)[^]*book_/i;

/** A way to the database on which a trap is reached at the commits of some transactions. */
const openWay = (service: RunningService, trap: Trap, isStep: RegExp) =>
  startSqlProxy(service.env["DATABASE_URL"] ?? "", {
    onCommit: async (statements, forward) => {
      if (!statements.some((statement) => isStep.test(statement))) return forward();
      await trap.pass(forward);
    },
  });

/** Lets every order come to the institution twice, and loses each third answer. */
function doubleOrders(institution: HttpProxy, trap: Trap): void {
  let orders = 0;
  const again = () =>
    institution.intercept("POST /emoney/api/orders", async (forward) => {
      again();
      orders += 1;
      const answer = await trap.pass(async () => {
        const first = await forward();
        await forward();
        return first;
      });
      return orders % 3 === 0 ? null : answer;
    });
  again();
}

function watchBroadcasts(node: RpcProxy, trap: Trap): void {
  const again = () =>
    node.intercept("eth_sendRawTransaction", (forward) => {
      again();
      return trap.pass(forward);
    });
  again();
}

/** A worker that starts again whenever it is killed. */
class LastingWorker {
  #process: AppProcess | null = null;
  #isWanted = true;
  readonly #ended: Promise<void>;
  constructor(env: Record<string, string>) {
    this.#ended = this.#last(env);
  }
  async #last(env: Record<string, string>): Promise<void> {
    while (this.#isWanted) {
      this.#process = await spawnApp("worker", env);
      await this.#process.exited;
    }
  }
  kill(): void {
    this.#process?.kill("SIGKILL");
  }
  async stop(): Promise<void> {
    this.#isWanted = false;
    this.kill();
    await this.#ended;
  }
}

/** Begins one move of each kind after the other, each with a death one step later, until a move has no step left. */
async function killMoves(service: RunningService, holder: CardHolder, trap: Trap): Promise<Record<Kind, number>> {
  const deaths = { sweep: 0, redeem: 0, fund: 0, contribute: 0 };
  const { person } = holder;
  for (const kind of kinds)
    for (let at = 0; ; at++) {
      trap.arm(at);
      const { id } = await askCli<ShownMove>(service, "treasury", kind, "1", "--reason", "chaos");
      if (kind === "fund") {
        const { amount } = (await person.sandbox("GET", "/issuer/balance")).body;
        await person.sandbox("PUT", "/issuer/balance", { amount: amount + 100 });
      }
      const list = () => askCli<ShownMove[]>(service, "treasury", "list", "--limit", "1000");
      await until(async () => (await list()).every(({ status, kind: of }) => of === "approve" || status === "DONE"), {
        timeoutMs: 90_000,
      });
      const done = (await list()).find((move) => move.id === id);
      if (!trap.isSprung || !done) break;
      deaths[kind] += 1;
    }
  trap.arm(-1);
  return deaths;
}

/** Closes one day after the other, each with a death one step later, until a close has no step left. */
async function killCloses(service: RunningService, holder: CardHolder): Promise<{ kills: number; faults: string[] }> {
  let program: AppProcess | null = null;
  const trap = setTrap(() => program?.kill("SIGKILL"));
  const way = await openWay(service, trap, ofBooks);
  const faults: string[] = [];
  let kills = 0;
  for (let at = 0; ; at++) {
    await use(holder, 100);
    await untilSettled(service);
    await holder.person.sandbox("POST", "/chain/advance", { seconds: 86_400 });
    trap.arm(at);
    const words = ["books", "close"] as const;
    program = spawnProcess([process.execPath, mainOf("cli"), ...words], { ...service.env, DATABASE_URL: way.url });
    await program.exited;
    const { day, items, comparisons } = await askCli<Close>(service, ...words);
    for (const { witness, account, difference } of comparisons)
      if (difference !== "0") faults.push(`${day}: ${witness} has ${difference} beyond ${account}`);
    faults.push(...items.map(({ id }) => `${day}: ${id} is open`));
    if (!trap.isSprung) break;
    kills += 1;
  }
  await way.stop();
  return { kills, faults };
}

/** Plays all of it on a service without a worker and with a clock of its own. Answers what was doubled, lost or not booked. */
export async function killTreasury(service: RunningService): Promise<TreasuryKills> {
  const { chain, settings, db } = service.runtime;
  const { settlementAddress: settlement, treasuryAddress: treasury } = settings.policy;
  const eure = tokens.EURe.address;
  const countTransfers = async (from: typeof treasury, to: typeof treasury) => {
    const { number: toBlock } = await chain.getBlock();
    const topics = buildTransferTopics({ from, to });
    return (await chain.getLogs({ addresses: [eure], topics, fromBlock: 0n, toBlock })).length;
  };
  let worker: LastingWorker | null = null;
  const trap = setTrap(() => worker?.kill());
  const [way, node, institution] = [
    await openWay(service, trap, ofMove),
    startRpcProxy(service.rpcUrl),
    startHttpProxy(service.sandboxUrl),
  ];
  doubleOrders(institution, trap);
  watchBroadcasts(node, trap);
  worker = new LastingWorker({
    ...service.env,
    DATABASE_URL: way.url,
    RPC_URL: node.url,
    EMONEY_URL: `${institution.url}/emoney/api`,
  });
  try {
    const holder = await becomeCardHolder(service, 1_000n * euro);
    const { threadId } = await use(holder, 20_000);
    await follow(holder, threadId, "clear");
    await untilSettled(service);
    await give(holder.person, treasury, 500n * euro);
    const deaths = await killMoves(service, holder, trap);
    const closes = await killCloses(service, holder);
    const begun = (kind: Kind) => deaths[kind] + 1;
    const orders = (await listEmoneyRecords(db, "order")).length;
    const arrived = await askCli<ShownMove[]>(service, "treasury", "list", "--kind", "fund", "--limit", "1000");
    const counts: [string, number, number][] = [
      ["sweeps on chain", await countTransfers(settlement, treasury), begun("sweep")],
      ["contributions on chain", await countTransfers(treasury, settlement), begun("contribute")],
      ["orders at the institution", orders, begun("redeem")],
      ["top-ups at the issuer", arrived.length, begun("redeem") + begun("fund")],
    ];
    const shortfall = await findShortfall(service.runtime);
    return {
      kills: { ...deaths, close: closes.kills },
      faults: [
        ...counts.flatMap(([what, found, wanted]) => (found === wanted ? [] : [`${what}: ${found} of ${wanted}`])),
        ...closes.faults,
        ...(shortfall === null ? [] : [shortfall]),
      ],
    };
  } finally {
    await worker.stop();
    await way.stop();
    node.stop();
    institution.stop();
  }
}
