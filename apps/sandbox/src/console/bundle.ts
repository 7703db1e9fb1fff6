/** The console's script, made of `browser.ts` and the library it uses. */
import { fileURLToPath } from "node:url";

let bundled: Promise<string> | null = null;

async function bundle(): Promise<string> {
  const entry = fileURLToPath(new URL("browser.ts", import.meta.url));
  const { outputs } = await Bun.build({ entrypoints: [entry], target: "browser", format: "iife", minify: true });
  return (await outputs[0]?.text()) ?? "";
}

/** The script as one text, made once. */
export const bundleScript = (): Promise<string> => (bundled ??= bundle());
