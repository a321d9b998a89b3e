/** What can happen in a run; one line of events.jsonl each. `at`: ms since the epoch. */
export type { RunEvent } from "./schemas/run-event.ts";
