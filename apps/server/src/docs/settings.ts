/** The page of the settings, from their schema. */
import { type ListedSetting, listSettings } from "@cardkeep/runtime/listSettings";
import { markup, type Html, prose } from "@cardkeep/html/markup";
import { renderLink } from "./heading.ts";

/** Read once: they are data of the program. */
export const settings: readonly ListedSetting[] = listSettings();

/** The id of a setting on its page. */
export const anchorOfSetting = (name: string): string => `setting-${name}`;

function describeValue({ fallback, development, isSecret, isRefreshed }: ListedSetting): string {
  const facts = [
    ...(isSecret ? [isRefreshed ? "secret" : "secret, read at the start"] : []),
    ...(development === "required" ? ["required in production"] : []),
    ...(development === "refused" ? ["production refuses the value of development"] : []),
  ];
  return [fallback === "" ? "unset" : fallback, ...facts].join("; ");
}

const renderSetting = (setting: ListedSetting): Html =>
  markup`<tr class="entry" id="${anchorOfSetting(setting.name)}">
    <td><code>${setting.name}</code> ${renderLink(anchorOfSetting(setting.name))}</td>
    <td>${prose(setting.description)}</td>
    <td>${describeValue(setting)}</td>
  </tr>`;

export const renderSettings = (): Html =>
  markup`<table>
      <thead><tr><th>Setting</th><th>What it sets</th><th>Without it</th></tr></thead>
      <tbody>${settings.map(renderSetting)}</tbody>
    </table>`;
