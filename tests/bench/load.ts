/**
 * Load, made in a process of its own so that it costs the measured ones as little as it can.
 *
 * Its own because the usual tools cost us what we measure: on two cores a generator that needs 30 µs a request slows the
 * fast target more than the slow one and flatters the ratio, and whole milliseconds say nothing of an answer in two.
 */
import { fileURLToPath } from "node:url";

/** As many as the wire of one busy instance usually has. */
export const connections = 32;

/** What is sent: over `connections` keep-alive connections, each with one request under way. */
export interface LoadPlan {
  readonly port: number;
  readonly connections: number;
  /** Whole HTTP requests, sent in turn and then again from the first. */
  readonly requests: readonly string[];
  /** Until when: so many seconds, or so many requests in all. */
  readonly until: { readonly seconds: number } | { readonly count: number };
  /** What every answer must be: a 200 with exactly this body, or with any where null. */
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

/** Carries a plan out. @throws Error with the first answer that is not what it must be */
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
