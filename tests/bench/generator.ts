/** The process behind `runLoad`: reads the plan from its input and prints the report. */
import type { LoadPlan, LoadReport } from "./load.ts";

const plan: LoadPlan = await Bun.stdin.json();
const requests = plan.requests.map((request) => Buffer.from(request));
const expected = plan.body === null ? null : Buffer.from(plan.body);
const countMax = "count" in plan.until ? plan.until.count : Number.POSITIVE_INFINITY;
const headEnd = "\r\n\r\n";

const latenciesMs: number[] = [];
let sent = 0;
let openConnections = plan.connections;
const startedAt = performance.now();
const endsAt = "seconds" in plan.until ? startedAt + plan.until.seconds * 1000 : Number.POSITIVE_INFINITY;

/** One connection's pending answer: the bytes so far, and where its body begins and ends once known. */
interface Exchange {
  askedAt: number;
  received: Buffer;
  body: { from: number; to: number } | null;
}

function ask(socket: Bun.Socket<Exchange>): void {
  const request = requests[sent % requests.length];
  if (!request || sent >= countMax || performance.now() >= endsAt) return void socket.end();
  sent += 1;
  socket.data = { askedAt: performance.now(), received: Buffer.alloc(0), body: null };
  // A request is far smaller than a socket's buffer, so it goes out whole.
  if (socket.write(request) !== request.byteLength) giveUp("a request was sent in part");
}

function receive(socket: Bun.Socket<Exchange>, chunk: Buffer): void {
  const exchange = socket.data;
  exchange.received = exchange.received.byteLength === 0 ? chunk : Buffer.concat([exchange.received, chunk]);
  exchange.body ??= findBody(exchange.received);
  if (exchange.body === null || exchange.received.byteLength < exchange.body.to) return;
  latenciesMs.push(performance.now() - exchange.askedAt);
  const isGood =
    exchange.received.toString("latin1", 0, 13) === "HTTP/1.1 200 " &&
    (expected === null || exchange.received.subarray(exchange.body.from).equals(expected));
  if (!isGood) giveUp(`an answer was not as expected:\n${exchange.received.toString()}`);
  ask(socket);
}

/** The body's position, once the head has arrived. */
function findBody(received: Buffer): Exchange["body"] {
  const end = received.indexOf(headEnd);
  if (end === -1) return null;
  const [, length] = /\r\ncontent-length: *(\d+)/i.exec(received.toString("latin1", 0, end)) ?? [];
  if (length === undefined) return giveUp("an answer has no length");
  const from = end + headEnd.length;
  return { from, to: from + Number(length) };
}

function report(): void {
  if (latenciesMs.length !== sent) giveUp("a connection was closed before its answer came");
  const sorted = latenciesMs.toSorted((a, b) => a - b);
  const seconds = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage();
  const percentile = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
  const said: LoadReport = {
    count: sorted.length,
    seconds,
    p50Ms: percentile(0.5),
    p99Ms: percentile(0.99),
    busy: (user + system) / 1e6 / seconds,
  };
  process.stdout.write(JSON.stringify(said));
}

function giveUp(reason: string): never {
  process.stderr.write(`${reason}\n`);
  process.exit(1);
}

for (let index = 0; index < plan.connections; index++) {
  void Bun.connect<Exchange>({
    hostname: "127.0.0.1",
    port: plan.port,
    socket: {
      open: ask,
      data: receive,
      close: () => {
        openConnections -= 1;
        if (openConnections === 0) report();
      },
      connectError: (_, error) => giveUp(error.message),
    },
  });
}
