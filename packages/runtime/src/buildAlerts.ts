/** The rules of alertRules.ts in the form of Prometheus. */
import { type AlertRule, alertRules } from "./alertRules.ts";

const select = (metric: string, labels = ""): string => (labels === "" ? metric : `${metric}{${labels}}`);
const group = (by: readonly string[] = []): string => (by.length === 0 ? "" : ` by (${by.join(", ")})`);

/** A rule's condition in the language of Prometheus. */
function renderExpression({ measured, compare }: AlertRule): string {
  const bound = compare === undefined ? "" : ` ${compare.join(" ")}`;
  switch (measured.kind) {
    case "absent":
      return `absent(${measured.metric})`;
    case "gauge":
      return `${measured.aggregate}${group(measured.by)} (${select(measured.metric, measured.labels)})${bound}`;
    case "increase":
      return `sum${group(measured.by)} (increase(${select(measured.metric, measured.labels)}[${measured.overMinutes}m]))${bound}`;
    case "quantile": {
      const rate = `rate(${measured.metric}_bucket[${measured.overMinutes}m])`;
      return `histogram_quantile(${measured.quantile}, sum by (le) (${rate}))${bound}`;
    }
  }
}

/** The page of a rule in a file of headings; GitHub makes the anchor of a heading so. */
export const nameRunbookPage = ({ name }: AlertRule): string => `apps/cli/RUNBOOK.md#${name.toLowerCase()}`;

/** All rules as a file of Prometheus, or as the `spec` of its operator's object. */
export const buildAlertGroups = () => ({
  groups: [
    {
      name: "cardkeep",
      rules: alertRules.map((rule) => ({
        alert: rule.name,
        expr: renderExpression(rule),
        for: `${rule.forMinutes}m`,
        labels: { severity: rule.severity },
        annotations: { summary: rule.summary, runbook: nameRunbookPage(rule) },
      })),
    },
  ],
});
