/** A headless Chromium, if PATH has one or CHROMIUM names one, driven over its DevTools protocol. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "./poll.ts";

const binary =
  process.env["CHROMIUM"] ??
  ["chromium", "chromium-browser", "google-chrome", "chrome"]
    .map((name) => Bun.which(name))
    .find((path) => path !== null);

export const hasBrowser = binary != null;

export interface Browser {
  open(url: string): Promise<void>;
  /** Runs an expression in the page, and answers its JSON value. */
  run(expression: string): Promise<unknown>;
  /** Runs a script in the page, and in each later one before its own. */
  runInEach(script: string): Promise<void>;
  /** Waits until an expression is true in the page, or in a later one. */
  waitFor(expression: string): Promise<void>;
  /** The same as `run` in the page's first frame, as if the person had just clicked there. */
  runInFrame(expression: string): Promise<unknown>;
  /** The same as `waitFor` in the page's first frame. */
  waitForInFrame(expression: string): Promise<void>;
  /** Clicks the first match of a selector, once the page is complete and has it. */
  click(selector: string): Promise<void>;
  /** Sets the page's size and colour scheme. */
  emulate(look: { width: number; height: number; scheme: "light" | "dark" }): Promise<void>;
  /** The page as PNG, if `SCREENSHOTS` is set. */
  takeScreenshot(): Promise<Buffer>;
  /** What the browser logged as an error since it was asked last: exceptions, refused resources, broken policies. */
  takeErrors(): string[];
  /** Goes on in a new page, without the cookies, storage and emulation of the one before. */
  startOver(): Promise<void>;
  close(): Promise<void>;
}

/** The browser's error for a call to a page that it is leaving. */
const wentOn = /Inspected target navigated or closed|Cannot find context|No frame for given id|has no frame/;

/** What a browser said last, of this many characters. */
interface Output {
  said: string;
}
const saidLengthMax = 2_000;

interface Message {
  id?: number;
  sessionId?: string;
  params?: {
    entry?: { level: string; text: string; url?: string };
    exceptionDetails?: { text: string; exception?: { description?: string } };
  };
  result?: Record<string, unknown>;
  error?: { message: string };
}

type Answer = Record<string, unknown>;

/** Starts a browser with one page. */
export async function startBrowser(): Promise<Browser> {
  if (binary == null) throw new Error("No Chromium is installed");
  const profile = await mkdtemp(join(tmpdir(), "cardkeep-browser-"));
  const flags = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--remote-debugging-port=0",
    // Pages live too briefly for code to repay the work of the optimizing compilers.
    "--js-flags=--no-maglev --no-opt",
    `--user-data-dir=${profile}`,
  ];
  const child = Bun.spawn([binary, ...flags, "about:blank"], { stdin: "ignore", stdout: "ignore", stderr: "pipe" });
  const output: Output = { said: "" };
  const socket = new WebSocket(await readEndpoint(child.stderr, output));
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve);
    socket.addEventListener("error", reject);
  });
  const errors: string[] = [];
  const waiting = new Map<number, { resolve: (message: Message) => void; reject: (error: Error) => void }>();
  /** A browser that ended answers nothing, and says why. */
  const fail = ({ reject }: { reject: (error: Error) => void }) =>
    reject(new Error(`The browser ended: ${output.said}`));
  socket.addEventListener("close", () => waiting.forEach(fail));
  let page = { sessionId: "", targetId: "" };
  socket.addEventListener("message", ({ data }) => {
    const message = JSON.parse(String(data)) as Message;
    if (message.id !== undefined) {
      waiting.get(message.id)?.resolve(message);
      waiting.delete(message.id);
    }
    if (message.sessionId !== page.sessionId) return;
    const { entry, exceptionDetails: thrown } = message.params ?? {};
    if (entry?.level === "error") errors.push(`${entry.text} ${entry.url ?? ""}`);
    if (thrown) errors.push(thrown.exception?.description ?? thrown.text);
  });
  let count = 0;
  const ask = async (request: { method: string; params?: object; sessionId?: string }): Promise<Answer> => {
    const id = ++count;
    const answered = new Promise<Message>((resolve, reject) => waiting.set(id, { resolve, reject }));
    if (socket.readyState !== WebSocket.OPEN) waiting.forEach(fail);
    else socket.send(JSON.stringify({ id, ...request }));
    const { result, error } = await answered;
    if (error) throw new Error(`${request.method}: ${error.message}`);
    return result ?? {};
  };
  const askFor = async (name: string, method: string, params: object = {}): Promise<string> =>
    String((await ask({ method, params }))[name]);
  const send = (method: string, params: object = {}): Promise<Answer> =>
    ask({ method, params, sessionId: page.sessionId });
  const startOver = async (): Promise<void> => {
    const { targetId: before } = page;
    const browserContextId = await askFor("browserContextId", "Target.createBrowserContext");
    // The browser draws no tab for a hidden page, which is half of its work for a page, and takes no picture of it.
    const hidden = process.env["SCREENSHOTS"] === undefined;
    const made = { url: "about:blank", browserContextId, hidden };
    const targetId = await askFor("targetId", "Target.createTarget", made);
    const sessionId = await askFor("sessionId", "Target.attachToTarget", { targetId, flatten: true });
    page = { sessionId, targetId };
    await Promise.all(["Page.enable", "Runtime.enable", "Log.enable"].map((method) => send(method)));
    // A window in the background may not use the clipboard.
    await send("Emulation.setFocusEmulationEnabled", { enabled: true });
    // Its context stays until the browser ends: Chromium 150 aborts where one is disposed of that had a hidden page.
    if (before !== "") await ask({ method: "Target.closeTarget", params: { targetId: before } });
    errors.length = 0;
  };
  const run = async (expression: string): Promise<unknown> => {
    const { result } = await send("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true });
    return (result as { value?: unknown }).value;
  };
  const runInFrame = async (expression: string): Promise<unknown> => {
    const { frameTree } = (await send("Page.getFrameTree")) as {
      frameTree: { childFrames?: { frame: { id: string } }[] };
    };
    const frameId = frameTree.childFrames?.[0]?.frame.id;
    if (frameId === undefined) throw new Error("The page has no frame");
    const { executionContextId: contextId } = await send("Page.createIsolatedWorld", { frameId });
    const how = { contextId, returnByValue: true, awaitPromise: true, userGesture: true };
    const { result } = await send("Runtime.evaluate", { expression, ...how });
    return (result as { value?: unknown }).value;
  };
  /** What is not true in time is named, with the text that the page shows. */
  const waitIn = (ask: typeof run) => async (expression: string) => {
    const isTrue = async () => {
      try {
        return (await ask(expression)) === true;
      } catch (error) {
        if (error instanceof Error && wentOn.test(error.message)) return false;
        throw error;
      }
    };
    await until(isTrue).catch(async (error: unknown) => {
      throw new Error(`${expression} is not true: ${String(error)}\n${String(await ask("document.body.innerText"))}`);
    });
  };
  const waitFor = waitIn(run);
  await startOver();
  return {
    startOver,
    open: async (url) => void (await send("Page.navigate", { url })),
    run,
    runInEach: async (source) =>
      void (await send("Page.addScriptToEvaluateOnNewDocument", { source, runImmediately: true })),
    runInFrame,
    waitFor,
    waitForInFrame: waitIn(runInFrame),
    click: async (selector) => {
      const element = `document.querySelector(${JSON.stringify(selector)})`;
      await waitFor(`document.readyState === "complete" && ${element} !== null`);
      await run(`${element}.click()`);
    },
    emulate: async ({ width, height, scheme }) => {
      await send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: width < 600 });
      const features = [
        { name: "prefers-color-scheme", value: scheme },
        // A transition would show the colours of the scheme before.
        { name: "prefers-reduced-motion", value: "reduce" },
      ];
      await send("Emulation.setEmulatedMedia", { features });
    },
    takeErrors: () => errors.splice(0),
    takeScreenshot: async () => Buffer.from(String((await send("Page.captureScreenshot"))["data"]), "base64"),
    close: async () => {
      socket.close();
      child.kill("SIGKILL");
      await child.exited;
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Reads all that the browser says into `output`, as long as it runs; resolves with the address on which it listens. */
function readEndpoint(stderr: ReadableStream<Uint8Array>, output: Output): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const decoder = new TextDecoder();
  const read = async () => {
    for await (const chunk of stderr) {
      const said = output.said + decoder.decode(chunk, { stream: true });
      const [, url] = /DevTools listening on (ws:\/\/\S+)\s/.exec(said) ?? [];
      output.said = said.slice(-saidLengthMax);
      if (url !== undefined) resolve(url);
    }
    reject(new Error(`The browser ended: ${output.said}`));
  };
  read().catch(reject);
  return promise;
}
