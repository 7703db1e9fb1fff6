/** The published document, statement by statement, beside a running service. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Service, startService } from "../support/service.ts";
import { endpoints } from "./mission/endpoints.ts";
import { errors } from "./mission/errors.ts";
import { resources } from "./mission/resources.ts";
import { playWorld, type World } from "./mission/world.ts";

let service: Service;
let world: World;
beforeAll(async () => {
  service = await startService();
  world = await playWorld(service);
}, 120_000);
afterAll(() => service.stop());

const rows = [...resources, ...endpoints, ...errors];

test("every statement has a row of its own", () => {
  expect(new Set(rows.map(({ says }) => says)).size).toBe(rows.length);
  expect(rows.length).toBeGreaterThanOrEqual(166);
});

describe("as published:", () => {
  test.each(rows.map((row) => [row.says, row] as const))("%s", (_, row) => row.check(world));
});
