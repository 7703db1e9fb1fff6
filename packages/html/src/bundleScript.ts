import { fileURLToPath } from "node:url";

const bundles = new Map<string, Promise<string>>();

/**
 * Bundles a browser script and the modules that it imports into one text. Bundling happens at the first call for an entry, and
 * again after a failure.
 *
 * @throws AggregateError where the script does not compile
 */
export function bundleScript(entry: URL): Promise<string> {
  const known = bundles.get(entry.href);
  if (known) return known;
  const bundle = build(entry).catch((error: unknown) => {
    bundles.delete(entry.href);
    throw error;
  });
  bundles.set(entry.href, bundle);
  return bundle;
}

async function build(entry: URL): Promise<string> {
  const entrypoints = [fileURLToPath(entry)];
  const { outputs } = await Bun.build({ entrypoints, target: "browser", format: "iife", minify: true });
  return (await outputs[0]?.text()) ?? "";
}
