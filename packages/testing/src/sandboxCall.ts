/** Calls to the sandbox, which plays every partner of the service. */

/** The sandbox refused a call; the message names the call and the reason. */
export class SandboxCallError extends Error {
  override readonly name = "SandboxCallError";
  readonly status: number;

  constructor(call: string, status: number, reason: string) {
    super(`${call} answered ${status}: ${reason}`);
    this.status = status;
  }
}

export type SandboxMethod = "GET" | "POST" | "PUT" | "DELETE";

/** One call to the sandbox. */
export type SandboxCall = (method: SandboxMethod, path: string, body?: unknown) => Promise<unknown>;

/** Calls to the sandbox at `url`. A call throws `SandboxCallError` unless the answer is 2xx. */
export const createSandboxCall =
  (url: string): SandboxCall =>
  async (method, path, body) => {
    const response = await fetch(new URL(path, url), {
      method,
      ...(body !== undefined && { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new SandboxCallError(`${method} ${path}`, response.status, readReason(text));
    return text === "" ? null : JSON.parse(text);
  };

function readReason(text: string): string {
  try {
    const { error } = JSON.parse(text) as { error?: unknown };
    return typeof error === "string" ? error : text;
  } catch {
    return text;
  }
}
