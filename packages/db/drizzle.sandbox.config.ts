import { defineConfig } from "drizzle-kit";

// drizzle-kit only loads a default export.
export default defineConfig({
  dialect: "postgresql",
  schema: "./src/sandbox/tables.ts",
  out: "../../apps/sandbox/drizzle",
  casing: "snake_case",
});
