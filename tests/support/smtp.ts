/** A real SMTP server for one test file that stores its mails. */
import { SMTPServer } from "smtp-server";

export interface ReceivedMail {
  /** The envelope's sender and receivers, which alone route a mail. */
  from: string;
  to: string[];
  /** The signed-in user, if there is one. */
  user: string | undefined;
  text: string;
}

interface Refusal {
  readonly responseCode: number;
  readonly message: string;
}

export interface TestMailServer {
  readonly port: number;
  /** Oldest first. */
  readonly received: ReceivedMail[];
  /** Addresses of the receivers that were refused. */
  readonly refused: readonly string[];
  /** The answer for every receiver, or for every sender, from now on; null accepts mail again. */
  refuseWith(answer: Refusal | null, party?: "receiver" | "sender"): void;
  stop(): Promise<void>;
}

/**
 * Starts a server on a free port.
 *
 * `password` is the accepted one, for any user. With `offersTls` it offers STARTTLS, with an untrusted certificate;
 * otherwise it has no TLS.
 */
export async function startMailServer({ password = "secret", offersTls = false } = {}): Promise<TestMailServer> {
  const received: ReceivedMail[] = [];
  const refusedReceivers: string[] = [];
  let refused: { answer: Refusal; party: "receiver" | "sender" } | null = null;
  const faultOf = (party: "receiver" | "sender") =>
    refused?.party === party ? Object.assign(new Error(refused.answer.message), refused.answer) : null;
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    logger: false,
    disabledCommands: offersTls ? [] : ["STARTTLS"],
    onAuth: (auth, _session, done) =>
      auth.password === password ? done(null, { user: auth.username }) : done(new Error("secret text: wrong password")),
    onMailFrom: (_address, _session, done) => done(faultOf("sender")),
    onRcptTo: ({ address }, _session, done) => {
      const fault = faultOf("receiver");
      if (fault !== null) refusedReceivers.push(address);
      done(fault);
    },
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
    refused: refusedReceivers,
    refuseWith: (answer, party = "receiver") => {
      refused = answer && { answer, party };
    },
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}
