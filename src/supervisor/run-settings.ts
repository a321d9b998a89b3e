/** The settings of a run: its task, its limits and how its processes are started. */
export type { RunSettings } from "../wire/supervise-order.ts";
