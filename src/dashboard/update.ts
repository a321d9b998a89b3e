/** Everything that changes a picture goes through `update`: pure. */
import { createBatchReduce } from "../core/batch-reduce.ts";
import { defined } from "../core/defined.ts";
import type { RunEvent } from "../core/run-event.ts";
import type { TranscriptEntry } from "../core/transcript.ts";
import type { PhaseChange } from "../events/phases.ts";
import type { ToWatcher } from "../protocol/watcher-messages.ts";
import { ask, hear, type Next, withProgress } from "./asking.ts";
import { logged, recorded, refocus } from "./history-changes.ts";
import { type PointerEvent, point } from "./mouse.ts";
import { paste, pressKey } from "./press.ts";
import { loseRun, receive } from "./receive.ts";
import type { SeenCommands } from "./scene/activity.ts";
import { withEarlier, withOutput } from "./scene/agent-history.ts";
import { isAnswer } from "./scene/asks.ts";
import type { CommandOutput } from "./scene/command-output.ts";
import type { Answers } from "./scene/doing-now.ts";
import type { Particulars } from "./scene/particulars.ts";
import { newestOf } from "./scene/run-events.ts";
import { withChanges } from "./scene/run-phases.ts";
import type { Picture } from "./scene/scene.ts";
import { noticed } from "./scene/ui-state.ts";

export type Input =
	/** `character`: what the key prints. */
	| { readonly is: "key"; readonly name: string; readonly character?: string | undefined }
	| { readonly is: "paste"; readonly text: string }
	| { readonly is: "mouse"; readonly event: PointerEvent }
	/** Messages of the supervisor, in their order. */
	| { readonly is: "messages"; readonly messages: readonly ToWatcher[] }
	/** The supervisor is gone. */
	| { readonly is: "lost"; readonly at: number }
	/** A signal has stopped the supervisor, or it goes on. */
	| { readonly is: "suspended"; readonly isSuspended: boolean }
	/** New in the transcript of the selected agent. */
	| { readonly is: "recorded"; readonly entries: readonly TranscriptEntry[] }
	/** What stands in the transcript before that, and how much more there is before it. */
	| { readonly is: "recorded_earlier"; readonly entries: readonly TranscriptEntry[]; readonly unreadBytes: number }
	/** Some of the output of a command of the selected agent. */
	| { readonly is: "printed"; readonly command: number; readonly read: CommandOutput }
	/** What was seen of all running commands. */
	| { readonly is: "activity"; readonly commands: SeenCommands }
	/** What agents have answered. */
	| { readonly is: "answers"; readonly answers: Answers }
	| { readonly is: "particulars"; readonly particulars: Particulars }
	| EventsInput
	/** Older events of the selected agent, of which the log has more than the picture. */
	| { readonly is: "happened"; readonly events: readonly RunEvent[] }
	/** Something to say in the bar. */
	| { readonly is: "told"; readonly text: string; readonly isTrouble: boolean }
	| { readonly is: "stop_asked" };

export type EventsInput =
	/** New in the run's event log, in order: events, of very many the newest, and the changes that all of them bring. */
	| { readonly is: "events"; readonly events: readonly RunEvent[]; readonly changes: readonly PhaseChange[] }
	| { readonly is: "events_unreadable"; readonly why: string };

/** The next picture always has the history of its selected agent. */
export function update(picture: Picture, input: Input): Next {
	const { picture: next, ...rest } = nextOf(picture, input);
	return { ...rest, picture: refocus(withProgress(next)) };
}

function nextOf(picture: Picture, input: Input): Next {
	if (input.is === "messages") return receiveAll({ ...picture, isSuspended: false }, input.messages);
	if (input.is !== "key" && input.is !== "mouse") return { picture: pictureAfter(picture, input) };
	const { ui, wish } =
		input.is === "mouse" ? point(picture, input.event) : pressKey(picture, input.name, input.character);
	const next = { ...picture, ui };
	return wish?.is === "ask" ? ask(next, wish) : { picture: next, ...defined({ wish }) };
}

/** However many events they tell, they cost one copy of the run's state. */
function receiveAll(picture: Picture, messages: readonly ToWatcher[]): Next {
	const reduce = createBatchReduce();
	let next: Next = { picture };
	for (const message of messages) {
		const { wish } = next;
		const after = isAnswer(message) ? hear(next.picture, message) : { picture: receive(next.picture, message, reduce) };
		next = { ...defined({ wish }), ...after };
	}
	return next;
}

function pictureAfter(picture: Picture, input: Exclude<Input, { is: "key" | "mouse" | "messages" }>): Picture {
	const { history } = picture;
	switch (input.is) {
		case "paste":
			return { ...picture, ui: paste(picture, input.text) };
		case "lost":
			return loseRun(picture, input.at);
		case "suspended":
			return { ...picture, isSuspended: input.isSuspended };
		case "recorded":
			return recorded(picture, input.entries);
		case "recorded_earlier":
			return { ...picture, history: withEarlier(history, input.entries, input.unreadBytes) };
		case "printed":
			return { ...picture, history: withOutput(history, input.command, input.read) };
		case "particulars":
			return { ...picture, particulars: input.particulars };
		case "events":
			return logged(withEvents(picture, input), input.events);
		case "activity":
			return { ...picture, activity: { ...picture.activity, commands: input.commands } };
		case "answers":
			return { ...picture, answers: input.answers };
		case "events_unreadable":
			return { ...picture, unreadable: input.why };
		case "happened":
			return logged(picture, input.events);
		case "told": {
			const tone = input.isTrouble ? "bad" : "plain";
			return { ...picture, ui: noticed(picture.ui, input.text, { tone, now: picture.now }) };
		}
		case "stop_asked":
			return { ...picture, isStopAsked: true };
	}
}

function withEvents(picture: Picture, { events, changes }: Extract<Input, { is: "events" }>): Picture {
	const phases = withChanges(picture.phases ?? new Map(), changes);
	return { ...picture, events: newestOf(picture.events, events), phases };
}
