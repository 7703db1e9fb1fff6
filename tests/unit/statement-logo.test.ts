import { expect, test } from "bun:test";
import { createLogoReader, isPicture } from "@cardkeep/server/statements/readLogo";
import { filled } from "../support/filled.ts";

/** Four points that one can see through: the library of the pages reads them late. */
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAYAAABytg0kAAAAEUlEQVR4nGPQj79wAoQZYAwASPIImW+3YVkAAAAASUVORK5CYII=",
  "base64",
);

test("a picture that the pages could not draw is none: each cut and each changed byte of its points", () => {
  expect(isPicture(png)).toBe(true);
  expect([Buffer.alloc(0), Buffer.from("<svg/>"), png.subarray(0, 40)].map(isPicture)).toEqual([false, false, false]);
  const start = png.indexOf("IDAT") + 4;
  const length = png.readUInt32BE(start - 8);
  const broken = Array.from({ length: 8 }, (_, bit) =>
    Buffer.from(png.with(start + length - 1, (png[start + length - 1] ?? 0) ^ (1 << bit))),
  );
  for (const bytes of filled(broken)) expect(isPicture(bytes)).toBe(false);
});

test("a logo is read once for all pages, and one that is away, too large or broken is none", async () => {
  let asked = 0;
  const bodies: Record<string, BodyInit> = {
    "/logo.png": png,
    "/broken.png": png.subarray(0, 50),
    "/large.png": Buffer.alloc(2 * 1024 * 1024),
  };
  using server = Bun.serve({
    port: 0,
    fetch: ({ url }) => {
      asked++;
      const body = bodies[new URL(url).pathname];
      return body === undefined ? new Response("", { status: 404 }) : new Response(body);
    },
  });
  const read = createLogoReader();
  const ignore = () => {};
  const url = (path: string) => new URL(path, server.url).href;
  expect((await read(url("/logo.png"), ignore))?.equals(png)).toBe(true);
  await read(url("/logo.png"), ignore);
  expect(asked).toBe(1);
  for (const path of filled(["/broken.png", "/large.png", "/none.png"]))
    expect(await read(url(path), ignore)).toBeNull();
  const errors: unknown[] = [];
  expect([await read("http://127.0.0.1:1/logo.png", (error) => errors.push(error)), errors.length]).toEqual([null, 1]);
  expect(await read(null, ignore)).toBeNull();
});
