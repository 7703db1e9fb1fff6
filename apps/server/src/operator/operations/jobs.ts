/** The queue: waiting jobs, jobs given up with their reason, and retries. */
import { getJob, type Job, listJobs, retryFailedJobs, retryJob } from "@cardkeep/domain/core/jobs/listJobs";
import { markup } from "@cardkeep/html/markup";
import { renderTime } from "@cardkeep/html/time";
import { renderConfirm } from "../page/confirm.ts";
import { type Action, linkTo, may, readChoice, type ShowPage } from "../page/page.ts";
import { renderAction, renderCode, renderFields, renderStatus, renderTabs } from "../page/parts.ts";
import { buildList, type Column } from "../page/table.ts";

const states = ["failed", "waiting", "running", "scheduled"] as const;

const renderTries = ({ attempts, attemptsMax }: Job): string => `${attempts} of ${attemptsMax}`;

const firstLine = ({ lastError }: Job): string | null => lastError?.split("\n", 1)[0] ?? null;

/** The table of jobs, as data. */
export const jobTable = {
  name: "jobs",
  none: "There are no such jobs.",
  columns: [
    { name: "Job", text: ({ id }) => id, cell: ({ id }) => markup`<a href="/operator/jobs/${id}">${id}</a>` },
    { name: "Task", text: ({ task }) => task, cell: ({ task }) => renderCode(task) },
    { name: "Subject", text: ({ subjectId }) => subjectId, cell: ({ subjectId }) => renderCode(subjectId) },
    { name: "State", text: ({ state }) => state, cell: ({ state }) => renderStatus(state) },
    { name: "Tries", text: renderTries },
    { name: "Runs at", text: ({ runAt }) => runAt },
    { name: "Last error", text: firstLine },
  ] satisfies readonly Column<Job>[],
};

export const showJobs: ShowPage = async (visit) => {
  const state = readChoice(visit, "state", states);
  const jobs = await buildList(visit, {
    ...jobTable,
    keyOf: ({ id }) => id,
    read: (position) => listJobs(visit.ctx, { state, ...position }),
  });
  return {
    title: "Jobs",
    body: markup`${renderTabs(visit, "state", states, state)}
      ${
        state === "failed" &&
        jobs.isFilled &&
        may(visit, "jobs.retry-failed") &&
        renderConfirm({
          action: "/operator/jobs/retry",
          label: "Retry all jobs that were given up",
          consequence: "Up to 1,000 jobs run again at once, with all their attempts.",
          reason: "optional",
        })
      }
      ${jobs}`,
    tables: [jobs],
  };
};

export const showJob: ShowPage = async (visit) => {
  const job = await getJob(visit.ctx, { id: visit.params["id"] ?? "" });
  return {
    title: `Job ${job.id}`,
    body: markup`${renderFields([
      ["Task", renderCode(job.task)],
      ["State", renderStatus(job.state)],
      ["Subject", renderCode(job.subjectId)],
      ["Request", renderCode(job.requestId)],
      ["Tries", renderTries(job)],
      ["Runs at", renderTime(job.runAt)],
      ["Created", renderTime(job.createdAt)],
      ["Changed", renderTime(job.updatedAt)],
    ])}
      ${job.state !== "running" && may(visit, "jobs.retry") && renderAction(`/operator/jobs/${job.id}/retry`, "Run now")}
      <h2>Last error</h2>
      ${
        job.lastError === null
          ? markup`<p class="none">The job has not failed.</p>`
          : markup`<figure class="panel"><pre tabindex="0">${job.lastError}</pre></figure>`
      }`,
  };
};

export const retryOne: Action = async ({ ctx, params }) => {
  await retryJob(ctx, { id: params["id"] ?? "" });
  return linkTo("/operator/jobs", { done: "retried", count: 1 });
};

export const retryFailed: Action = async ({ ctx }) =>
  linkTo("/operator/jobs", { done: "retried", count: (await retryFailedJobs(ctx)).retried });
