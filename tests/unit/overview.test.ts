import { describe, expect, test } from "bun:test";
import { finding } from "@cardkeep/domain/operations/health/finding";
import { listParts, summariseFindings } from "@cardkeep/domain/operations/health/summariseFindings";
import { chooseMediaType } from "@cardkeep/html/mediaType";

describe("a page or JSON", () => {
  const choose = (accept: string | null, otherwise: "text/html" | "application/json" = "text/html") =>
    chooseMediaType(
      new Request("http://localhost/", accept === null ? {} : { headers: { Accept: accept } }),
      otherwise,
    );

  test("browsers get a page, and a program that asks for JSON gets JSON", () => {
    const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8";
    expect(choose(browser, "application/json")).toBe("text/html");
    expect(choose("application/json")).toBe("application/json");
    expect(choose("application/json, text/plain, */*")).toBe("application/json");
    expect(choose("application/*")).toBe("application/json");
    expect(choose("text/html;q=0.2, application/json;q=0.9")).toBe("application/json");
    expect(choose("text/html;q=0, */*")).toBe("application/json");
  });

  test("a request that prefers neither gets the usual one of its address", () => {
    for (const accept of [null, "*/*", "image/png", "", ";;,q=x", "text/html, application/json"])
      expect([accept, choose(accept), choose(accept, "application/json")]).toEqual([
        accept,
        "text/html",
        "application/json",
      ]);
  });
});

describe("doctor in one line", () => {
  const well = [finding("database", "ok", "Answers"), finding("worker", "ok", "1 worker takes jobs")];

  test("counts what is wrong and names the first of the worst with what to do", () => {
    expect(summariseFindings(well)).toEqual(finding("doctor", "ok", "All checks are ok."));
    const stopped = finding("stop switches", "warning", "Payments are stopped; `cardkeep stops` resumes");
    const away = finding("worker", "fault", "No worker is running: run `bun run worker`");
    expect(summariseFindings([...well, stopped])).toEqual(
      finding("doctor", "warning", `1 warning. stop switches: ${stopped.text}.`),
    );
    expect(summariseFindings([...well, stopped, away, away])).toEqual(
      finding(
        "doctor",
        "fault",
        `2 faults and 1 warning. worker: ${away.text}. \`cardkeep doctor\` prints all of them.`,
      ),
    );
  });

  test("the parts are those that were checked, in one order", () => {
    const found = [...well, finding("chores", "ok", ""), finding("server", "fault", "Does not answer")];
    expect(listParts(found).map(({ name, severity }) => [name, severity])).toEqual([
      ["Server", "fault"],
      ["Worker", "ok"],
      ["Postgres", "ok"],
    ]);
  });
});
