/** Every setting as people read it, from the settings' own schema. */
import { keysOf } from "@cardkeep/contract/core/keysOf";
import { formatNative } from "@cardkeep/domain/chain/topUps/readTopUps";
import type { z } from "zod";
import { development } from "./development.ts";
import { environment } from "./environment.ts";
import { type SettingName, uses } from "./settingUses.ts";

export interface ListedSetting {
  readonly name: SettingName;
  readonly description: string;
  /** As it would be written; empty for none. */
  readonly fallback: string;
  /** Whether development has a value of its own, and what production says of it; null for none. */
  readonly development: "refused" | "required" | null;
  readonly isSecret: boolean;
  /** A running process takes up a changed file. */
  readonly isRefreshed: boolean;
}

/** Amounts of native tokens are the only settings that are read as bigints. */
function formatDefault(fallback: unknown): string {
  if (fallback === undefined || (Array.isArray(fallback) && fallback.length === 0)) return "";
  return typeof fallback === "bigint" ? formatNative(fallback) : String(fallback);
}

const describe = (name: SettingName): ListedSetting => {
  const schema: z.ZodType = environment.shape[name];
  const parsed = schema.safeParse(undefined);
  return {
    name,
    description: schema.description ?? "",
    fallback: formatDefault(parsed.success ? parsed.data : undefined),
    development: name in development ? (parsed.success ? "refused" : "required") : null,
    isSecret: uses[name].isSecret,
    isRefreshed: uses[name].isRefreshed,
  };
};

/** In the order of their groups. */
export const listSettings = (): ListedSetting[] => keysOf(environment.shape).map(describe);
