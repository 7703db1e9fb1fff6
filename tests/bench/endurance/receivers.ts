/** Receivers of webhooks over TLS. The certificate is their own; the program trusts it by NODE_EXTRA_CA_CERTS. */
import { randomUUID } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atEnd } from "../../support/ends.ts";
import type { Person } from "../../support/person.ts";
import { subscribe } from "../../support/webhooks.ts";
import { startTarget } from "../world.ts";

/** Its paths, each of a partner of its own. */
const paths = ["answers", "long", "fails", "resets", "hangs"] as const;

export interface Certificate {
  readonly file: string;
  readonly text: string;
  readonly key: string;
}

/** A certificate for `localhost`, for a day, that has signed itself. */
export async function createCertificate(): Promise<Certificate> {
  const file = join(tmpdir(), `cardkeep-bench-${randomUUID()}.pem`);
  const keyFile = `${file}.key`;
  atEnd(async () => {
    await Promise.all([rm(file, { force: true }), rm(keyFile, { force: true })]);
  });
  const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", keyFile];
  const made = Bun.spawnSync(["openssl", "req", "-x509", "-days", "1", ...key, ...names, "-out", file]);
  if (made.exitCode !== 0) throw new Error(`openssl made no certificate: ${made.stderr}`);
  return { file, text: await readFile(file, "utf8"), key: await readFile(keyFile, "utf8") };
}

/** Starts the receivers and subscribes their partners to all people. Answers how to count the deliveries. */
export async function startReceivers(
  certificate: Certificate,
  people: readonly Person[],
): Promise<() => Promise<number>> {
  const [person] = people;
  if (!person) throw new Error("Receivers need people");
  const { port } = await startTarget("tlsReceiver.ts", { CERTIFICATE: certificate.text, KEY: certificate.key });
  const origin = `https://localhost:${port}`;
  for (const path of paths) {
    const partner = { id: path, name: path, domains: [], webhookUrl: `${origin}/${path}` };
    const { status, body } = await person.sandbox("POST", "/partners", partner);
    if (status >= 300) throw new Error(`A partner was refused with ${status}: ${JSON.stringify(body)}`);
    await Promise.all(people.map((each) => subscribe(each, path)));
  }
  return async () => {
    const answer = await fetch(origin, { tls: { ca: certificate.text } });
    const { count }: { count: number } = await answer.json();
    return count;
  };
}
