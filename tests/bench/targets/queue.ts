/** The lowest possible cost of a delivery by this queue: a job that only POSTs the body, by node:http. */
import { run } from "graphile-worker";
import http from "node:http";

const { DATABASE_URL = "", RECEIVER_PORT = "", BODY = "", CONCURRENCY = "", POOL = "" } = process.env;
const agent = new http.Agent({ keepAlive: true, maxSockets: 256 });

const post = (): Promise<void> =>
  new Promise((resolve, reject) => {
    const request = http.request(
      {
        host: "127.0.0.1",
        port: Number(RECEIVER_PORT),
        method: "POST",
        path: "/inbox/bare",
        agent,
        headers: { "Content-Type": "application/json", "Content-Length": String(Buffer.byteLength(BODY)) },
      },
      (response) => {
        response.resume();
        response.on("end", resolve);
      },
    );
    request.on("error", reject);
    request.end(BODY);
  });

await run({
  connectionString: DATABASE_URL,
  concurrency: Number(CONCURRENCY),
  maxPoolSize: Number(POOL),
  noHandleSignals: true,
  parsedCronItems: [],
  taskList: { "bench.post": post },
  preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
});
process.stdout.write("listening for jobs\n");
