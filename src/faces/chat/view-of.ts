/** What a conversation shows at one moment, beside what was appended. */

import type { Clock } from "../../core/clock.ts";
import { defined } from "../../core/defined.ts";
import { EMPTY_RUN, type RunState } from "../../core/run/run-state.ts";
import type { Room } from "../../tui/answering/panel.ts";
import { questionBannerRows } from "../../tui/answering/question-banner.ts";
import type { Line } from "../../tui/text/line.ts";
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
	return ["ending the run … press again to quit immediately"];
}

function runToBe({ facts, choice }: ChatState): Partial<RunState> {
	const { model, directory, skipsPermissions } = facts;
	return { model: choice.model ?? model, cwd: directory, ...defined({ skipsPermissions }) };
}

/** Who answers something else sees that first. */
function asked({ run, now, question }: ChatState, isEmpty: boolean, { columns, rows }: Room): readonly Line[] {
	const [first] = run?.questions ?? [];
	if (run === undefined || first === undefined || question !== undefined || rows < 1) return [];
	const hint = isEmpty ? "Tab to answer" : "Tab on an empty line to answer";
	return questionBannerRows({ question: first, run, now, hint }, columns, rows);
}

/** Before the first message there is no run: then what it would begin with stands below the prompt. */
export function viewOf(state: ChatState, { line, hint, host, clock }: Shown): View {
	const { facts, run, choice } = state;
	const now = clock.now();
	return {
		run: run ?? { ...EMPTY_RUN, ...runToBe(state) },
		...{ now, heldSince: state.heldSince },
		editor: (columns, mostRows) => line.draw({ ...state, now }, columns, mostRows),
		asked: (columns, mostRows) => asked({ ...state, now }, line.text === "", { columns, rows: mostRows }),
		offers: () =>
			[...starting(state), ...ending(state), hint.text]
				.filter((text) => text !== "")
				.map((text) => shownLine(text, "dim")),
		status: { effort: choice.effort, directory: facts.shownDirectory, branch: host.branch() },
	};
}
