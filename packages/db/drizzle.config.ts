import { defineConfig } from "drizzle-kit";

// drizzle-kit only loads a default export.
export default defineConfig({
  dialect: "postgresql",
  schema: "./src/schema/tables.ts",
  out: "../../drizzle",
  casing: "snake_case",
});
