/** Does what a conversation's update wants to be done. */
import { commandLog } from "../../core/command.ts";
import { AgentreeError } from "../../core/errors.ts";
import { type AgentId, ROOT } from "../../core/model/agent.ts";
import { RecordedRun } from "../../record/run-source.ts";
import type { ScrollingScreen } from "../../tui/screen/screen.ts";
import type { FaceShell } from "../../tui/shell.ts";
import { openInEditor } from "../../tui/terminal/chosen-program.ts";
import { describeCopied } from "../../tui/terminal/modes.ts";
import type { ChatEnd, ChatState, CutAt, Effect, LookUp, Told } from "./chat-state.ts";
import type { ConversationView } from "./conversation-view.ts";
import type { Hint } from "./hint.ts";
import type { LineInput } from "./line-input.ts";
import { runLocalCommand } from "./local-command.ts";
import type { ChatOptions, OpenRun } from "./options.ts";
import type { Input } from "./update.ts";

const COPIED_MS = 3_000;

interface PerformerDeps {
	readonly shell: FaceShell<ScrollingScreen, ChatEnd>;
	readonly view: ConversationView;
	readonly line: LineInput;
	readonly hint: Hint;
	readonly state: () => ChatState;
	readonly run: () => OpenRun | undefined;
	readonly onInput: (input: Input) => void;
	readonly onBegun: (run: OpenRun) => void;
	readonly onEnd: (end: ChatEnd) => void;
}

export class Performer {
	readonly #options: ChatOptions;
	readonly #deps: PerformerDeps;
	readonly #closing = new AbortController();
	#endLocal: (() => Promise<void>) | undefined;
	#hasHistoryFailed = false;
	/** What was said last had several lines. */
	#hasReported = false;

	constructor(options: ChatOptions, deps: PerformerDeps) {
		this.#options = options;
		this.#deps = deps;
	}

	perform(effect: Effect): void {
		const { view, line, hint, run } = this.#deps;
		const { host } = this.#options;
		switch (effect.do) {
			case "send":
				return run()?.link.send(effect.message);
			case "begin":
				return this.#begin(effect.message);
			case "tell":
				return this.#tell(effect.told);
			case "echo":
				return view.say({ text: effect.text, as: "echo" });
			case "hint":
				return hint.say(effect.text, effect.forMs);
			case "put_back":
				return line.putBack(effect.text);
			case "clear_line":
				return line.setText("");
			case "run_local":
				return this.#runLocal(effect.line);
			case "end_local":
				return void this.#endLocal?.().catch((error) => this.#deps.shell.fail(error));
			case "show_tree":
				return this.#showTree(effect.selected);
			case "look_up":
				return this.#lookUp(effect.what);
			case "expand":
				return this.#expand(effect.command);
			case "find_sessions":
				return this.#findSessions(effect.words);
			case "find_undo":
				return this.#findUndo(effect.to);
			case "put_back_files":
				return this.#putBackFiles(effect.cut);
			case "open_editor":
				return this.openEditor();
			case "show_thinking":
				return view.output.showThinking(effect.isShown);
			case "copy_answer":
				return this.#copyAnswer(effect.back);
			case "remember":
				return this.#remember(effect.text);
			case "notify":
				if (!host.notify(effect.text)) view.screen.bell();
				return;
			case "end":
				return this.#deps.onEnd(effect.end);
		}
	}

	/** Resolves when nothing of the person's own command lives any more. */
	async close(): Promise<void> {
		this.#closing.abort();
		await this.#endLocal?.().catch(() => {});
	}

	/** Before the person has written a message that cannot be sent. */
	tellObstacle(): void {
		const { view } = this.#deps;
		this.#orTell(
			this.#options.host.obstacle().then((obstacle) => {
				if (obstacle !== undefined) view.say({ text: obstacle, style: "warn" });
			}),
		);
	}

	/** The line that is being written, in the person's own editor. */
	openEditor(): void {
		const { line, view, onInput, shell } = this.#deps;
		const { env } = this.#options;
		if (shell.isLent) return;
		const editing = openInEditor(line.text, { env, terminal: shell, signal: this.#closing.signal });
		this.#orTell(
			editing.then((edited) => {
				if (edited.is === "edited") {
					line.setText(edited.text);
					view.screen.request({ isAwaited: true });
				} else onInput({ is: "told", text: edited.reason, isTrouble: true });
			}),
		);
	}

	#begin(message: string): void {
		const { state, onBegun, onInput, shell } = this.#deps;
		this.#options.host.begin(message, state().choice).then(onBegun, (error: unknown) => {
			if (error instanceof AgentreeError) onInput({ is: "not_begun", reason: error.message });
			else shell.fail(error);
		});
	}

	/** A history that cannot be written is said once. */
	#remember(text: string): void {
		const trouble = this.#options.history.append(text);
		if (trouble === undefined || this.#hasHistoryFailed) return;
		this.#hasHistoryFailed = true;
		this.#tell([{ text: trouble, tone: "warn" }]);
	}

	#tell(told: readonly Told[]): void {
		const isLong = told.length > 1 || told.some(({ text }) => text.includes("\n"));
		for (const [at, { text, tone, hang = 0 }] of told.entries())
			this.#deps.view.say({
				text,
				style: tone,
				hang,
				as: at === 0 && (isLong || this.#hasReported) ? "report" : "notice",
			});
		this.#hasReported = isLong;
	}

	#runLocal(line: string): void {
		const { view, onInput } = this.#deps;
		const { env, clock, facts } = this.#options;
		this.#endLocal = runLocalCommand({
			...{ line, directory: facts.directory, env, now: clock.now },
			onLines: (lines) => view.say({ text: lines.map((one) => `  ${one}`).join("\n") }),
			onEnd: (end) => {
				this.#endLocal = undefined;
				onInput({ is: "local_ended", end });
			},
		});
	}

	#showTree(selected: AgentId): void {
		this.#orTell(this.#deps.shell.lendTo(() => this.#options.host.showTree(selected)));
	}

	#lookUp(what: LookUp): void {
		const { onInput, view } = this.#deps;
		const looking = this.#options.host.lookUp(what, view.screen.size.columns);
		this.#orTell(looking.then((text) => onInput({ is: "told", text, isTrouble: false })));
	}

	#expand(command: number): void {
		const { view, run } = this.#deps;
		const directory = run()?.directory;
		if (directory === undefined) return;
		const expanding = async () => view.showAll(new RecordedRun(directory).output(ROOT, commandLog(command)).text());
		this.#orTell(expanding());
	}

	/** Reads many small files: keys that came meanwhile are heard first. */
	#findSessions(words: string): void {
		const { onInput, view } = this.#deps;
		setImmediate(() => {
			const found = this.#options.host.findSessions(words, view.columns);
			onInput({ is: "sessions_found", words, found });
		});
	}

	#findUndo(to: number | undefined): void {
		const { onInput } = this.#deps;
		this.#orTell(this.#options.host.findUndo(to).then((found) => onInput({ is: "undo_found", found })));
	}

	#putBackFiles(cut: CutAt | undefined): void {
		const { onInput } = this.#deps;
		this.#orTell(this.#options.host.putBackFiles().then((text) => onInput({ is: "files_put_back", text, cut })));
	}

	#copyAnswer(back: number): void {
		const { view, hint } = this.#deps;
		const answer = this.#options.host.answer(back);
		if (answer === undefined) return hint.say("no such answer", COPIED_MS);
		const copied = describeCopied(answer, view.screen.copy(answer), this.#options.env);
		hint.say(`${copied.what}${copied.hint}`, COPIED_MS);
	}

	/** What a person can do something about is told; anything else is a bug. */
	#orTell(doing: Promise<void>): void {
		const { onInput, shell } = this.#deps;
		doing.catch((error: unknown) => {
			if (error instanceof AgentreeError) onInput({ is: "told", text: error.message, isTrouble: true });
			else shell.fail(error);
		});
	}
}
