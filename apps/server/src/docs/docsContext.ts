/** What the documents' pages need to know of the service that shows them. */
import type { Settings } from "@cardkeep/runtime/settings";
import { rewriteExamples } from "./rewriteAddress.ts";

export interface DocsContext extends ReturnType<typeof rewriteExamples> {
  /** Where clients reach the server, without a slash at its end. */
  readonly serverUrl: string;
  /** Where a browser on this machine reaches the sandbox; null in production. */
  readonly sandboxUrl: string | null;
}

export function createDocsContext({ publicUrl, production, sandboxPort }: Settings): DocsContext {
  const serverUrl = publicUrl.replace(/\/$/, "");
  const sandboxUrl = production ? null : `http://localhost:${sandboxPort}`;
  return { serverUrl, sandboxUrl, ...rewriteExamples(serverUrl) };
}
