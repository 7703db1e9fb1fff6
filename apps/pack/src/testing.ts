/** Builds `@cardkeep/testing`, for the client and the program of the same version. */
import { version } from "@cardkeep/contract/version";
import testingManifest from "@cardkeep/testing/package.json";
import { buildLibrary } from "./library.ts";

/** Builds the package into `folder`; `client` is the folder of the built client. */
export const buildTesting = (folder: string, client: string): Promise<void> =>
  buildLibrary(folder, {
    name: "@cardkeep/testing",
    description: "Starts Cardkeep in tests, with people, cards and faults",
    source: "packages/testing",
    entries: [],
    dependencies: { ...testingManifest.dependencies, "@cardkeep/client": version, cardkeep: version },
    types: ["node"],
    built: { "@cardkeep/client": client },
  });
