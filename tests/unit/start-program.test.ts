import { startCardkeep } from "@cardkeep/testing";
import { expect, test } from "bun:test";

/** Prints what it got, and ends. */
const program = `
console.error([process.env.PARTNER_ID, process.env.DATABASE_URL].join());
console.error(process.argv.slice(1).join(" "));
process.exit(3);
`;

test("a program that ends before it is ready is a failed start with its last lines; it got settings and arguments", async () => {
  const started = startCardkeep({
    settings: { PARTNER_ID: "corner-shop" },
    command: [process.execPath, "-e", program, "start"],
  });
  await expect(started).rejects.toThrow("Cardkeep ended with code 3\ncorner-shop,\nstart --ephemeral --json");
});

test("a program that says nothing in time is a failed start too, and is ended", async () => {
  const command = [process.execPath, "-e", "setInterval(() => {}, 1_000)"] as const;
  await expect(startCardkeep({ command: [...command], timeoutMs: 200 })).rejects.toThrow("was not ready within 200 ms");
});
