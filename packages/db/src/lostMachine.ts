/**
 * Machines that vanish: power off, a cut cable, a firewall that drops. No packet says so, and a kernel sends again for a
 * quarter of an hour before it gives a connection up. Here both sides give up within some ten seconds.
 */
import { createConnection, type Socket } from "node:net";

/**
 * Settings by which Postgres ends the session of a vanished client, and with it the locks, transactions and jobs that
 * stop everybody else. On a Unix socket the first four have no effect. A role has them for sessions behind a pooler.
 */
export const sessionSettings: readonly string[] = [
  "tcp_keepalives_idle = 5",
  "tcp_keepalives_interval = 2",
  "tcp_keepalives_count = 3",
  "tcp_user_timeout = 10000",
  "idle_in_transaction_session_timeout = 15000",
];

/** Statements that give a new session these settings, and others if named. */
export const buildSessionSetup = (...others: readonly string[]): string =>
  [...sessionSettings, ...others].map((setting) => `set ${setting};`).join(" ");

/** For a session that works on files between the statements of a transaction. */
export const mayPauseInTransaction = "idle_in_transaction_session_timeout = 0";

/** An idle connection is asked after so long, and ends after ten further seconds without an answer. */
const keepAliveMs = 5_000;
const lookMs = 1_000;
/** A connection that waits for an answer so long has its machine asked on a further connection. */
const silentMs = 5_000;
const probeMs = 3_000;

interface Watched {
  /** Whether an answer of the other side is waited for. */
  readonly isWaiting: () => boolean;
  read: number;
  /** When the present silence began; null: none. */
  silentSince: number | null;
}

const sockets = new Map<Socket, Watched>();
let looking: Timer | null = null;

/**
 * Destroys a connection with ETIMEDOUT once it waits for an answer and its machine accepts no connection either. A
 * machine that is only slow, or a commit that waits for a standby, keeps its connection.
 */
export function watchConnection(socket: Socket, isWaiting: () => boolean): void {
  socket.setKeepAlive(true, keepAliveMs);
  sockets.set(socket, { isWaiting, read: socket.bytesRead, silentSince: null });
  socket.once("close", () => {
    sockets.delete(socket);
    if (sockets.size > 0 || looking === null) return;
    clearInterval(looking);
    looking = null;
  });
  looking ??= setInterval(() => sockets.forEach(look), lookMs).unref();
}

function look(watched: Watched, socket: Socket): void {
  const read = socket.bytesRead;
  const now = performance.now();
  const isSilent = watched.isWaiting() && read === watched.read;
  watched.read = read;
  watched.silentSince = isSilent ? (watched.silentSince ?? now) : null;
  if (watched.silentSince === null || now - watched.silentSince < silentMs) return;
  // Asked again after a further silence.
  watched.silentSince = now;
  probe(socket, () => {
    if (socket.bytesRead !== read) return;
    const error = new Error("The database's machine does not answer");
    socket.destroy(Object.assign(error, { code: "ETIMEDOUT" }));
  });
}

/** Calls `onLost` where the machine of a connection accepts no further one in time. */
function probe({ remoteAddress: host, remotePort: port }: Socket, onLost: () => void): void {
  if (host === undefined || port === undefined) return;
  const asked = createConnection({ host, port });
  const end = (isLost: boolean) => {
    clearTimeout(limit);
    asked.destroy();
    if (isLost) onLost();
  };
  const limit = setTimeout(() => end(true), probeMs);
  asked.once("connect", () => end(false));
  asked.once("error", () => end(true));
}
