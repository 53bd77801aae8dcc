// Background work on a page: every [data-job="<id>"] is asked after until it is over (templates/partials/job.html).
import { REPLACED } from "../lib/dom.ts";
import { requestJson } from "../lib/http.ts";
import { Scope } from "../lib/scope.ts";

const POLL_MS = 1500;

interface Job {
  state: "queued" | "running" | "done" | "failed" | "cancelled";
  waiting: string; // its place in the queue, in words
  progress: { done: number; total: number; note: string };
  error: string;
}

function hasStopped(job: Job): boolean {
  return job.state === "failed" || job.state === "cancelled";
}

/** What is said below the bar: the error, the place in the queue, or what is being done. */
function noteOf(job: Job): string {
  return job.state === "failed" ? job.error : job.waiting || job.progress.note;
}

function show(root: HTMLElement, job: Job): void {
  const bar = root.querySelector("progress");
  if (bar) {
    const { done, total } = job.state === "done" ? { done: 1, total: 1 } : job.progress;
    bar.max = total || 1;
    if (total) bar.value = done;
    else bar.removeAttribute("value"); // nothing is known yet: the bar says that it does not know
    bar.hidden = hasStopped(job);
  }
  const note = root.querySelector("[data-job-note]");
  if (note) note.textContent = noteOf(job);
  const pill = root.querySelector<HTMLElement>("[data-job-state]");
  if (pill) pill.dataset.state = job.state;
  for (const word of root.querySelectorAll<HTMLElement>("[data-when]")) word.hidden = word.dataset.when !== job.state;
}

let scope = new Scope();

function follow(root: HTMLElement): void {
  const stop = scope.every(POLL_MS, () => void ask());
  const ask = async () => {
    try {
      const job = await requestJson<Job>(`/api/v1/jobs/${root.dataset.job}/`, { signal: scope.signal });
      show(root, job);
      if (job.state === "queued" || job.state === "running") return;
      stop();
      if (job.state === "done" && root.hasAttribute("data-job-reload")) location.reload();
    } catch {
      // The server restarts or the network is away; the job goes on without this page.
    }
  };
  void ask();
}

function followAll(): void {
  scope.dispose();
  scope = new Scope();
  scope.listen(document, REPLACED, followAll); // a page may put the server's newest pieces in place of the shown ones
  for (const root of document.querySelectorAll<HTMLElement>("[data-job]")) follow(root);
}

followAll();
