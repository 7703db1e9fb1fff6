/** Clients without a library, on a bare socket. */
import { connect } from "node:net";

const dripMs = 200;

/** Sends `begin`, and then `drop` repeatedly; resolves with the answer once the server has closed the connection. */
export function dawdle(port: number, begin: string, drop: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    let said = "";
    const drip = setInterval(() => socket.write(drop), dripMs);
    socket.on("connect", () => socket.write(begin));
    socket.on("data", (chunk) => {
      said += chunk.toString();
    });
    // A write after the other side closed the connection.
    socket.on("error", () => {});
    socket.on("close", () => {
      clearInterval(drip);
      resolve(said);
    });
  });
}

/** Sends exactly `text`, and returns the answer until the server closes the connection. */
export function talk(url: string, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    let said = "";
    socket.on("connect", () => socket.write(text));
    socket.on("data", (chunk) => {
      said += chunk.toString();
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(said));
  });
}

/** Sends exactly `text`, and returns the answer as soon as it is `enough`. */
export function talkUntil(url: string, text: string, enough: (said: string) => boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    let said = "";
    socket.on("connect", () => socket.write(text));
    socket.on("data", (chunk) => {
      said += chunk.toString();
      if (enough(said)) socket.destroy();
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(said));
  });
}

/** A connection that stays open: what it said so far, and how to send more or to end it. */
export interface OpenTalk {
  said(): string;
  send(text: string): void;
  end(): void;
}

/** Sends `text` and leaves the connection open. */
export function openTalk(url: string, text: string): OpenTalk {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  let said = "";
  socket.on("connect", () => socket.write(text));
  socket.on("data", (chunk) => {
    said += chunk.toString();
  });
  // A write after the other side closed the connection.
  socket.on("error", () => {});
  return { said: () => said, send: (more) => socket.write(more), end: () => socket.destroy() };
}

const pieceBytes = 65_536;

/** Posts this many bytes during any answer, with their length or in chunks; resolves with the answer's status. */
export function pour(url: string, path: string, options: { bytes: number; chunked: boolean }): Promise<number> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    const length = options.chunked ? "Transfer-Encoding: chunked" : `Content-Length: ${options.bytes}`;
    const piece = Buffer.alloc(pieceBytes, "x");
    const chunk = options.chunked ? Buffer.from(`${pieceBytes.toString(16)}\r\n${piece}\r\n`) : piece;
    let status = 0;
    let left = options.bytes / pieceBytes;
    const goOn = () => {
      while (left-- > 0) if (!socket.write(chunk)) return;
      socket.end(options.chunked ? "0\r\n\r\n" : "");
    };
    socket.on("connect", () => {
      socket.write(`POST ${path} HTTP/1.1\r\nHost: localhost\r\n${length}\r\n\r\n`);
      goOn();
    });
    socket.on("drain", goOn);
    socket.on("data", (said) => {
      status ||= Number(said.toString().split(" ")[1]);
    });
    // A write after the other side closed the connection.
    socket.on("error", () => {});
    socket.on("close", () => resolve(status));
  });
}
