/** What a conversation shows at one moment, beside what was appended. */
import type { Clock } from "../core/clock.ts";
import { EMPTY_RUN } from "../core/run-state.ts";
import type { ChatState } from "./chat-state.ts";
import type { View } from "./conversation-view.ts";
import type { Hint } from "./hint.ts";
import type { LineInput } from "./line-input.ts";
import type { ChatHost } from "./options.ts";
import { shownLine } from "./output/shown-lines.ts";

export interface Shown {
	readonly line: LineInput;
	readonly hint: Hint;
	readonly host: Pick<ChatHost, "branch">;
	readonly clock: Pick<Clock, "now">;
}

/** A message that the agent is not there to get is seen once it is. */
function starting({ link, unsent }: ChatState): string[] {
	return link.is === "beginning" || unsent.length > 0 ? ["starting …"] : [];
}

const ENDING_SHOWN_MS = 750; // most runs end sooner

function ending({ link, now }: ChatState): string[] {
	if (link.is !== "ending" || now - link.since < ENDING_SHOWN_MS) return [];
	return ["ending the run … once more to leave at once"];
}

/** Before the first message there is no run: then what it would begin with stands below the prompt. */
export function viewOf(state: ChatState, { line, hint, host, clock }: Shown): View {
	const { facts, run, choice } = state;
	return {
		run: run ?? { ...EMPTY_RUN, model: choice.model ?? facts.model, cwd: facts.directory },
		...{ now: clock.now(), heldSince: state.heldSince },
		editor: (columns) => line.draw(state, columns),
		offers: () =>
			[...starting(state), ...ending(state), hint.text]
				.filter((text) => text !== "")
				.map((text) => shownLine(text, "dim")),
		status: { effort: choice.effort, directory: facts.shownDirectory, branch: host.branch() },
	};
}
