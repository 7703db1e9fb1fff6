/**
 * What the commands of all steps share.
 *
 * - command: what one button of a step does, with the person's key.
 */
import type { PrivateKeyAccount } from "viem/accounts";
import {
  callApi,
  callSandbox,
  download,
  type InputAt,
  type Noun,
  type OutputAt,
  type Service,
  type Verb,
} from "./service.ts";

/** A person of this page who acts at the service. */
export interface Actor {
  readonly wallet: PrivateKeyAccount;
  readonly chainId: number;
  readonly elementsUrl: string;
  /** Calls an operation of the public API. @throws Refused */
  api<N extends Noun, V extends Verb<N>>(noun: N, verb: V, input?: InputAt<N, V>): Promise<OutputAt<N, V>>;
  /** Calls a route of the sandbox. @throws Refused */
  sandbox(method: string, path: string, body?: Readonly<Record<string, unknown>>): Promise<unknown>;
  /** Saves a file of the service under a name. @throws Refused */
  download(path: string, name: string): Promise<void>;
  /** Signs a text with the person's key (EIP-191). */
  signText(message: string): Promise<`0x${string}`>;
  /** Signs typed data of the service with the person's key (EIP-712). */
  signData(data: Parameters<PrivateKeyAccount["signTypedData"]>[0]): Promise<`0x${string}`>;
  /** Keeps a new access token. */
  useToken(token: string): void;
  readonly token: string | null;
  /** Shows how far the command is. */
  say(text: string): void;
}

/** The typed fields of the form; the answer is what the page shows, in a sentence. */
export type Command = (actor: Actor, fields: Readonly<Record<string, unknown>>) => Promise<string>;

/** A field as text; empty if it was left out. */
export const textOf = (fields: Readonly<Record<string, unknown>>, name: string): string => String(fields[name] ?? "");

/** A wallet's actor. It signs and calls, and `service` records both. */
export function createActor(
  given: Pick<Actor, "wallet" | "chainId" | "elementsUrl" | "useToken" | "say">,
  service: Service,
): Actor {
  const { wallet } = given;
  const record = (method: string, typescript: string, signature: string) => {
    service.record({
      method,
      path: `with ${wallet.address.slice(0, shownOfAddress)}…`,
      status: null,
      curl: null,
      typescript,
      answer: signature,
    });
    return signature as `0x${string}`;
  };
  const account = `import { privateKeyToAccount } from "viem/accounts";

const account = privateKeyToAccount(privateKey);`;
  return {
    ...given,
    get token() {
      return service.token();
    },
    api: (noun, verb, input) => callApi(service, noun, verb, input),
    sandbox: (method, path, body) => callSandbox(service, method, path, body),
    download: (path, name) => download(service, path, name),
    signText: async (message) =>
      record(
        "SIGN",
        `${account}\nconst message = ${JSON.stringify(message)};\nconst signature = await account.signMessage({ message });`,
        await wallet.signMessage({ message }),
      ),
    signData: async (data) =>
      record(
        "SIGN",
        `${account}\nconst data = ${JSON.stringify(data, null, 2)};\nconst signature = await account.signTypedData(data);`,
        await wallet.signTypedData(data),
      ),
  };
}

const shownOfAddress = 10;
const everyMs = 300;
const patienceMs = 60_000;

/** Asks until the answer says that it is done. @throws Error after a minute */
export async function pollUntil(what: string, isDone: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + patienceMs;
  while (!(await isDone())) {
    if (Date.now() > deadline) throw new Error(`${what} takes longer than a minute. The page shows when it is done.`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
