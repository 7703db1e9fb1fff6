/** For how long a proof of rights counts within one request. */
export const proofMs = 250;

/**
 * Reads a body. It may take a minute to arrive, in which the rights of who sends it may end: `admit` proves them again where it
 * took longer than a proof counts.
 */
export async function readAdmitted<T>(read: () => T, admit: () => Promise<unknown>): Promise<Awaited<T>> {
  const startedAtMs = performance.now();
  const body = await read();
  if (performance.now() - startedAtMs > proofMs) await admit();
  return body;
}
