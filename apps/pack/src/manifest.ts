/** What the manifests of the published packages have in common. */
import { version } from "@cardkeep/contract/version";
import { fileURLToPath } from "node:url";

/** The repository's folder. */
export const root = fileURLToPath(new URL("../../..", import.meta.url));

interface OwnFields {
  readonly name: string;
  readonly description: string;
  readonly license: string;
  readonly [field: string]: unknown;
}

/** A package's manifest, with the one version of the repository. */
export const buildManifest = ({ name, description, license, ...own }: OwnFields): Record<string, unknown> => ({
  name,
  version,
  description,
  license,
  type: "module",
  ...own,
  publishConfig: { access: "public" },
});
