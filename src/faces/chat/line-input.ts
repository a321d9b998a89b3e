/** The line at the prompt: keys become what the person wants of the conversation. */
import { defined } from "../../core/defined.ts";
import { LIMIT_TABLE } from "../../core/limits/limits.ts";
import { isOver } from "../../core/model/agent.ts";
import { agentsInOrder } from "../../core/run/run-state.ts";
import { bestFirst } from "../../tui/editor/completion.ts";
import { drawEditor } from "../../tui/editor/draw-editor.ts";
import {
	type Choice,
	type Completers,
	type Editor,
	type EditorEffect,
	messageOf,
	newEditor,
	withText,
} from "../../tui/editor/editor.ts";
import { pathChoices } from "../../tui/editor/path-choices.ts";
import { press } from "../../tui/editor/press.ts";
import { chordOf, isRefusal, type Key } from "../../tui/keys/key.ts";
import type { Scrolling } from "../../tui/questions/open-question.ts";
import { type Line, lineWidth } from "../../tui/text/line.ts";
import { doingLine } from "../../view/agents/doing-now.ts";
import { type ChatState, isWorking, type Question, queuedMessages } from "./chat-state.ts";
import { commandsOf, findCommand, SLASH_COMMANDS, type SlashCommand } from "./commands/slash-commands.ts";
import { drawAgentQuestion, questionRows } from "./questions.ts";
import type { Input } from "./update.ts";

interface LineInputOptions {
	readonly history: readonly string[];
	readonly columns: () => number;
	readonly onInput: (input: Input) => void;
	readonly onTerminal: (effect: TerminalEffect) => void;
}

export type TerminalEffect = "redraw" | "bell" | "open_editor" | { readonly say: string };

const MOST_ROWS = 1_000;

interface DrawnLine {
	readonly rows: readonly Line[];
	readonly cursor: { readonly row: number; readonly column: number };
}

export class LineInput {
	readonly #options: LineInputOptions;
	#editor: Editor;
	/** The question that is on the screen, and how far it can be scrolled. */
	#shown: string | undefined;
	#scrolling: Scrolling | undefined;

	constructor(options: LineInputOptions) {
		this.#options = options;
		this.#editor = newEditor(options.history);
	}

	get text(): string {
		return messageOf(this.#editor);
	}

	setText(text: string): void {
		this.#editor = withText(this.#editor, text);
	}

	putBack(text: string): void {
		const { text: written } = this;
		this.setText(written.trim() === "" ? text : `${text}\n\n${written}`);
	}

	press(key: Key, state: ChatState): void {
		const { onInput, onTerminal, columns } = this.#options;
		if (key.is === "focus") return onInput({ is: "focus", hasFocus: key.hasFocus });
		if (state.question !== undefined && key.is === "key" && chordOf(key) === "ctrl-l") return onTerminal("redraw");
		if (state.question !== undefined)
			return onInput({
				...{ is: "key", key },
				...defined({ isUnseen: this.#isUnseen(state.question, key) || undefined, scrolling: this.#scrolling }),
			});
		if (this.#turnsToQuestion(key, state)) return onInput({ is: "turn_to_question" });
		// A search and a list of choices have a Ctrl-C of their own.
		const isBusy = isWorking(state) || state.local !== undefined || state.link.is === "ending";
		if (key.is === "key" && chordOf(key) === "ctrl-c" && isBusy && this.#editor.mode.is === "writing")
			return onInput({ is: "cancel", isEmpty: this.text === "" });
		const queued = queuedMessages(state).length;
		const pressed = press(this.#editor, key, { columns: columns(), queued, completers: completersOf(state) });
		this.#editor = pressed.editor;
		if (pressed.effect === undefined) onTerminal({ say: "" });
		else this.#perform(pressed.effect);
	}

	/** Whoever goes on typing has not read a question that came up meanwhile. */
	#isUnseen(question: Question, key: Key): boolean {
		if (question.is === "picking" || nameOf(question) === this.#shown) return false;
		return key.is === "text" || (question.is === "agent_question" && !isRefusal(key));
	}

	#turnsToQuestion(key: Key, { run }: ChatState): boolean {
		const isTab = key.is === "key" && chordOf(key) === "tab";
		return isTab && this.text === "" && this.#editor.mode.is === "writing" && (run?.questions ?? []).length > 0;
	}

	/** A question stands in its place, in so many rows at most if it is an agent's. */
	draw(state: ChatState, columns: number, mostRows = MOST_ROWS): DrawnLine {
		const { question } = state;
		this.#shown = question && nameOf(question);
		this.#scrolling = undefined;
		if (question === undefined) return drawEditor(this.#editor, columns);
		if (question.is === "agent_question") {
			const { rows, cursor, scrolling } = drawAgentQuestion(state, question.open, { columns, rows: mostRows });
			this.#scrolling = scrolling;
			return { rows, cursor };
		}
		const rows = questionRows(state, question);
		const column = lineWidth(rows[0] ?? []);
		return { rows, cursor: { row: 0, column: Math.min(column, Math.max(0, columns - 1)) } };
	}

	#perform(effect: EditorEffect): void {
		const { onInput, onTerminal } = this.#options;
		switch (effect.is) {
			case "submit":
			case "take_back":
			case "interrupt":
			case "leave":
				return onInput(effect);
			case "submit_now":
				return onInput({ is: "submit", text: effect.text, isAtOnce: true });
			case "cancel":
				return onInput({ is: "cancel", isEmpty: true });
			case "notice":
				return onTerminal({ say: effect.text });
			case "open_editor":
			case "redraw":
			case "bell":
				return onTerminal(effect.is);
		}
	}
}

/** Of several questions of agents each is one of its own. */
function nameOf(question: Question): string {
	return question.is === "agent_question" ? `agent question ${question.open.question.number}` : question.is;
}

const MOST = 200;

export function completersOf(state: ChatState): Completers {
	const paths = (typed: string) => pathChoices(typed, state.facts);
	const agents = (typed: string): readonly Choice[] =>
		(state.run === undefined ? [] : agentsInOrder(state.run))
			.filter((agent) => agent.id.startsWith(typed) && !isOver(agent))
			.slice(0, MOST)
			.map((agent) => ({ text: agent.id, note: `${doingLine(agent, { now: state.now })}: ${agent.task}` }));
	return {
		paths,
		agents,
		commands: (typed) => commandChoices(typed, commandsOf(state)),
		argumentsOf: (command, typed) => {
			const kind = findCommand(SLASH_COMMANDS, command)?.completes;
			return kind === undefined ? [] : argumentsOf(kind, typed, { state, agents, paths });
		},
	};
}

/** Where no word begins as what was typed the other words for the commands are offered. */
function commandChoices(typed: string, rows: readonly SlashCommand[]): readonly Choice[] {
	const begins = (word: string) => word.startsWith(typed);
	const byOther = rows.flatMap((row) => (row.synonyms ?? []).filter(begins).map((word) => ({ ...row, word })));
	const isOther = byOther.length > 0 && !rows.some(({ word }) => begins(word));
	return (isOther ? byOther : bestFirst(typed, rows, ({ word }) => word)).map(({ word, help, argument }) => ({
		text: word,
		note: argument === undefined ? help : `${argument}  ${help}`,
	}));
}

function argumentsOf(
	kind: NonNullable<SlashCommand["completes"]>,
	typed: string,
	{ state, agents, paths }: { state: ChatState; agents: Completers["agents"]; paths: Completers["paths"] },
): readonly Choice[] {
	const among = (words: readonly string[]) => bestFirst(typed, words, (word) => word).map((text) => ({ text }));
	switch (kind) {
		case "agents":
			return agents(typed);
		case "models":
			return among(state.facts.models);
		case "efforts":
			return among(state.facts.efforts);
		case "limits":
			return among(LIMIT_TABLE.map(({ flag }) => flag));
		case "commands":
			return among(commandsOf(state).map(({ word }) => word));
		case "roles":
			return bestFirst(typed, state.facts.roles, ({ name }) => name).map(({ name, description }) => {
				return { text: name, note: description };
			});
		case "files":
			return paths(typed);
	}
}
