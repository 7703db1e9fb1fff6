/** The queue: waiting jobs, jobs given up with their reason, and retries. */
import { getJob, type Job, listJobs, retryFailedJobs, retryJob } from "@cardkeep/domain/jobs/listJobs";
import { markup, type Html } from "@cardkeep/html/markup";
import { type Action, linkTo, readChoice, readPosition, type ShowPage, splitPage } from "./page.ts";
import {
  renderAction,
  renderCode,
  renderFields,
  renderInstant,
  renderPager,
  renderStatus,
  renderTable,
  renderTabs,
} from "./parts.ts";

const states = ["failed", "waiting", "running", "scheduled"] as const;

const renderTries = ({ attempts, attemptsMax }: Job): string => `${attempts} of ${attemptsMax}`;

/** A table of jobs. */
export const renderJobs = (jobs: readonly Job[]): Html =>
  renderTable(
    ["Job", "Task", "State", "Tries", "Runs at", "Last error"],
    jobs.map((job) => [
      markup`<a href="/operator/jobs/${job.id}">${job.id}</a>`,
      renderCode(job.task),
      renderStatus(job.state),
      renderTries(job),
      renderInstant(job.runAt),
      job.lastError?.split("\n", 1)[0] ?? "–",
    ]),
    "There are no such jobs.",
  );

export const showJobs: ShowPage = async (visit) => {
  const state = readChoice(visit, "state", states);
  const { shown, last } = splitPage(await listJobs(visit.ctx, { state, ...readPosition(visit) }));
  return {
    title: "Jobs",
    body: markup`${renderTabs(visit, "state", states, state)}
      ${state === "failed" && shown.length > 0 && renderAction("/operator/jobs/retry", "Retry all jobs that were given up")}
      ${renderJobs(shown)} ${renderPager(visit, last)}`,
  };
};

export const showJob: ShowPage = async ({ ctx, params }) => {
  const job = await getJob(ctx, { id: params["id"] ?? "" });
  return {
    title: `Job ${job.id}`,
    body: markup`${renderFields([
      ["Task", renderCode(job.task)],
      ["State", renderStatus(job.state)],
      ["Subject", renderCode(job.subjectId)],
      ["Request", renderCode(job.requestId)],
      ["Tries", renderTries(job)],
      ["Runs at", renderInstant(job.runAt)],
      ["Created", renderInstant(job.createdAt)],
      ["Changed", renderInstant(job.updatedAt)],
    ])}
      ${job.state !== "running" && renderAction(`/operator/jobs/${job.id}/retry`, "Run now")}
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
