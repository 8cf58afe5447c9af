// Trainings in the background, as the page follows them.
import type { Job } from "./contract";

/** States that a job does not leave. */
export const OVER: readonly Job["state"][] = ["done", "failed", "cancelled"];
