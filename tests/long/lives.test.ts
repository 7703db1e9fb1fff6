import { expect, test } from "bun:test";
import { findFaults } from "../lives/faults.ts";
import { playLives } from "../lives/world.ts";

test("random lives, half of them hostile, cost the operator no more than the bound, and every cent of it is owed", async () => {
  const losses = await playLives({ lives: 6, seed: 20_261 });
  expect(losses.lives).toBe(6);
  expect(findFaults(losses)).toEqual([]);
}, 120_000);
