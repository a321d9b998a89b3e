/** The events of a run, one line of events.jsonl each. `at`: milliseconds since the epoch. */
export type { RunEvent } from "../schemas/run-event.ts";
