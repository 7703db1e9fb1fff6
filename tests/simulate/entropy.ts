/** Random numbers and ids of a process in a simulated world. Libraries that use the global objects get them too. */
import { createStream, type Stream } from "./seededRandom.ts";

let world: { seed: number; nameActor: () => string } | null = null;
const streams = new Map<string, Stream>();
const realFill = crypto.getRandomValues.bind(crypto);

/**
 * Bytes of the seed; real ones before the world begins. Each actor has a stream of its own: drivers draw too, when the real time
 * says so.
 */
export function drawBytes(count: number): Uint8Array {
  if (world === null) return realFill(new Uint8Array(count));
  const name = world.nameActor();
  const stream = streams.get(name) ?? createStream(world.seed, `entropy of ${name}`);
  streams.set(name, stream);
  return stream.bytes(count);
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
const group = (text: string): string =>
  [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join("-");

let lastMs = 0;
let counter = 0;

/** As Bun's: later ids are greater, also within a millisecond. */
function createV7(): string {
  const nowMs = Math.max(lastMs, Date.now());
  counter = nowMs === lastMs ? counter + 1 : 0;
  lastMs = nowMs;
  const tail = hex(drawBytes(8));
  const middle = (0x7000 + (counter & 0xfff)).toString(16);
  return group(`${nowMs.toString(16).padStart(12, "0")}${middle}8${tail.slice(1)}`);
}

/** Replaces the sources of randomness of this process. */
export function installEntropy(): void {
  const createV4 = () => {
    const text = hex(drawBytes(16));
    return group(`${text.slice(0, 12)}4${text.slice(13, 16)}8${text.slice(17)}`);
  };
  Object.assign(crypto, {
    getRandomValues: <T extends ArrayBufferView>(target: T): T => {
      new Uint8Array(target.buffer, target.byteOffset, target.byteLength).set(drawBytes(target.byteLength));
      return target;
    },
    randomUUID: createV4,
  });
  Object.assign(Bun, { randomUUIDv7: createV7 });
  Math.random = () => Buffer.from(drawBytes(4)).readUInt32LE(0) / 2 ** 32;
}

/** @param nameActor answers who runs now */
export function startEntropy(seed: number, nameActor: () => string): void {
  world = { seed, nameActor };
}
