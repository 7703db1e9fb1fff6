import { markup, type Html, type Part } from "./markup.ts";

/** A table whose cells name their columns, so that a narrow page may show each row as a card. */
export const renderTable = (columns: readonly string[], rows: readonly (readonly Part[])[]): Html =>
  markup`<table>
    <thead>
      <tr>
        ${columns.map((name) => markup`<th scope="col">${name}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        (row) =>
          markup`<tr>
            ${row.map((cell, index) => markup`<td data-label="${columns[index]}"><div>${cell}</div></td>`)}
          </tr>`,
      )}
    </tbody>
  </table>`;
