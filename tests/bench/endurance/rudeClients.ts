/** Clients that end early or are slow, over bare sockets. */
import { connect, type Socket } from "node:net";

export interface RudeClient {
  readonly port: number;
  readonly token: string;
}

const trickleEveryMs = 250;
const trickleBytes = 40;
const slowReads = 40;

const post = ({ token }: RudeClient, length: number): string =>
  `POST /api/v1/source-of-funds HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
const get = ({ token }: RudeClient): string =>
  `GET /api/v1/delay-relay HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`;

/** Opens a socket. The server may end the connection at any time: that is no fault of this client. */
const open = ({ port }: RudeClient): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port }, () => resolve(socket));
    socket.on("error", reject);
  });

/** Sends half a body and closes. */
export async function closeMidBody(client: RudeClient): Promise<void> {
  const socket = await open(client);
  socket.write(post(client, 10_000) + "x".repeat(5_000));
  await Bun.sleep(20);
  socket.destroy();
}

/** Sends a whole request and closes before its answer. */
export async function closeBeforeAnswer(client: RudeClient): Promise<void> {
  const socket = await open(client);
  socket.write(get(client), () => socket.destroy());
}

/** Sends a body byte by byte. */
export async function trickle(client: RudeClient): Promise<void> {
  const socket = await open(client);
  socket.resume();
  socket.write(post(client, trickleBytes));
  for (let sent = 0; sent < trickleBytes && !socket.destroyed; sent++) {
    socket.write(sent === 0 ? "[" : " ");
    await Bun.sleep(trickleEveryMs);
  }
  socket.destroy();
}

/** Asks many times at once and reads the answers little by little. */
export async function readSlowly(client: RudeClient): Promise<void> {
  const socket = await open(client);
  socket.pause();
  socket.write(get(client).repeat(slowReads));
  for (let read = 0; read < slowReads && !socket.destroyed; read++) {
    socket.read(1_024);
    await Bun.sleep(trickleEveryMs);
  }
  socket.destroy();
}
