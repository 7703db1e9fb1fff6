/** The product behind PgBouncer: in session mode for everything, in transaction mode beside a direct address. */
import { Person } from "../support/person.ts";
import { readPgbouncerVersion, startPgbouncer } from "../support/pgbouncer.ts";
import { findFreePorts } from "../support/ports.ts";
import { spawnApp } from "../support/process.ts";
import type { Product } from "./product.ts";

/** The first version that keeps prepared statements in transaction mode. */
const preparesSince = 121;
const answerMsMax = 30_000;

/** What happened in each mode, a line each. */
export async function playPoolers({ env, sandboxUrl }: Product, directUrl: string): Promise<string[]> {
  const version = readPgbouncerVersion() ?? 0;
  const prepared = version >= preparesSince;
  const [session, transaction] = await Promise.all([
    startPgbouncer(directUrl, { mode: "session", prepared }),
    startPgbouncer(directUrl, { mode: "transaction", prepared }),
  ]);
  /** Starts a server; then a person signs up and reads, or the server's last line says why not. */
  async function play(addresses: Record<string, string>): Promise<string> {
    const [port = 0] = await findFreePorts(1);
    const server = await spawnApp("server", { ...env, ...addresses, PORT: String(port) });
    const isUp = await Promise.race([
      server.ready("listening").then(
        () => true,
        () => false,
      ),
      Bun.sleep(answerMsMax).then(() => false),
    ]);
    if (!isUp) return `refused: ${server.output().trimEnd().split("\n").at(-1)}`;
    const person = new Person({ url: `http://127.0.0.1:${port}`, sandboxUrl });
    await person.becomeApproved();
    const { status } = await person.call("GET", "/user");
    server.kill("SIGTERM");
    await server.exited;
    return status === 200 ? "works" : `answers ${status}`;
  }
  const lines = [
    `session mode: ${await play({ DATABASE_URL: session.url })}`,
    `transaction mode, sessions direct: ${await play({ DATABASE_URL: transaction.url, DATABASE_SESSION_URL: directUrl })}`,
    `transaction mode alone: ${await play({ DATABASE_URL: transaction.url })}`,
  ];
  await Promise.all([session.stop(), transaction.stop()]);
  return lines.map((line) => `PgBouncer ${Math.floor(version / 100)}.${version % 100}, ${line}`);
}
