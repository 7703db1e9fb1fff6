/** A filled database of each release is migrated to this version, and the service goes on with it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { restoreArchive } from "@cardkeep/db/archives/restoreArchive";
import { migrate } from "@cardkeep/db/migrate";
import { migrate as migrateSandbox } from "@cardkeep/sandbox/migrate";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { runCliOn } from "../support/cli.ts";
import { filled } from "../support/filled.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { listIds, listReleases, openRelease } from "../support/release.ts";
import { type Service, startService } from "../support/service.ts";

describe.each(filled(await listReleases()))("a database of %s, migrated to this version,", (version) => {
  let opened: Awaited<ReturnType<typeof openRelease>>;
  let service: Service;
  let person: Person;
  beforeAll(async () => {
    opened = await openRelease(version);
    await migrate(opened.database.url);
    await migrateSandbox(opened.database.url);
    service = await startService({ filled: opened });
    person = new Person(service, opened.release.privateKey);
    await person.signIn();
  });
  afterAll(async () => {
    await service.stop();
    await opened.close();
  });

  test("has its people, cards, payments, IBANs, orders and operations in the answers of the API", async () => {
    for (const [path, ids] of filled(Object.entries(opened.release.answers))) {
      const { status, body } = await person.call("GET", path);
      expect([path, status, listIds(body)]).toEqual([path, 200, expect.arrayContaining(ids)]);
    }
  });

  test("has months that come back from their archives", async () => {
    for (const name of filled(await readdir(opened.archives))) {
      const { tables } = await restoreArchive(opened.database.url, join(opened.archives, name));
      expect(tables.reduce((sum, { rows }) => sum + rows, 0)).toBeGreaterThan(0);
    }
    const { body } = await person.call("GET", "/cards/transactions");
    expect(listIds(body)).toContain("threadId iauth_old");
  });

  test("has nothing that the doctor finds", async () => {
    await until(async () => {
      const { out } = await runCliOn(service.runtime, "doctor", "--json");
      const { checks }: { checks: { check: string; severity: string }[] } = JSON.parse(out);
      // Cases that were open then are open still, and become a fault with their age.
      return checks.every(({ check, severity }) => severity !== "fault" || check === "cases");
    });
  });
});
