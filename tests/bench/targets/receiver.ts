/**
 * A receiver of webhooks that counts; `/inbox/hangs` never answers.
 *
 * A GET returns the number of deliveries. `/arrivals` returns the times of those with a marker, each once.
 */
let count = 0;
const arrivals: [string, number][] = [];

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: Number(process.env["PORT"]),
  idleTimeout: 120,
  fetch: async (request) => {
    if (request.method === "GET")
      return Response.json(request.url.endsWith("/arrivals") ? arrivals.splice(0) : { count, marked: arrivals.length });
    const body = await request.text();
    if (request.url.endsWith("/hangs")) return new Promise<never>(() => {});
    const [, marker] = /"cardToken":"(at-[\d-]+)"/.exec(body) ?? [];
    if (marker !== undefined) arrivals.push([marker, Date.now()]);
    count += 1;
    return new Response("");
  },
});
process.stdout.write(`listening on ${server.port}\n`);
