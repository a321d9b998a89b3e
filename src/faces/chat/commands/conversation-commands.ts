/** Slash commands about the conversation itself: begin another one, find an older one, take something out of it, leave it. */

import { ROOT } from "../../../core/model/agent.ts";
import { MAX_NAME_CHARS, runName } from "../../../core/run-name.ts";
import { leave } from "../leaving.ts";
import { next } from "../next.ts";
import { pick } from "../picking.ts";
import { request } from "../requests.ts";
import { decline, say } from "../say.ts";
import { lookAtUndo } from "../undoing.ts";
import type { SlashCommand } from "./slash-command.ts";

const INIT =
	"Look through this directory: what it is, how it is built, tested and laid out, and which rules its authors keep. " +
	"Then write AGENTS.md in its root (if there is one already, correct and complete it): what somebody who works here for the first time has to know " +
	"and cannot see at a glance. Commands that work, checked by you; no general advice; at most a page. Tell me in a few lines what it says.";

export const CONVERSATION_COMMANDS: readonly SlashCommand[] = [
	{
		...{ word: "new", synonyms: ["clear", "reset"] },
		help: "ends this conversation, and begins another one",
		act: (state) => leave(state, { is: "new" }),
	},
	{
		...{ word: "btw", synonyms: ["ask", "aside"], argument: "<question>", needsRun: true },
		help: "a question beside the conversation: answered from it, and not kept in it",
		act: (state, given) => request(state, { say: "aside", agent: ROOT, text: given }),
	},
	{
		...{ word: "compact", synonyms: ["summarize", "summarise"], argument: "[what to keep]", needsRun: true },
		help: "a summary in place of what was said before, with what you name in it",
		act: (state, given) => request(state, { say: "compact", agent: ROOT, ...(given !== "" && { keep: given }) }),
	},
	{
		...{ word: "resume", synonyms: ["load"], argument: "[words]" },
		help: "leaves this conversation for another one, which you choose",
		act: (state, given) => pick(state, given, false),
	},
	{
		...{ word: "sessions", synonyms: ["ls", "history"], argument: "[words]" },
		help: "the conversations of this directory, or those in which the words stand",
		act: (state, given) => next(state, { do: "look_up", what: { is: "sessions", words: given } }),
	},
	{
		...{ word: "fork", synonyms: ["branch"], needsRun: true },
		help: "leaves this conversation as it is, and goes on with a copy",
		act: (state) => leave(state, { is: "resume", run: undefined, isFork: true }),
	},
	{
		...{ word: "undo", synonyms: ["rewind"], argument: "[number]", needsRun: true },
		help: "shows what the files were before your newest message, and puts them back if you say so",
		act: (state, given) => {
			const to = given === "" ? undefined : Number(given);
			if (to !== undefined && !(Number.isSafeInteger(to) && to > 0))
				return decline(state, "/undo takes the number of a kept state: agent undo --list, in a shell, has them");
			return lookAtUndo(state, to);
		},
	},
	{
		...{ word: "diff", synonyms: ["changes"], needsRun: true },
		help: "what has changed in the files since the conversation began",
		act: (state) => next(state, { do: "look_up", what: { is: "diff" } }),
	},
	{
		...{ word: "name", synonyms: ["rename", "title"], argument: "<text>", needsRun: true },
		help: "what the conversation is called in lists",
		act: (state, given) => {
			const name = runName(given);
			if (name !== undefined) return request(state, { say: "name", name });
			return decline(state, `a name has ${MAX_NAME_CHARS} characters at most`);
		},
	},
	{
		...{ word: "export", synonyms: ["save"], argument: "[file]", completes: "files", needsRun: true },
		help: "the whole run as one HTML page, by default in this directory",
		act: (state, given) => next(state, { do: "look_up", what: { is: "export", file: given } }),
	},
	{
		...{ word: "copy", argument: "[number]", needsRun: true },
		help: "the newest answer into the clipboard, or the one before so many",
		act: (state, given) => next(state, { do: "copy_answer", back: Math.max(0, (Number.parseInt(given, 10) || 1) - 1) }),
	},
	{
		word: "init",
		help: "the agent looks through the directory and writes an AGENTS.md",
		act: (state) => say(state, INIT),
	},
	{
		word: "editor",
		help: "the line in $EDITOR, as Ctrl-G",
		act: (state) => next(state, { do: "open_editor" }),
	},
	{
		...{ word: "quit", synonyms: ["exit", "q", "bye"] },
		help: "leaves; with agents that work it asks whether to stop them",
		act: (state) => leave(state),
	},
];
