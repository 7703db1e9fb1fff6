/** Scripts of the sandbox's pages, each made of one file and the libraries it uses. */
import { fileURLToPath } from "node:url";

const bundled = new Map<string, Promise<string>>();

async function bundle(entry: URL): Promise<string> {
  const entrypoints = [fileURLToPath(entry)];
  const { outputs } = await Bun.build({ entrypoints, target: "browser", format: "iife", minify: true });
  return (await outputs[0]?.text()) ?? "";
}

/** The script of the file at `entry` as one text, made once. */
export function bundleScript(entry: URL): Promise<string> {
  const known = bundled.get(entry.href) ?? bundle(entry);
  bundled.set(entry.href, known);
  return known;
}
