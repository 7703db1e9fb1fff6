/** The recorded examples under the address at which clients reach this server. */
import { eventExamples, type Example, examples } from "@cardkeep/contract/openapi/examples";

/** The address under which tests recorded the examples, and which the guides name. */
const recordedUrl = "http://localhost:3000";

/** Replaces the recorded address in a text, also where it is part of a query and where only its host stands. */
export function rewriteAddress(text: string, serverUrl: string): string {
  const [recorded, server] = [new URL(recordedUrl), new URL(serverUrl)];
  const origin = server.href.replace(/\/$/, "");
  return text
    .replaceAll(recordedUrl, origin)
    .replaceAll(encodeURIComponent(recordedUrl), encodeURIComponent(origin))
    .replaceAll(recorded.host, server.host)
    .replaceAll(encodeURIComponent(recorded.host), encodeURIComponent(server.host));
}

interface RewrittenExamples {
  /** By tRPC name. */
  readonly examples: Readonly<Record<string, Example>>;
  /** By the event's type. */
  readonly eventExamples: Readonly<Record<string, unknown>>;
}

/** All examples, with the server's address in place of the recorded one. */
export const rewriteExamples = (serverUrl: string): RewrittenExamples =>
  JSON.parse(rewriteAddress(JSON.stringify({ examples, eventExamples }), serverUrl)) as RewrittenExamples;
