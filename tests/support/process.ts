/** The product's own processes, started as an operator starts them. */
import { fileURLToPath } from "node:url";
import { mainOf } from "./bundles.ts";
import { engineSettings } from "./engine.ts";
import { workerEnvironment } from "./workerSettings.ts";

export interface AppProcess {
  readonly pid: number;
  /** Its exit code, once its output is whole. */
  readonly exited: Promise<number>;
  /** Its output so far, on both streams. */
  readonly output: () => string;
  /** Resolves once its output contains this text. */
  ready(text: string): Promise<void>;
  kill(signal: NodeJS.Signals): void;
}

/** Starts the program `apps/<app>` with exactly this environment, the path, the settings of the engine, and a worker's connections. */
export async function spawnApp(app: string, env: Record<string, string>): Promise<AppProcess> {
  const ofApp = app === "worker" ? { ...workerEnvironment, ...env } : env;
  return spawnProcess([process.execPath, mainOf(app)], { ...ofApp, LOG_LEVEL: "info" });
}

/** Starts any program, in the repository's root, with the path and the settings of the engine besides. */
export function spawnProcess(command: string[], env: Record<string, string>): AppProcess {
  const child = Bun.spawn(command, {
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
    env: { PATH: process.env["PATH"] ?? "", ...engineSettings, ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  let output = "";
  const waiting = new Map<string, () => void>();
  const listen = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) {
      output += decoder.decode(chunk, { stream: true });
      for (const [text, resolve] of waiting) if (output.includes(text)) resolve();
    }
  };
  const streams = Promise.all([listen(child.stdout), listen(child.stderr)]);
  return {
    pid: child.pid,
    exited: streams.then(() => child.exited),
    output: () => output,
    ready: (text) =>
      new Promise((resolve, reject) => {
        if (output.includes(text)) return resolve();
        waiting.set(text, resolve);
        void streams.then(() => reject(new Error(`${command.join(" ")} ended without saying "${text}":\n${output}`)));
      }),
    kill: (signal) => child.kill(signal),
  };
}
