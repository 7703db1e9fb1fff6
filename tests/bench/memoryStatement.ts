/** `memory.statement`: memory growth of the production server while it makes the month of a person to whom strangers sent most. */
import { tokens } from "@cardkeep/chain/tokens";
import { statementFormats } from "@cardkeep/contract/spending/statements";
import { findNewestSafe } from "@cardkeep/db/queries/accounts/safes";
import { sql } from "drizzle-orm";
import { address, hash } from "./fill.ts";
import type { Benchmark } from "./measure.ts";
import { readResidentMb } from "./memory.ts";
import { startWorld } from "./world.ts";

/** Half of them below a cent. */
const wholeMovements = 100_000;
const grownMbMax = 50;

export const memoryStatement: Benchmark = {
  names: ["memory.statement"],
  isByNameOnly: true,
  measure: async ({ printProgress, note, options: { share } }) => {
    const movements = Math.ceil(wholeMovements * share);
    printProgress(`memory.statement: ${movements} movements`);
    const { server, service, holder } = await startWorld({ people: 1 });
    const safe = await findNewestSafe(service.ownerDb, holder.userId);
    const now = new Date();
    const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1)).toISOString();
    const at = sql`${month}::timestamptz + n * interval '20 seconds'`;
    await service.ownerDb.execute(sql`
      insert into movements (safe_id, block_number, log_index, token, amount, party, hash, at, stated_at, created_at)
      select ${safe?.id ?? ""}, -n, 0, ${tokens.EURe.address}, case when n % 2 = 0 then 1 else 10000000000000000 end, ${address("b")}, ${hash("7")},
        ${at}, ${at}, ${at} from generate_series(1, ${movements}::int) n`);
    const headers = { Authorization: `Bearer ${holder.token}` };
    const read = async (of: string, format: string): Promise<number> => {
      const answer = await fetch(`http://127.0.0.1:${server.port}/api/v1/statements/${of}?format=${format}`, {
        headers,
      });
      if (!answer.ok) throw new Error(`The statement as ${format} was answered ${answer.status}`);
      return (await answer.arrayBuffer()).byteLength;
    };
    // The present month has a movement or two. It warms up.
    for (const format of statementFormats) await read(now.toISOString().slice(0, 7), format);
    const before = readResidentMb(server.pid);
    let largest = before;
    for (const format of statementFormats) {
      const startedAt = performance.now();
      const bytes = await read(month.slice(0, 7), format);
      largest = Math.max(largest, readResidentMb(server.pid));
      note(`memory.statement: ${bytes} bytes of ${format} in ${((performance.now() - startedAt) / 1000).toFixed(2)} s`);
    }
    const value = largest - before;
    return [
      {
        name: "memory.statement",
        ratio: null,
        value,
        unit: "MB",
        baseline: null,
        spread: [0, value],
        target: share < 1 ? null : `value <= ${grownMbMax}`,
        met: share < 1 ? null : value <= grownMbMax,
      },
    ];
  },
};
