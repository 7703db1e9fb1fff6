import { describe, expect, test } from "bun:test";
import { connectionsMin, type Part, planConnections, sumConnections } from "@cardkeep/runtime/settings/connections";

const sumOf = (part: Part, total: number | null = null) => sumConnections(planConnections(part, total));
/** PostgreSQL's default of max_connections, less those kept for superusers. */
const available = 100 - 3;

describe("the connections of a process", () => {
  test("three servers and three workers fit into a database with its defaults, with a command beside them", () => {
    expect(3 * sumOf("server") + 3 * sumOf("worker") + sumOf("cli")).toBeLessThanOrEqual(available);
  });

  test("never add up to more than DATABASE_CONNECTIONS, and leave each pool one", () => {
    for (const part of ["server", "worker"] as const)
      for (const total of [connectionsMin, 17, 40, 1_000]) {
        const plan = planConnections(part, total);
        expect(sumConnections(plan)).toBe(total);
        expect(Math.min(plan.general, plan.reads)).toBeGreaterThan(0);
      }
  });

  test("are written into the handbook as they are", async () => {
    const handbook = await Bun.file(new URL("../../apps/cli/README.md", import.meta.url)).text();
    const { general, reads } = planConnections("server", null);
    const worker = planConnections("worker", null);
    expect(handbook).toContain(
      `${sumOf("server")} × servers + ${sumOf("worker")} × workers + ${sumOf("cli")} ≤ max_connections − superuser_reserved_connections`,
    );
    expect(handbook).toContain(
      `A server holds up to ${sumOf("server")} connections: ${general} general and ${reads} for reads.`,
    );
    expect(handbook).toContain(
      `A worker holds up to ${sumOf("worker")}: ${worker.general} general, ${worker.reads} for reads, and ${worker.sessions} sessions`,
    );
    expect(handbook).toContain(`at least ${connectionsMin}`);
  });
});
