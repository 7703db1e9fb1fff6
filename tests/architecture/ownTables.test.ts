/** Lists, fields and columns of operators are described in `packages/desk`. What draws a table of its own is named here, with why. */
import { expect, test } from "bun:test";
import { listSources } from "./sources.ts";

const renderers = [
  "apps/cli/src/desk.ts",
  "apps/cli/src/print.ts",
  "apps/cli/src/renderNoun.ts",
  "apps/server/src/operator/desk.ts",
  "apps/server/src/operator/deskTable.ts",
  "apps/server/src/operator/page/parts.ts",
  "apps/server/src/operator/page/table.ts",
];

const pictures = "the numbers of a picture, or what a page with pictures shows beside them";

/** Files with tables or fields of their own, and why no noun has them. */
const reasons: Readonly<Record<string, string>> = {
  "apps/server/src/operator/access/roles.ts": "the table of verbs and roles itself",
  "apps/server/src/operator/figureCharts.ts": pictures,
  "apps/server/src/operator/money/backtest.ts": "one run of a rule against the past",
  "apps/server/src/operator/money/ledgerSums.ts": "sums of a search, and the settlement account",
  "apps/server/src/operator/money/moneyNow.ts": pictures,
  "apps/server/src/operator/money/reports.ts": "columns are those of the report",
  "apps/server/src/operator/operations/deliveries.ts": "endpoints with their backlogs, above the list",
  "apps/server/src/operator/operations/delivery.ts": "one delivery with its attempts and body",
  "apps/server/src/operator/operations/queueChart.ts": pictures,
  "apps/server/src/operator/operations/revertedGas.ts": "sums of a month, below the list",
  "apps/server/src/operator/overview.ts": pictures,
  "apps/server/src/operator/overviewCharts.ts": pictures,
  "apps/server/src/operator/page/charts.ts": pictures,
  "apps/server/src/operator/people/user.ts": pictures,
  "apps/server/src/operator/people/userHistory.ts": "entries of many nouns in one line of time",
  "apps/server/src/operator/search.ts": "results of many nouns",
  "apps/cli/src/database.ts": "nodes of a distributed database",
  "apps/cli/src/faults.ts": "the sandbox alone",
  "apps/cli/src/jobs.ts": "counts by task and state",
  "apps/cli/src/keySafes.ts": "keys of this machine",
  "apps/cli/src/keys.ts": "keys of this machine",
  "apps/cli/src/questions.ts": "one document, set as a whole",
  "apps/cli/src/reconcile.ts": "one run of a comparison",
  "apps/cli/src/renderBacktest.ts": "one run of a rule against the past",
  "apps/cli/src/search.ts": "results of many nouns",
  "apps/cli/src/terms.ts": "one document, published as a whole",
  "apps/cli/src/timeline.ts": "steps of an operation, aligned by instant and word",
  "apps/cli/src/trigger.ts": "the sandbox alone",
  "apps/cli/src/users.ts": "the outcome of repeated erasures",
  "apps/cli/src/where.ts": "the installation that a command would use",
};

const drawing = /\b(?:buildTable|buildList|renderTable|renderFields|renderFacts)\(/;

test("no page or command has a list, a field or a column of its own but for a reason", () => {
  const own = listSources()
    .filter(({ path, text }) => /^apps\/(?:cli\/src|server\/src\/operator)\//.test(path) && drawing.test(text))
    .map(({ path }) => path)
    .filter((path) => !renderers.includes(path));
  expect(own.toSorted()).toEqual(Object.keys(reasons).toSorted());
});
