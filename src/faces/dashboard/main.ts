/**
 * The dashboard watches a run over its socket and its directory, and never owns it: the run stops only when the person chooses so, or
 * when the terminal is gone that it was started in. Here are clocks, signals and the screen; what inputs mean is in update.ts.
 */
import { ROOT } from "../../core/model/agent.ts";
import { SYSTEM_CLOCK } from "../../processes/system-clock.ts";
import { isRecordedSuspended } from "../../processes/table/open-table.ts";
import { FrameTimer } from "../../terminal/frame-timer.ts";
import { listenToSystem, SIGNALS, type Signal } from "../../terminal/system-events.ts";
import { chordOf, type Key } from "../../tui/keys/key.ts";
import type { ToWatcher } from "../../wire/watcher-messages.ts";
import { CommandWatch } from "./command-watch.ts";
import { Connecting, isShowable } from "./connecting.ts";
import { HistoryReader } from "./history-reader.ts";
import type { DashboardEnd, DashboardOptions, HowClosed } from "./options.ts";
import { readForPicture } from "./picture-reads.ts";
import { followRunEvents } from "./run-events.ts";
import { firstPicture } from "./scene/first-picture.ts";
import type { Wish } from "./scene/pane.ts";
import type { Picture } from "./scene/scene.ts";
import type { Screen, ScreenOptions } from "./screen.ts";
import { TerminalEffects } from "./terminal-effects.ts";
import { UnreadPane } from "./unread-pane.ts";
import { type Input, update } from "./update.ts";
import { view } from "./view.ts";
import { noticeOf, windowTitle } from "./window-title.ts";

const TICK_MS = 1_000;
const GROWTH_MS = 250;
/** Inputs of a person, who waits for what they do. */
const AWAITED: ReadonlySet<Input["is"]> = new Set(["key"]);

/** Settles after the terminal is restored; rejects with an error of the dashboard itself. */
export async function showDashboard(options: DashboardOptions): Promise<DashboardEnd> {
	const { openScreen } = await import("./screen.ts");
	return new Promise((resolve, reject) => new Dashboard(options, resolve, reject).start(openScreen));
}

class Dashboard {
	readonly #options: DashboardOptions;
	readonly #resolve: (end: DashboardEnd) => void;
	readonly #reject: (error: unknown) => void;
	readonly #undo: (() => void)[] = [];
	readonly #silence = new Silence();
	readonly #reader: HistoryReader;
	#picture: Picture;
	#screen: Screen | undefined;
	#wishes: TerminalEffects | undefined;
	readonly #frames = new FrameTimer(SYSTEM_CLOCK, () => this.#guard(() => this.#draw()));
	readonly #unread = new UnreadPane();
	readonly #connecting: Connecting;
	readonly #unheard: ToWatcher[] = [];
	#isClosed = false;

	constructor(options: DashboardOptions, resolve: (end: DashboardEnd) => void, reject: (error: unknown) => void) {
		this.#options = options;
		this.#resolve = resolve;
		this.#reject = reject;
		this.#reader = new HistoryReader({
			record: options.record,
			onInput: (input) => this.#guard(() => this.#update(input)),
			onError: (error) => this.#fail(error),
		});
		this.#connecting = new Connecting(options.record.run, SYSTEM_CLOCK);
		const first = firstPicture(options.selected ?? ROOT, options.now());
		this.#picture = { ...first, isOverConversation: options.isOverConversation === true };
	}

	start(openScreen: (options: ScreenOptions) => Screen): void {
		const { input, output, env, connection, onListening } = this.#options;
		const onInput = (told: Input) => this.#guard(() => this.#update(told));
		this.#guard(() => {
			this.#listenToSystem();
			this.#screen = openScreen({
				input,
				output,
				env,
				onKey: (key) => this.#guard(() => this.#press(key)),
				onGone: () => this.#guard(() => this.#hangUp("SIGHUP")),
				onResize: () => this.#frames.draw(),
			});
			const onTold = (text: string, isTrouble: boolean) => onInput({ is: "told", text, isTrouble });
			this.#wishes = new TerminalEffects({ ...this.#options, screen: this.#screen, onTold });
			connection.onClose(() => this.#guard(() => this.#lose()));
			connection.onMessage((message) => this.#guard(() => this.#receive(message)));
			connection.send({ say: "watch", activity: true });
			this.#focus();
			this.#every(TICK_MS, () => this.#tick());
			this.#undo.push(this.#connecting.begin(() => this.#frames.draw()));
			this.#every(GROWTH_MS, () => this.#reader.readGrowth(this.#picture));
			const listener = { picture: () => this.#picture, onInput, onError: (error: unknown) => this.#fail(error) };
			this.#undo.push(followSources(this.#options, this.#silence, listener));
			this.#frames.draw();
			onListening?.();
		});
	}

	/** An error in `act` closes the dashboard and restores the terminal; the run goes on. */
	#guard(act: () => void): void {
		if (this.#isClosed) return;
		try {
			act();
		} catch (error) {
			this.#fail(error);
		}
	}

	#fail(error: unknown): void {
		if (this.#isClosed) return;
		this.#close();
		this.#reject(error);
	}

	/** What has been told since the last frame counts before what is done now. */
	#update(input: Input): void {
		this.#hear();
		this.#apply(input);
		this.#frames.request({ isAwaited: AWAITED.has(input.is) });
	}

	#apply(input: Input): void {
		const before = { ...this.#picture, now: this.#options.now() }; // it may have been drawn long ago
		const { picture, wish } = update(before, input);
		this.#picture = picture;
		if (picture.history.agent !== before.history.agent) this.#focus();
		this.#wishes?.tell(noticeOf(before, picture));
		if (picture.run.ended !== undefined && before.run.ended === undefined) {
			if (picture.isStopAsked === true) this.#end({ by: "stopped" });
			else if (this.#options.closeAtEnd === true) this.#end({ by: "run_ended" });
		}
		if (wish !== undefined) this.#grant(wish);
	}

	#receive(message: ToWatcher): void {
		this.#silence.end(this.#options.now());
		this.#unheard.push(message);
		this.#frames.request();
	}

	/** Many messages at once, since in a run with thousands of agents each change of its state costs as much as hundreds. */
	#hear(): void {
		if (this.#unheard.length > 0) this.#apply({ is: "messages", messages: this.#unheard.splice(0) });
	}

	#focus(): void {
		const { agent } = this.#picture.history;
		this.#options.connection.send({ say: "focus", agent });
		this.#reader.focus(agent);
	}

	#press(key: Key): void {
		if (key.is === "key" && chordOf(key) === "ctrl-z") {
			this.#wishes?.suspend();
			return;
		}
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
				return this.#wishes?.grant(wish);
			case "stop_run":
				// The screen stays until the run has ended, so that the person sees what is stopped; q leaves at once.
				return this.#askToStop("by the person at the dashboard", SIGNALS.SIGINT);
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
		if (this.#wishes?.isPaging && (signal === "SIGINT" || signal === "SIGQUIT")) return; // a key, which was for the pager
		this.#hear();
		if (this.#options.isAttached === true) return this.#end({ by: "signal", signal: SIGNALS[signal] });
		if (this.#picture.run.ended === undefined) this.#askToStop(`the dashboard got ${signal}`, SIGNALS[signal]);
		this.#end({ by: this.#picture.isStopAsked === true ? "stopped" : "run_ended" });
	}

	#listenToSystem(): void {
		const stop = listenToSystem(this.#options, {
			onSignal: (signal) => this.#guard(() => this.#hangUp(signal)),
			onContinue: () => this.#guard(() => this.#wishes?.goOn()),
			onUncaught: () => this.#guard(() => this.#close()),
		});
		this.#undo.push(stop);
	}

	#every(ms: number, act: () => void): void {
		const timer = setInterval(() => this.#guard(act), ms);
		this.#undo.push(() => clearInterval(timer));
	}

	#tick(): void {
		const { run, ui, now } = this.#picture; // of a run that is over nothing changes any more but what the bar says
		this.#screen?.title(windowTitle(this.#picture));
		if (run.ended === undefined || (ui.notice?.until ?? 0) > now) this.#frames.request();
	}

	#draw(): void {
		this.#hear();
		if (this.#screen === undefined || this.#isClosed) return;
		if (!isShowable(this.#picture)) return this.#screen.draw(this.#connecting.lines);
		this.#picture = { ...this.#picture, size: this.#screen.size(), now: this.#options.now() };
		this.#reader.readNeeded(() => this.#picture);
		this.#screen.draw(view(this.#picture));
		this.#unread.drawn();
		for (const input of readForPicture(this.#picture, this.#options.record)) this.#update(input);
	}

	#end(how: HowClosed): void {
		if (this.#isClosed) return;
		this.#close();
		this.#resolve({ ...how, run: this.#picture.run });
	}

	#close(): void {
		if (this.#isClosed) return;
		this.#isClosed = true;
		this.#frames.stop();
		this.#reader.stop();
		for (const undo of this.#undo) undo();
		this.#wishes?.close();
		this.#screen?.close();
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
