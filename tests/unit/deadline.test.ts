import { expect, spyOn, test } from "bun:test";
import { withDeadline } from "@cardkeep/server/deadline";

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
