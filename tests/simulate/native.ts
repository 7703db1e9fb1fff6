/** Native work of the engine's own threads, which goes on by itself: the scheduler waits for it. */
import { AsyncLocalStorage } from "node:async_hooks";

let underWay = 0;
const alone = new AsyncLocalStorage<true>();

/** Whether the world itself asks, past the scheduler. */
export const isAlone = (): boolean => alone.getStore() === true;

export const hasNativeWork = (): boolean => underWay > 0;

/** Waits for what no message is of, such as the questions of an oracle: nothing else is released meanwhile, however long it takes. */
export async function waitAlone<T>(work: () => PromiseLike<T>): Promise<T> {
  underWay++;
  try {
    return await alone.run(true, async () => work());
  } finally {
    underWay--;
  }
}

const names = [
  "decrypt",
  "deriveBits",
  "deriveKey",
  "digest",
  "encrypt",
  "exportKey",
  "generateKey",
  "importKey",
  "sign",
  "verify",
] as const;

/** Counts the calls of WebCrypto that have not ended. */
export function watchNativeWork(): void {
  for (const name of names) {
    const real: (...given: unknown[]) => Promise<unknown> = Reflect.get<object, string>(crypto.subtle, name).bind(
      crypto.subtle,
    );
    const value = async (...given: unknown[]): Promise<unknown> => {
      underWay++;
      try {
        return await real(...given);
      } finally {
        underWay--;
      }
    };
    Object.defineProperty(crypto.subtle, name, { value, configurable: true });
  }
}
