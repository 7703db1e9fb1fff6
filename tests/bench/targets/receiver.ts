/** A receiver of webhooks that only counts; asked with GET it tells how many came, and when those with a marker did. */
const hangMs = 60_000;

let count = 0;
/** Whose receiver answers nothing. */
let hanging = "";
const arrivals: [string, number][] = [];

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: Number(process.env["PORT"]),
  idleTimeout: 120,
  fetch: async (request) => {
    if (request.method === "GET") return Response.json({ count, arrivals });
    const body = await request.text();
    if (request.method === "PUT") {
      hanging = body;
      return new Response("");
    }
    if (hanging !== "" && request.url.endsWith(`/inbox/${hanging}`)) {
      await Bun.sleep(hangMs);
      return new Response("");
    }
    const [, marker] = /"cardToken":"(at-[\d-]+)"/.exec(body) ?? [];
    if (marker !== undefined) arrivals.push([marker, Date.now()]);
    count += 1;
    return new Response("");
  },
});
process.stdout.write(`listening on ${server.port}\n`);
