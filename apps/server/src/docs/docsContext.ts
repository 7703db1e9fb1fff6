/** What the documents' pages need to know of the service that shows them. */
import type { Settings } from "@cardkeep/runtime/settings";
import { rewriteExamples } from "./rewriteAddress.ts";

export interface DocsContext extends ReturnType<typeof rewriteExamples> {
  /** Where clients reach the server, without a slash at its end. */
  readonly serverUrl: string;
  /** Where a browser on this machine reaches the sandbox; null in production. */
  readonly sandboxUrl: string | null;
  /** The addresses of a running `bun start` as the guides write them, with those of this one; none in production. */
  readonly localAddresses: readonly (readonly [written: string, here: string])[];
}

export function createDocsContext({
  publicUrl,
  production,
  sandboxPort,
  elementsPort,
  chainPort,
}: Settings): DocsContext {
  const serverUrl = publicUrl.replace(/\/$/, "");
  const sandboxUrl = production ? null : `http://localhost:${sandboxPort}`;
  const localAddresses: DocsContext["localAddresses"] =
    sandboxUrl === null
      ? []
      : [
          ["http://localhost:3001", sandboxUrl],
          ["http://localhost:3002", `http://localhost:${elementsPort}`],
          ["http://127.0.0.1:8545", `http://127.0.0.1:${chainPort}`],
        ];
  return { serverUrl, sandboxUrl, localAddresses, ...rewriteExamples(serverUrl) };
}
