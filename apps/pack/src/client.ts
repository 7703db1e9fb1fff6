/** Builds `@cardkeep/client`, with the contract's types in a file of its own. */
import clientManifest from "@cardkeep/client/package.json";
import { buildClientTypes } from "./clientTypes.ts";
import { buildLibrary } from "./library.ts";

/** The packages that the client imports at run time. */
const { "@cardkeep/contract": _, ...dependencies } = clientManifest.dependencies;

/** Builds the package into `folder`. */
export const buildClient = async (folder: string): Promise<void> =>
  buildLibrary(folder, {
    name: "@cardkeep/client",
    description: "Typed client of Cardkeep, the self-hosted card and account service",
    source: "packages/client",
    entries: ["client", "errors", "types", "webhooks", "contract"],
    dependencies,
    rewrite: (text) => text.replaceAll(/"@cardkeep\/contract\/[\w/]+"/g, '"./contract.ts"'),
    generated: { "contract.ts": await buildClientTypes() },
  });
