/** How an agent ended, as one line for people. Reasons that agents wrote are made safe for a terminal. */
import type { Ending } from "../core/model/agent.ts";
import { foldedMiddle } from "../core/preview.ts";
import { oneLine } from "./safe/terminal-safe.ts";

const MAX_CAUSE = 1_000;

/** One line: `answer`, `limit: turn limit reached (max-turns 50)`, `killed by SIGKILL`. The middle of a very long cause is folded. */
export function describeEnding(ending: Ending): string {
	return foldedMiddle(wholeEnding(ending), MAX_CAUSE);
}

/** The same with the whole cause, however long it is. */
export function wholeEnding(ending: Ending): string {
	switch (ending.by) {
		case "answer":
			return "answer";
		case "failure":
		case "limit":
		case "stopped":
		case "crashed":
			return `${ending.by}: ${oneLine(ending.reason)}`;
		case "killed":
			return `killed by ${oneLine(ending.signal)}`;
	}
}
