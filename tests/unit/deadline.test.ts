import { expect, spyOn, test } from "bun:test";
import { withDeadline } from "@cardkeep/server/deadline";

test("a part of a request has what is left of its ten seconds, and does not begin after them", async () => {
  const now = performance.now.bind(performance);
  const clock = spyOn(performance, "now");
  try {
    const startedAtMs = now() - 9_000;
    const left = withDeadline(() => new Promise(() => {}), startedAtMs);
    const early = withDeadline(() => new Promise(() => {}));
    clock.mockImplementation(() => now() + 1_000);
    await expect(left).rejects.toMatchObject({ code: "server.unavailable" });
    let hasBegun = false;
    const late = withDeadline(async () => void (hasBegun = true), startedAtMs);
    await expect(late).rejects.toMatchObject({ code: "server.unavailable" });
    expect(hasBegun).toBe(false);
    clock.mockImplementation(() => now() + 10_000);
    await expect(early).rejects.toMatchObject({ code: "server.unavailable" });
  } finally {
    clock.mockRestore();
  }
});

test("a request has ten seconds for its answer, without the time in which a large body arrives", async () => {
  const body = Promise.withResolvers<string>();
  const now = performance.now.bind(performance);
  const clock = spyOn(performance, "now");
  try {
    const uploading = withDeadline((pause) => pause(() => body.promise));
    const stuck = withDeadline(async (pause) => {
      await pause(() => Promise.resolve());
      return new Promise(() => {});
    });
    // Its pause is over.
    await Bun.sleep(0);
    clock.mockImplementation(() => now() + 50_000);
    await expect(stuck).rejects.toMatchObject({ code: "server.unavailable" });
    body.resolve("read");
    expect(await uploading).toBe("read");
  } finally {
    clock.mockRestore();
  }
});
