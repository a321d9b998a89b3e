/** Slash commands about the conversation itself: begin another one, find an older one, take something out of it, leave it. */

import { ROOT } from "../../../core/model/agent.ts";
import { MAX_NAME_CHARS, runName } from "../../../core/run/run-id.ts";
import { next } from "../chat-state.ts";
import { leave } from "../leaving.ts";
import { lookAtUndo, pick } from "../questions.ts";
import { decline, request, say } from "../requests.ts";
import type { SlashCommand } from "./slash-command.ts";

const INIT =
	"Look through this directory: what it is, how it is built, tested and organized, and which conventions its authors follow. " +
	"Then write AGENTS.md in its root (if there is one already, correct and complete it): what someone new to this project needs to know " +
	"and cannot see at a glance. Commands that work, checked by you; no general advice; at most a page. Tell me in a few lines what it says.";

export const CONVERSATION_COMMANDS: readonly SlashCommand[] = [
	{
		...{ word: "new", synonyms: ["clear", "reset"] },
		help: "start a new chat",
		act: (state) => leave(state, { is: "new" }),
	},
	{
		...{ word: "btw", synonyms: ["ask", "aside"], argument: "<question>", needsRun: true },
		help: "ask a side question: answered from the conversation, but not added to it",
		act: (state, given) => request(state, { say: "aside", agent: ROOT, text: given }),
	},
	{
		...{ word: "compact", synonyms: ["summarize", "summarise"], argument: "[what to keep]", needsRun: true },
		help: "replace earlier messages with a summary that keeps what you name",
		act: (state, given) => request(state, { say: "compact", agent: ROOT, ...(given !== "" && { keep: given }) }),
	},
	{
		...{ word: "resume", synonyms: ["load"], argument: "[words]" },
		help: "switch to another chat",
		act: (state, given) => pick(state, given, false),
	},
	{
		...{ word: "sessions", synonyms: ["ls", "history"], argument: "[words]" },
		help: "list the chats of this directory; words filter them",
		act: (state, given) => next(state, { do: "look_up", what: { is: "sessions", words: given } }),
	},
	{
		...{ word: "fork", synonyms: ["branch"], needsRun: true },
		help: "continue in a copy of this chat",
		act: (state) => leave(state, { is: "resume", run: undefined, isFork: true }),
	},
	{
		...{ word: "undo", synonyms: ["rewind"], argument: "[number]", needsRun: true },
		help: "show file changes since before your last message, and restore the files if you confirm",
		act: (state, given) => {
			const to = given === "" ? undefined : Number(given);
			if (to !== undefined && !(Number.isSafeInteger(to) && to > 0))
				return decline(state, "/undo takes the number of a saved state; list them in a shell: agent undo --list");
			return lookAtUndo(state, to);
		},
	},
	{
		...{ word: "diff", synonyms: ["changes"], needsRun: true },
		help: "show files changed since the chat began",
		act: (state) => next(state, { do: "look_up", what: { is: "diff" } }),
	},
	{
		...{ word: "name", synonyms: ["rename", "title"], argument: "<text>", needsRun: true },
		help: "name this chat for lists",
		act: (state, given) => {
			const name = runName(given);
			if (name !== undefined) return request(state, { say: "name", name });
			return decline(state, `a name can have at most ${MAX_NAME_CHARS} characters`);
		},
	},
	{
		...{ word: "export", synonyms: ["save"], argument: "[file]", completes: "files", needsRun: true },
		help: "export the run as an HTML page, by default to this directory",
		act: (state, given) => next(state, { do: "look_up", what: { is: "export", file: given } }),
	},
	{
		...{ word: "copy", argument: "[number]", needsRun: true },
		help: "copy the last answer, or an earlier one, to the clipboard",
		act: (state, given) => next(state, { do: "copy_answer", back: Math.max(0, (Number.parseInt(given, 10) || 1) - 1) }),
	},
	{
		word: "init",
		help: "have the agent write an AGENTS.md for this directory",
		act: (state) => say(state, INIT),
	},
	{
		word: "editor",
		help: "edit the message in $EDITOR (Ctrl-G)",
		act: (state) => next(state, { do: "open_editor" }),
	},
	{
		...{ word: "quit", synonyms: ["exit", "q", "bye"] },
		help: "quit; asks before stopping working agents",
		act: (state) => leave(state),
	},
];
