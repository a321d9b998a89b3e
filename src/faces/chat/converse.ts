/**
 * A conversation on a terminal. It watches a run over its socket and never owns it. What inputs mean is in update.ts, what is shown
 * in output/. Here are the terminal, signals and clocks, and what update.ts wants to be done.
 */
import { commandLog } from "../../core/bash-call.ts";
import { AgentreeError } from "../../core/errors.ts";
import { ROOT } from "../../core/model/agent.ts";
import { createBatchReduce } from "../../core/run/run-state.ts";
import { RecordedRun } from "../../record/run-source.ts";
import type { Key } from "../../tui/keys/key.ts";
import type { ChatScreen } from "../../tui/screen/plain-screen.ts";
import { FaceShell } from "../../tui/shell.ts";
import { openInEditor } from "../../tui/terminal/chosen-program.ts";
import { describeCopied } from "../../tui/terminal/modes.ts";
import { SIGNALS, type Signal } from "../../tui/terminal/system-events.ts";
import type { ToWatcher } from "../../wire/watcher-messages.ts";
import { beforeOf, noticeOf, titleOf } from "./attention.ts";
import type { ChatOptions, OpenRun } from "./chat-host.ts";
import { type ChatEnd, type ChatState, type Effect, isWorking } from "./chat-state.ts";
import { ConversationFeed } from "./conversation-feed.ts";
import { ConversationView } from "./conversation-view.ts";
import { isForNext } from "./leaving.ts";
import { LineInput, type TerminalEffect } from "./line-input.ts";
import { runLocalCommand } from "./local-command.ts";
import type { ChatLine } from "./output/messages.ts";
import { type Input, type Reduce, update } from "./update.ts";

const TICK_MS = 250;
const NOTICE_MS = 4_000;
const COPIED_MS = 3_000;
/** Messages that come together cost one copy of the run's state. */
const TOGETHER_MS = 16;

/** Settles after the terminal is restored; rejects with an error of the conversation itself. */
export async function converse(options: ChatOptions): Promise<ChatEnd> {
	const conversation = new Conversation(options);
	conversation.start();
	return conversation.ended;
}

class Conversation {
	readonly #options: ChatOptions;
	readonly #shell: FaceShell<ChatScreen, ChatEnd>;
	readonly #line: LineInput;
	/** What is said below the prompt for a while. */
	readonly #hint = { text: "", callOff: () => {} };
	readonly #closing = new AbortController();
	readonly #typed: readonly (Buffer | string | Key)[];
	#view!: ConversationView;
	#state: ChatState;
	#run: OpenRun | undefined;
	#feed: ConversationFeed | undefined;
	#unheard: ToWatcher[] = [];
	#endLocal: (() => Promise<void>) | undefined;
	#hasHistoryFailed = false;
	/** What was said last had several lines. */
	#hasReported = false;

	constructor(options: ChatOptions) {
		const { clock, env, host, history, typeAhead } = options;
		this.#options = options;
		this.#state = firstState(options);
		this.#typed = typeAhead.take();
		this.#line = new LineInput({
			...{ history: history.read(), columns: () => this.#view.columns },
			onInput: (input) => this.#apply(input),
			onTerminal: (effect) => this.#performOnTerminal(effect),
		});
		const live = () => ({
			...{ state: { ...this.#state, now: clock.now() }, line: this.#line },
			...{ hint: this.#hint.text, branch: host.branch() },
		});
		this.#shell = new FaceShell({
			...options,
			keysAre: "text",
			open: (screen) => {
				this.#view = new ConversationView({ ...screen, env, live });
				return this.#view.screen;
			},
			onKey: (key) => this.#press(key),
			onLateKey: (key) => typeAhead.keep(key),
			onSignal: (signal) => this.#signal(signal),
			onClose: () => this.#close(),
		});
	}

	get ended(): Promise<ChatEnd> {
		return this.#shell.ended;
	}

	start(): void {
		this.#shell.guard(() => {
			const { opening, greeting, draft, message } = this.#options;
			this.#shell.every(TICK_MS, () => this.#tick());
			this.#print(greeting);
			if (draft !== undefined) this.#line.setText(draft);
			if (opening.is === "run") this.#open(opening.run);
			else if (opening.picks !== undefined) this.#apply({ is: "pick", ...opening.picks });
			if (message !== undefined) this.#apply({ is: "submit", text: message });
			else if (opening.is === "new" && opening.picks === undefined) this.#printObstacle();
			for (const typed of this.#typed) {
				if (typeof typed === "string" || Buffer.isBuffer(typed)) this.#shell.keys.read(typed);
				else this.#press(typed);
			}
		});
	}

	/** What comes in one read with the key that ends the conversation is for the next one, too. */
	#press(key: Key): void {
		if (isForNext(this.#state, key)) this.#options.typeAhead.keep(key);
		else this.#line.press(key, this.#state);
	}

	#open(run: OpenRun): void {
		this.#run = run;
		this.#feed = new ConversationFeed({
			...{ directory: run.directory, now: this.#options.clock.now },
			onUpdate: (change) => this.#view.update(change),
			onDamage: (what) => this.#view.say({ text: what, tone: "warn" }),
		});
		run.link.onClose(() => this.#shell.guard(() => this.#lose(run)));
		run.link.onMessage((message) => this.#shell.guard(() => this.#receive(message)));
		for (const notice of run.notices) this.#view.say({ text: notice, tone: "warn" });
		run.link.send({ say: "watch", activity: true, talks: true });
		run.link.send({ say: "focus", agent: ROOT });
		this.#apply({ is: "begun" });
		run.onListening?.();
	}

	#receive(message: ToWatcher): void {
		this.#unheard.push(message);
		if (this.#unheard.length === 1) setTimeout(() => this.#shell.guard(() => this.#hear()), TOGETHER_MS);
	}

	#hear(): void {
		const reduce = createBatchReduce();
		for (const message of this.#unheard.splice(0)) {
			const before = this.#state.run;
			this.#apply({ is: "message", message }, reduce);
			if (this.#shell.isClosed) return;
			if (message.say === "snapshot") this.#feed?.begin(message.state, before);
			else this.#feed?.receive(message);
		}
	}

	#lose(run: OpenRun): void {
		if (run !== this.#run) return;
		this.#hear();
		this.#apply({ is: "lost" });
	}

	#apply(input: Input, reduce: Reduce = createBatchReduce()): void {
		if (this.#shell.isClosed) return;
		const before = { ...this.#state, now: this.#options.clock.now() };
		const compared = beforeOf(before); // now: what comes next may change the run in place
		const { state, effects } = update(before, input, reduce);
		this.#state = state;
		for (const effect of effects) this.#perform(effect);
		if (this.#shell.isClosed) return;
		const notice = noticeOf(compared, state);
		if (notice !== undefined && !this.#options.host.notify(notice)) this.#shell.screen.bell();
		this.#shell.screen.title(titleOf(state));
		this.#shell.screen.request({ isAwaited: input.is !== "message" });
	}

	#signal(name: Signal): void {
		this.#hear();
		this.#apply({ is: "signal", name, number: SIGNALS[name], isAttached: this.#run?.isAttached === true });
	}

	#tick(): void {
		if (this.#state.link.is === "ending") return this.#apply({ is: "tick" });
		if (isWorking(this.#state)) this.#feed?.tick();
		else if (!this.#state.run?.questions?.length) return; // of which the screen says how long they wait
		this.#shell.screen.request();
	}

	/** The terminal is restored, and nothing of the person's own command lives any more. */
	#end(end: ChatEnd): void {
		const { typeAhead, input } = this.#options;
		this.#shell.end(end, async () => {
			if (end.by !== "signal" && end.after !== undefined) typeAhead.hold(input);
			this.#closing.abort();
			await this.#endLocal?.().catch(() => {});
		});
	}

	#close(): void {
		this.#feed?.close();
		this.#hint.callOff();
	}

	#performOnTerminal(effect: TerminalEffect): void {
		if (effect === "open_editor") this.#openEditor();
		else if (effect === "redraw") this.#shell.screen.redraw();
		else if (effect === "bell") this.#shell.screen.bell();
		else if (effect.say !== "") this.#sayBelow(effect.say, NOTICE_MS);
		this.#shell.screen.request({ isAwaited: true });
	}

	#perform(effect: Effect): void {
		const { host } = this.#options;
		switch (effect.do) {
			case "send":
				return this.#run?.link.send(effect.message);
			case "begin":
				return this.#begin(effect.message);
			case "print":
				return this.#print(effect.lines);
			case "echo":
				return this.#view.say({ text: effect.text, as: "echo" });
			case "hint":
				return this.#sayBelow(effect.text, effect.forMs);
			case "put_back":
				return this.#line.putBack(effect.text);
			case "clear_line":
				return this.#line.setText("");
			case "run_local":
				return this.#runLocal(effect.line);
			case "end_local":
				return void this.#endLocal?.().catch((error) => this.#shell.fail(error));
			case "show_tree":
				return this.#orPrint(this.#shell.lendTo(() => host.showTree(effect.selected)));
			case "look_up": {
				const looking = host.lookUp(effect.what, this.#shell.screen.size.columns);
				return this.#then(looking, (text) => ({ is: "result", text, isError: false }));
			}
			case "expand":
				return this.#expand(effect.command);
			case "find_sessions":
				return this.#findSessions(effect.words);
			case "find_undo":
				return this.#then(host.findUndo(effect.to), (found) => ({ is: "undo_found", found }));
			case "put_back_files":
				return this.#then(host.putBackFiles(), (text) => ({ is: "files_put_back", text, cut: effect.cut }));
			case "open_editor":
				return this.#openEditor();
			case "show_thinking":
				return this.#view.output.showThinking(effect.isShown);
			case "copy_answer":
				return this.#copyAnswer(effect.back);
			case "remember":
				return this.#remember(effect.text);
			case "end":
				return this.#end(effect.end);
		}
	}

	#begin(message: string): void {
		const onBegun = (run: OpenRun) => this.#shell.guard(() => this.#open(run));
		this.#options.host.begin(message, this.#state.choice).then(onBegun, (error: unknown) => {
			if (error instanceof AgentreeError) this.#guarded({ is: "not_begun", reason: error.message });
			else this.#shell.fail(error);
		});
	}

	#print(lines: readonly ChatLine[]): void {
		const isLong = lines.length > 1 || lines.some(({ text }) => text.includes("\n"));
		for (const [at, line] of lines.entries())
			this.#view.say({ ...line, as: at === 0 && (isLong || this.#hasReported) ? "report" : "notice" });
		this.#hasReported = isLong;
	}

	#sayBelow(text: string, forMs: number): void {
		this.#hint.callOff();
		this.#hint.text = text;
		this.#hint.callOff = this.#options.clock.after(forMs, () => {
			this.#hint.text = "";
			this.#shell.screen.request();
		});
		this.#shell.screen.request();
	}

	/** Before the person has written a message that cannot be sent. */
	#printObstacle(): void {
		const printing = this.#options.host.obstacle().then((obstacle) => {
			if (obstacle !== undefined) this.#view.say({ text: obstacle, tone: "warn" });
		});
		this.#orPrint(printing);
	}

	#openEditor(): void {
		if (this.#shell.isLent) return;
		const { env } = this.#options;
		const editing = openInEditor(this.#line.text, { env, terminal: this.#shell, signal: this.#closing.signal });
		const edited = editing.then((result) => {
			if (result.is === "failed") return this.#guarded({ is: "result", text: result.reason, isError: true });
			this.#line.setText(result.text);
			this.#shell.screen.request({ isAwaited: true });
		});
		this.#orPrint(edited);
	}

	#runLocal(line: string): void {
		const { env, clock, facts } = this.#options;
		this.#endLocal = runLocalCommand({
			...{ line, directory: facts.directory, env, now: clock.now },
			onLines: (lines) => this.#view.say({ text: lines.map((one) => `  ${one}`).join("\n") }),
			onEnd: (end) => {
				this.#endLocal = undefined;
				this.#guarded({ is: "local_ended", end });
			},
		});
	}

	#expand(command: number): void {
		const directory = this.#run?.directory;
		if (directory === undefined) return;
		const expanding = async () =>
			this.#view.showAll(new RecordedRun(directory).output(ROOT, commandLog(command)).text());
		this.#orPrint(expanding());
	}

	/** Reads many small files: keys that came meanwhile are heard first. */
	#findSessions(words: string): void {
		setImmediate(() => {
			const found = this.#options.host.findSessions(words, this.#view.columns);
			this.#guarded({ is: "sessions_found", words, found });
		});
	}

	#copyAnswer(back: number): void {
		const answer = this.#options.host.answer(back);
		if (answer === undefined) return this.#sayBelow("no such answer", COPIED_MS);
		const { what, hint } = describeCopied(answer, this.#shell.screen.copy(answer), this.#options.env);
		this.#sayBelow(`${what}${hint}`, COPIED_MS);
	}

	/** A history that cannot be written is said once. */
	#remember(text: string): void {
		const trouble = this.#options.history.append(text);
		if (trouble === undefined || this.#hasHistoryFailed) return;
		this.#hasHistoryFailed = true;
		this.#print([{ text: trouble, tone: "warn" }]);
	}

	#guarded(input: Input): void {
		this.#shell.guard(() => this.#apply(input));
	}

	#then<T>(doing: Promise<T>, input: (result: T) => Input): void {
		this.#orPrint(doing.then((result) => this.#guarded(input(result))));
	}

	/** Shows an AgentreeError, which a person can do something about; anything else is a bug. */
	#orPrint(doing: Promise<void>): void {
		doing.catch((error: unknown) => {
			if (error instanceof AgentreeError) this.#guarded({ is: "result", text: error.message, isError: true });
			else this.#shell.fail(error);
		});
	}
}

/** The state that a conversation begins with: pure. */
export function firstState({
	facts,
	choice,
	clock,
	opening,
}: Pick<ChatOptions, "facts" | "choice" | "clock" | "opening">): ChatState {
	const now = clock.now();
	return {
		...{ now, facts, choice, asks: [], unsent: [], heard: [], run: undefined, question: undefined, local: undefined },
		...{ heldSince: new Map(), interruptsFirst: false, leaveUntil: 0, otherFaces: 0, showsThinking: false },
		attention: { hasFocus: undefined, actedAt: now },
		link: { is: opening.is === "run" ? "open" : "none" },
	};
}
