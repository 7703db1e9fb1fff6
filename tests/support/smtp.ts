/** A real SMTP server of a test's own that keeps what it was handed. */
import { SMTPServer } from "smtp-server";

export interface ReceivedMail {
  /** The envelope's sender and receivers, which alone decide where a mail goes. */
  from: string;
  to: string[];
  /** Who signed in, if anybody did. */
  user: string | undefined;
  text: string;
}

export interface TestMailServer {
  readonly port: number;
  /** Oldest first. */
  readonly received: ReceivedMail[];
  /** What every receiver is answered from now on; null takes mail again. */
  refuseWith(answer: { responseCode: number; message: string } | null): void;
  stop(): Promise<void>;
}

/**
 * Starts a server on a free port.
 *
 * `password` is the one it takes, whoever signs in. With `offersTls` it offers STARTTLS, under a certificate that nobody
 * trusts; otherwise it knows no TLS.
 */
export async function startMailServer({ password = "secret", offersTls = false } = {}): Promise<TestMailServer> {
  const received: ReceivedMail[] = [];
  let refusal: { responseCode: number; message: string } | null = null;
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    logger: false,
    disabledCommands: offersTls ? [] : ["STARTTLS"],
    onAuth: (auth, _session, done) =>
      auth.password === password ? done(null, { user: auth.username }) : done(new Error("secret text: wrong password")),
    onRcptTo: (_address, _session, done) => done(refusal && Object.assign(new Error(refusal.message), refusal)),
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const { mailFrom, rcptTo } = session.envelope;
        received.push({
          from: mailFrom === false ? "" : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          user: session.user,
          text: Buffer.concat(chunks).toString(),
        });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    received,
    refuseWith: (answer) => {
      refusal = answer;
    },
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}
