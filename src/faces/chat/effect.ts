/** What a conversation does beside changing its state. */
import type { AgentId } from "../../core/model/agent.ts";
import type { FromWatcher } from "../../wire/watcher-messages.ts";
import type { ChatEnd, CutAt } from "./chat-end.ts";
import type { ChatState } from "./chat-state.ts";

export type Tone = "plain" | "dim" | "warn" | "bad";

/** A line, or a few, of the conversation's own. */
export interface Told {
	readonly text: string;
	readonly tone: Tone;
	/** Columns at the begin of its other rows, where it is too long for one. */
	readonly hang?: number;
}

export type Effect =
	| { readonly do: "send"; readonly message: FromWatcher }
	/** Starts the run with its first message. */
	| { readonly do: "begin"; readonly message: string }
	/** Appends lines to what is shown. */
	| { readonly do: "tell"; readonly told: readonly Told[] }
	/** Appends what the person has asked the conversation itself. */
	| { readonly do: "echo"; readonly text: string }
	/** Says something below the prompt until it is out of date. */
	| { readonly do: "hint"; readonly text: string; readonly forMs: number }
	/** Puts a text in front of what is being written. */
	| { readonly do: "put_back"; readonly text: string }
	| { readonly do: "clear_line" }
	| { readonly do: "run_local"; readonly line: string }
	| { readonly do: "end_local" }
	| { readonly do: "show_tree"; readonly selected: AgentId }
	/** Asks the command line for what its files and its commands tell, which is then shown. */
	| { readonly do: "look_up"; readonly what: LookUp }
	/** Shows all that a command of the agent has printed. */
	| { readonly do: "expand"; readonly command: number }
	/** Finds the conversations in which all these words stand. */
	| { readonly do: "find_sessions"; readonly words: string }
	/** Finds what an undo would do. */
	| { readonly do: "find_undo"; readonly to: number | undefined }
	/** Puts the files back as they were found to be; then the conversation is cut. */
	| { readonly do: "put_back_files"; readonly cut: CutAt | undefined }
	| { readonly do: "open_editor" }
	| { readonly do: "show_thinking"; readonly isShown: boolean }
	/** Copies the newest answer, or the one before so many. */
	| { readonly do: "copy_answer"; readonly back: number }
	/** Keeps the text in the history of this directory. */
	| { readonly do: "remember"; readonly text: string }
	| { readonly do: "notify"; readonly text: string }
	| { readonly do: "end"; readonly end: ChatEnd };

/** What the command line looks up for the conversation. */
export type LookUp =
	| { readonly is: "ps" }
	| { readonly is: "show"; readonly agent: AgentId }
	| { readonly is: "sessions"; readonly words: string }
	/** What has changed in the files since the conversation began. */
	| { readonly is: "diff" }
	| { readonly is: "export"; readonly file: string };

export function tell(text: string, tone: Tone = "plain"): Effect {
	return { do: "tell", told: [{ text, tone }] };
}

export function complainOf(text: string): Effect {
	return tell(text, "bad");
}

/** The state after an input, and what is to be done. */

export interface Next {
	readonly state: ChatState;
	readonly effects: readonly Effect[];
}

export function next(state: ChatState, ...effects: readonly Effect[]): Next {
	return { state, effects };
}

/** The second step after the first, and the effects of both. */
export function andThen(first: Next, step: (state: ChatState) => Next): Next {
	const second = step(first.state);
	return { state: second.state, effects: [...first.effects, ...second.effects] };
}
