/**
 * `growth.operator`: the operator's pages and the sandbox's desks beside a thousand and a million of each row.
 *
 * Lists with their filters and far pages, details of a user with a tenth of all rows, books and desks: those of `pages.ts`.
 */
import { atEnd } from "../support/ends.ts";
import { signInWithKey } from "../support/operatorPages.ts";
import { startService } from "../support/service.ts";
import { fill } from "./fill.ts";
import { compareSizes, type Load, sizes } from "./growthRounds.ts";
import { type Benchmark, median, type Run } from "./measure.ts";
import { operatorPages, sandboxPages } from "./pages.ts";
import { usePostgres } from "./world.ts";

/** Pages under way, as of operators who all work at once. */
const parallel = 4;
const slowestShown = 5;

/** A service with filled tables. */
interface Place {
  readonly addresses: readonly string[];
  readonly Cookie: string;
}

export const growthOperator: Benchmark = {
  names: ["growth.operator"],
  measure: async (run) => {
    await usePostgres();
    const places = { small: await openFilled(run, sizes.small), large: await openFilled(run, largeOf(run)) };
    const { measure, large } = await compareSizes(run, {
      name: "growth.operator",
      unit: "pages/s",
      load: (size) => open(places[size]),
    });
    noteSlowest(run, large);
    return [measure];
  },
};

/** A share of the large tables; a small part of them is no smaller than the others. */
const largeOf = ({ options: { share } }: Run): number => Math.max(2 * sizes.small, Math.ceil(sizes.large * share));

async function openFilled(run: Run, rows: number): Promise<Place> {
  run.printProgress(`growth.operator: tables with ${rows} rows each`);
  const service = await startService({ worker: false });
  atEnd(service.stop);
  const startedAt = performance.now();
  const url = service.ownerUrl;
  await fill(url, { users: rows, operations: rows, deliveries: rows, payments: rows, jobs: rows });
  const seconds = (performance.now() - startedAt) / 1000;
  run.note(`growth.operator: ${rows} rows of each kind, filled in ${seconds.toFixed(0)} s`);
  return {
    addresses: [
      ...operatorPages.map((page) => service.url + page),
      ...sandboxPages.map((page) => service.sandboxUrl + page),
    ],
    Cookie: await signInWithKey(service.url),
  };
}

interface PageLoad extends Load {
  /** Milliseconds by address. */
  readonly durations: ReadonlyMap<string, number>;
}

/** Opens every page once. */
async function open({ addresses, Cookie }: Place): Promise<PageLoad> {
  const durations = new Map<string, number>();
  const left = addresses.values();
  const startedAt = performance.now();
  const openInTurn = async () => {
    for (const address of left) {
      const begunAt = performance.now();
      const answer = await fetch(address, { headers: { Cookie } });
      await answer.text();
      if (!answer.ok) throw new Error(`${address} answered ${answer.status}`);
      durations.set(new URL(address).pathname + new URL(address).search, performance.now() - begunAt);
    }
  };
  await Promise.all(Array.from({ length: parallel }, openInTurn));
  const sorted = [...durations.values()].toSorted((a, b) => a - b);
  const seconds = (performance.now() - startedAt) / 1000;
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return { perSecond: sorted.length / seconds, p50: at(0.5), p99: at(0.99), durations };
}

function noteSlowest(run: Run, loads: readonly PageLoad[]): void {
  const [first] = loads;
  const medians = [...(first?.durations.keys() ?? [])].map((page) => ({
    page,
    ms: median(loads.map(({ durations }) => durations.get(page) ?? Number.NaN)),
  }));
  for (const { page, ms } of medians.toSorted((a, b) => b.ms - a.ms).slice(0, slowestShown))
    run.note(`growth.operator: ${ms.toFixed(0)} ms for ${page}`);
}
