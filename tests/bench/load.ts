/**
 * Load from a separate process, so that it costs the measured ones as little as possible.
 *
 * We use no common tool, since its own cost falsifies the ratio. On two cores a generator with 30 µs per request slows
 * the fast target more than the slow one, and whole milliseconds are too coarse for an answer in two.
 */
import { fileURLToPath } from "node:url";

/** The usual number of connections of one busy instance. */
export const connections = 32;

/** Requests over `connections` keep-alive connections, one in flight on each. */
export interface LoadPlan {
  readonly port: number;
  readonly connections: number;
  /** Whole HTTP requests, sent in turn and then again from the first. */
  readonly requests: readonly string[];
  /** The end: after seconds, or after a number of requests. */
  readonly until: { readonly seconds: number } | { readonly count: number };
  /** The expected answer: a 200 with exactly this body, or with any for null. */
  readonly body: string | null;
}

export interface LoadReport {
  readonly count: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Processor time of the generator as a share of one core. */
  readonly busy: number;
}

const generator = fileURLToPath(new URL("generator.ts", import.meta.url));

/**
 * Carries a plan out.
 * @throws Error with the first unexpected answer
 */
export async function runLoad(plan: LoadPlan): Promise<LoadReport> {
  const child = Bun.spawn([process.execPath, generator], {
    stdin: new TextEncoder().encode(JSON.stringify(plan)),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [text, fault, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(`the load generator gave up: ${fault.trim()}`);
  return JSON.parse(text);
}

/** A whole HTTP request to this machine. */
export function buildRequest(input: { method: string; path: string; token: string; body?: unknown }): string {
  const body = input.body === undefined ? "" : JSON.stringify(input.body);
  const head = [
    `${input.method} ${input.path} HTTP/1.1`,
    "Host: localhost",
    `Authorization: Bearer ${input.token}`,
    ...(body === "" ? [] : ["Content-Type: application/json", `Content-Length: ${Buffer.byteLength(body)}`]),
  ];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}
