/**
 * The dashboard watches a run over its socket and its directory, and never owns it: the run stops only when the person chooses so, or
 * when the terminal is gone that it was started in. Here are clocks, signals and the screen; what inputs mean is in update.ts.
 */

import type { Timer } from "../../core/clock.ts";
import { type AgentId, ROOT } from "../../core/model/agent.ts";
import { shortRunId } from "../../core/run/run-id.ts";
import type { RunState } from "../../core/run/run-state.ts";
import { SYSTEM_CLOCK } from "../../processes/system-clock.ts";
import { isRecordedSuspended } from "../../processes/table/open-table.ts";
import type { RecordedRun } from "../../record/run-source.ts";
import { cleanText } from "../../text/safe/terminal-safe.ts";
import { type Key, nameOf, type PressedKey } from "../../tui/keys/key.ts";
import { WholeScreen } from "../../tui/screen/whole-screen.ts";
import { FaceShell } from "../../tui/shell.ts";
import { SIGNALS, type Signal } from "../../tui/terminal/system-events.ts";
import { type Line, type Size, segment } from "../../tui/text/line.ts";
import type { RunLink } from "../../wire/run-client.ts";
import type { ToWatcher } from "../../wire/watcher-messages.ts";
import { CommandWatch } from "./command-watch.ts";
import { noticeOf, windowTitle } from "./panes/header.ts";
import { openPane } from "./panes.ts";
import { readForPicture } from "./picture-reads.ts";
import { followRunEvents } from "./run-events.ts";
import type { Wish } from "./scene/pane.ts";
import { firstPicture, type Picture } from "./scene/scene.ts";
import type { UiState } from "./scene/ui-state.ts";
import { TerminalEffects } from "./terminal-effects.ts";
import { TranscriptReader } from "./transcript-reader.ts";
import { type Input, update } from "./update.ts";
import { view } from "./view.ts";

const TICK_MS = 1_000;
const GROWTH_MS = 250;

/** Settles after the terminal is restored; rejects with an error of the dashboard itself. */
export async function showDashboard(options: DashboardOptions): Promise<DashboardEnd> {
	const dashboard = new Dashboard(options);
	dashboard.start();
	return dashboard.ended;
}

class Dashboard {
	readonly #options: DashboardOptions;
	readonly #silence = new Silence();
	readonly #reader: TranscriptReader;
	readonly #unread = new UnreadPane();
	readonly #connecting: Connecting;
	readonly #unheard: ToWatcher[] = [];
	readonly #shell: FaceShell<WholeScreen, DashboardEnd>;
	readonly #effects: TerminalEffects;
	#picture: Picture;

	constructor(options: DashboardOptions) {
		const { input, output, env, record } = options;
		this.#options = options;
		this.#reader = new TranscriptReader({
			record: options.record,
			onInput: (told) => this.#shell.guard(() => this.#update(told)),
			onError: (error) => this.#shell.fail(error),
			now: options.now,
		});
		this.#connecting = new Connecting(options.record.run, SYSTEM_CLOCK);
		const first = firstPicture(options.selected ?? ROOT, options.now());
		this.#picture = { ...first, isOverConversation: options.isOverConversation === true };
		this.#shell = new FaceShell({
			...{ input, output, env, clock: SYSTEM_CLOCK, keysAre: "commands" },
			open: (screen) =>
				WholeScreen.open({ ...screen, env, lines: (size) => this.#lines(size), onDrawn: () => this.#drawn() }),
			onKey: (key) => this.#press(key),
			onSignal: (signal) => this.#hangUp(signal),
			onClose: () => this.#close(),
		});
		const onTold = (text: string, isTrouble: boolean) =>
			this.#shell.guard(() => this.#update({ is: "told", text, isTrouble }));
		this.#effects = new TerminalEffects(this.#shell, { record, env, onTold });
	}

	get ended(): Promise<DashboardEnd> {
		return this.#shell.ended;
	}

	start(): void {
		const shell = this.#shell;
		const { connection, onListening } = this.#options;
		shell.guard(() => {
			connection.onClose(() => shell.guard(() => this.#lose()));
			connection.onMessage((message) => shell.guard(() => this.#receive(message)));
			connection.send({ say: "watch", activity: true });
			this.#focus();
			shell.every(TICK_MS, () => this.#tick());
			shell.every(GROWTH_MS, () => this.#reader.readGrowth(() => this.#picture));
			shell.atEnd(this.#connecting.begin(() => shell.screen.draw()));
			const listener = {
				picture: () => this.#picture,
				onInput: (input: Input) => shell.guard(() => this.#update(input)),
				onError: (error: unknown) => shell.fail(error),
			};
			shell.atEnd(followSources(this.#options, this.#silence, listener));
			shell.screen.draw();
			onListening?.();
		});
	}

	/** What has been told since the last frame counts before what is done now. */
	#update(input: Input): void {
		this.#hear();
		this.#apply(input);
		this.#shell.screen.request({ isAwaited: input.is === "key" });
	}

	#apply(input: Input): void {
		const before = { ...this.#picture, now: this.#options.now() }; // it may have been drawn long ago
		const { picture, wish } = update(before, input);
		this.#picture = picture;
		if (picture.transcript.agent !== before.transcript.agent) this.#focus();
		this.#notify(noticeOf(before, picture));
		if (picture.run.ended !== undefined && before.run.ended === undefined) {
			if (picture.isStopAsked === true) this.#end({ by: "stopped" });
			else if (this.#options.closeAtEnd === true) this.#end({ by: "run_ended" });
		}
		if (wish !== undefined) this.#grant(wish);
	}

	#notify(notice: string | undefined): void {
		if (notice === undefined) return;
		if (this.#options.notify === undefined) this.#shell.screen.bell();
		else this.#options.notify(notice);
	}

	#receive(message: ToWatcher): void {
		this.#silence.end(this.#options.now());
		this.#unheard.push(message);
		this.#shell.screen.request();
	}

	/** Many messages at once, since in a run with thousands of agents each change of its state costs as much as hundreds. */
	#hear(): void {
		const messages = this.#unheard.splice(0);
		if (messages.length === 0) return;
		this.#reader.hear(messages);
		this.#apply({ is: "messages", messages });
	}

	#focus(): void {
		const { agent } = this.#picture.transcript;
		this.#options.connection.send({ say: "focus", agent });
		this.#reader.focus(agent, this.#picture.run);
	}

	#press(key: Key): void {
		const { ui } = this.#picture;
		if ((key.is === "text" || key.is === "key") && this.#unread.ignores(ui, key)) return;
		this.#update({ is: "key", key });
		this.#unread.note(ui, this.#picture.ui);
	}

	#grant(wish: Wish): void {
		switch (wish.is) {
			case "ask":
				return void this.#options.connection.send(wish.message);
			case "redraw":
			case "mouse":
			case "read":
			case "copy":
				return this.#effects.grant(wish);
			case "stop_run":
				// The screen stays until the run has ended, so that the person sees what is stopped; q leaves at once.
				return this.#askToStop("from the dashboard", SIGNALS.SIGINT);
			case "leave_running":
				return this.#end({ by: "left_running" });
			case "close":
				if (this.#picture.isStopAsked === true) return this.#end({ by: "stopped" });
				return this.#end({ by: this.#picture.run.ended === undefined ? "lost" : "run_ended" });
		}
	}

	#askToStop(reason: string, signal: number): void {
		this.#update({ is: "stop_asked" });
		this.#options.connection.send({ say: "stop_agent", agent: ROOT, reason, signal, isHurry: false });
	}

	#lose(): void {
		this.#hear();
		if (this.#picture.run.ended !== undefined) return;
		if (this.#picture.isStopAsked === true) this.#end({ by: "stopped" });
		else if (this.#options.closeAtEnd === true) this.#end({ by: "lost" });
		else this.#update({ is: "lost", at: this.#options.now() });
	}

	/** Without a terminal nobody watches: the dashboard stops the run, as a shell stops its jobs. An attached one just ends. */
	#hangUp(signal: Signal): void {
		this.#hear();
		if (this.#options.isAttached === true) return this.#end({ by: "signal", signal: SIGNALS[signal] });
		if (this.#picture.run.ended === undefined) this.#askToStop(`the dashboard received ${signal}`, SIGNALS[signal]);
		this.#end({ by: this.#picture.isStopAsked === true ? "stopped" : "run_ended" });
	}

	#tick(): void {
		const { run, ui, now } = this.#picture; // of a run that is over nothing changes any more but what the bar says
		this.#shell.screen.title(windowTitle(this.#picture));
		if (run.ended === undefined || (ui.notice?.until ?? 0) > now) this.#shell.screen.request();
	}

	#lines(size: Size): readonly Line[] {
		this.#hear();
		if (!isShowable(this.#picture)) return this.#connecting.lines;
		this.#picture = { ...this.#picture, size, now: this.#options.now() };
		this.#reader.readNeeded(() => this.#picture);
		return view(this.#picture);
	}

	#drawn(): void {
		if (!isShowable(this.#picture)) return;
		this.#unread.drawn();
		for (const input of readForPicture(this.#picture, this.#options.record)) this.#update(input);
	}

	#end(how: HowClosed): void {
		this.#shell.end({ ...how, run: this.#picture.run });
	}

	#close(): void {
		this.#reader.stop();
		this.#effects.close();
	}
}

/** Where the dashboard looks by itself, beside what the supervisor tells: the event log, running commands, the supervisor's process. */

const COMMANDS_MS = 1_000;

interface SourcesListener {
	readonly picture: () => Picture;
	readonly onInput: (input: Input) => void;
	readonly onError: (error: unknown) => void;
}

/** Returns what ends it. */
function followSources(
	options: Pick<DashboardOptions, "record" | "now">,
	silence: Silence,
	{ picture, onInput, onError }: SourcesListener,
): () => void {
	const stopEvents = followRunEvents(options.record, { onInput, onError });
	const onSeen = (commands: Picture["activity"]["commands"]) => onInput({ is: "activity", commands });
	const commands = new CommandWatch({ ...options, picture, onSeen });
	const lookAtSupervisor = async () => {
		const input = silence.look(picture(), options.now());
		if (input !== undefined) onInput(input);
	};
	const timers = [
		setInterval(() => void commands.tick().catch(onError), COMMANDS_MS),
		setInterval(() => void lookAtSupervisor().catch(onError), SILENCE_MS),
	];
	return () => {
		stopEvents();
		for (const timer of timers) clearInterval(timer);
	};
}

/** The silence of a supervisor: after a while the dashboard looks whether a signal has stopped it. */

/** How often to look, and how long the silence has to be. */
const SILENCE_MS = 2_000;

class Silence {
	#heardAt = 0;

	end(now: number): void {
		this.#heardAt = now;
	}

	/** Undefined when there is nothing new to tell. */
	look({ run, isLost, isSuspended: wasSuspended = false }: Picture, now: number): Input | undefined {
		if (isLost || run.pid === 0 || run.ended !== undefined) return undefined;
		if (Math.abs(now - this.#heardAt) < SILENCE_MS) return undefined; // also after the time was set back
		const isSuspended = isRecordedSuspended(run);
		return isSuspended === wasSuspended ? undefined : { is: "suspended", isSuspended };
	}
}

/** What a dashboard is given, and how it ends. */

export interface DashboardOptions {
	readonly record: RecordedRun;
	readonly connection: Omit<RunLink, "close">;
	readonly input: NodeJS.ReadableStream;
	readonly output: NodeJS.WritableStream;
	/** The dashboard reads `NO_COLOR` from it. */
	readonly env: Readonly<Record<string, string | undefined>>;
	/** Milliseconds since the epoch. */
	readonly now: () => number;
	/** The dashboard closes by itself when the run has ended, instead of waiting for `q`. */
	readonly closeAtEnd?: boolean;
	/** The dashboard is not the one that started the run: the run goes on when this terminal is gone. */
	readonly isAttached?: boolean;
	/** It is shown over a conversation: leaving it goes back there, and needs no question. */
	readonly isOverConversation?: boolean;
	/** Tells a person who looks elsewhere, instead of a bell. */
	readonly notify?: (text: string) => void;
	/** Called once signals are heard. */
	readonly onListening?: () => void;
	/** The agent that is selected at first; absent: the root. */
	readonly selected?: AgentId;
}

export type HowClosed =
	/** `stopped`: the run was asked to stop, and may not have ended yet. `lost`: the supervisor died. */
	| { readonly by: "run_ended" | "left_running" | "stopped" | "lost" }
	/** An attached dashboard got the signal, or its terminal is gone: that is SIGHUP. */
	| { readonly by: "signal"; readonly signal: number };

/** `run`: the last that was known of it. */
export type DashboardEnd = HowClosed & { readonly run: RunState };

/** What is shown of a run before anything is known of it: nothing, and after a while that the dashboard waits. */

/** A supervisor tells of its run within this time, unless it is very busy. Until then an empty screen is better than a false one. */
const CONNECTING_MS = 150;

/** Whether there is something to show; also when a person has opened something, so that leaving can be seen. */
export function isShowable({ run, isLost, ui }: Picture): boolean {
	return run.run !== "" || isLost || ui.open.is !== "none";
}

export class Connecting {
	private readonly run: string;
	private readonly clock: Pick<Timer, "after">;
	private isLate = false;

	constructor(run: string, clock: Pick<Timer, "after">) {
		this.run = cleanText(shortRunId(run));
		this.clock = clock;
	}

	/** Calls `onLate` when the lines change. Returns what calls that off. */
	begin(onLate: () => void): () => void {
		return this.clock.after(CONNECTING_MS, () => {
			this.isLate = true;
			onLate();
		});
	}

	get lines(): Line[] {
		return this.isLate ? [[segment(` connecting to run ${this.run} …`, "dim")]] : [];
	}
}

/** The pane that was opened and not drawn yet: nobody can have read it, so what is typed or pasted meanwhile is no answer to it. */

export class UnreadPane {
	private open: UiState["open"] | undefined;

	/** After a key. */
	note(before: UiState, after: UiState): void {
		const { open } = after;
		if (open.is === "pane" && !isSame(before.open, open)) this.open = open;
	}

	/** After a frame. What the terminal had sent before it is read first, since that was typed blindly, too. */
	drawn(): void {
		const { open } = this;
		if (open === undefined) return;
		setImmediate(() => {
			if (this.open === open) this.open = undefined;
		});
	}

	/** Whether the key does nothing now. */
	ignores(ui: UiState, key: PressedKey): boolean {
		return this.open !== undefined && isAnswer(ui, nameOf(key));
	}
}

/** The same pane, and what is asked in it is the same. */
function isSame(before: UiState["open"], open: Extract<UiState["open"], { is: "pane" }>): boolean {
	if (before.is === "none" || before.name !== open.name) return false;
	return before.answering?.question.number === open.answering?.question.number;
}

/** Ctrl-C twice ends the run, without a look at the screen. */
function isAnswer(ui: UiState, key: string): boolean {
	const pane = openPane(ui);
	if (pane?.isQuestion) return key !== "ctrl-c";
	return pane?.takes?.acts === true && key === "enter";
}
