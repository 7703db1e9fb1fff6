/**
 * A receiver of webhooks over TLS that counts. `/hangs` never answers, `/fails` answers 500, `/resets` ends the connection
 * amid the answer, `/long` answers more than a sender reads.
 */
import https from "node:https";

let count = 0;
const longAnswer = "x".repeat(256 * 1024);

const server = https.createServer(
  { cert: process.env["CERTIFICATE"], key: process.env["KEY"] },
  (request, response) => {
    if (request.method === "GET") return void response.end(JSON.stringify({ count }));
    request.resume();
    request.on("end", () => {
      count += 1;
      if (request.url === "/hangs") return;
      if (request.url === "/fails") response.writeHead(500);
      if (request.url === "/resets") {
        response.writeHead(200, { "Content-Length": "1000" });
        response.write("half");
        return void setTimeout(() => request.socket.destroy(), 10);
      }
      return void response.end(request.url === "/long" ? longAnswer : "");
    });
  },
);
server.listen(Number(process.env["PORT"]), "127.0.0.1", () =>
  process.stdout.write(`listening on ${process.env["PORT"]}\n`),
);
