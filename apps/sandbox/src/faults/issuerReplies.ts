/**
 * What the issuer answers to a request under an idempotency key that was used before: the first answer, failures too.
 * Only what was refused before the work began is not kept. Source: docs.stripe.com/api/idempotent_requests.
 */
import { insertIssuerReply, lockIssuerReply } from "@cardkeep/db/sandbox/issuerObjects";
import { createHash } from "node:crypto";
import type { SandboxRuntime } from "../core/openStore.ts";

/** Names a request; the same key with another one is an error. */
export const hashRequest = (pathname: string, body: string): string =>
  createHash("sha256").update(`${pathname}\n${body}`).digest("hex");

/** Keeps an answer that is no success, unless the key has one. */
export async function keepFailure(
  runtime: SandboxRuntime,
  { key, requestHash }: { key: string; requestHash: string },
  { status, reply }: { status: number; reply: unknown },
): Promise<void> {
  const createdAt = await runtime.clock.now(runtime.db);
  await runtime.store.transaction(async (tx) => {
    if (!(await lockIssuerReply(tx, key))) await insertIssuerReply(tx, { key, requestHash, status, reply, createdAt });
  });
}

const firstServerFault = 500;

/** Keeps a fault of the sandbox as the issuer keeps a failure of its own. */
export async function keepFault(
  runtime: SandboxRuntime,
  request: Request,
  { status, reply }: { status: number; reply: unknown },
): Promise<void> {
  const key = request.headers.get("idempotency-key");
  if (request.method !== "POST" || key === null || status < firstServerFault) return;
  const { pathname } = new URL(request.url);
  await keepFailure(runtime, { key, requestHash: hashRequest(pathname, await request.text()) }, { status, reply });
}
