/** A client that takes its time, on a bare socket. */
import { connect } from "node:net";

const dripMs = 200;

/** Says `begin`, and then `drop` again and again; resolves once the server has hung up, with what it said. */
export function dawdle(port: number, begin: string, drop: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    let said = "";
    const drip = setInterval(() => socket.write(drop), dripMs);
    socket.on("connect", () => socket.write(begin));
    socket.on("data", (chunk) => {
      said += chunk.toString();
    });
    // A write after the other side hung up.
    socket.on("error", () => {});
    socket.on("close", () => {
      clearInterval(drip);
      resolve(said);
    });
  });
}
