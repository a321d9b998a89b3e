/**
 * A conversation on a terminal. It watches a run over its socket and never owns it; what inputs mean is in update.ts, what is
 * shown in output/ and screen/. Here are the terminal, signals and clocks.
 */
import { ROOT } from "../../core/model/agent.ts";
import { createBatchReduce } from "../../core/run/batch-reduce.ts";
import { ownJob } from "../../processes/foreground.ts";
import { Suspension } from "../../terminal/suspension.ts";
import { listenToSystem, SIGNALS, type Signal } from "../../terminal/system-events.ts";
import type { TypedBytes } from "../../terminal/type-ahead.ts";
import type { Key } from "../../tui/keys/key.ts";
import { keyModes } from "../../tui/keys/key-modes.ts";
import { KeyReader } from "../../tui/keys/key-reader.ts";
import { sentAs } from "../../tui/keys/key-sequence.ts";
import type { ToWatcher } from "../../wire/watcher-messages.ts";
import { beforeOf, noticeOf, titleOf } from "./attention.ts";
import type { ChatEnd } from "./chat-end.ts";
import { type ChatState, isWorking } from "./chat-state.ts";
import { ConversationFeed } from "./conversation-feed.ts";
import { ConversationView } from "./conversation-view.ts";
import { firstState } from "./first-state.ts";
import { Hint } from "./hint.ts";
import { isForNext } from "./leaving.ts";
import { LineInput, type TerminalWish } from "./line-input.ts";
import type { ChatOptions, OpenRun } from "./options.ts";
import { Performer } from "./perform.ts";
import { type Input, type Reduce, update } from "./update.ts";
import { viewOf } from "./view-of.ts";

const TICK_MS = 250;
const NOTICE_MS = 4_000;
/** Messages that come together cost one copy of the run's state. */
const TOGETHER_MS = 16;

/** Settles after the terminal is restored; rejects with an error of the conversation itself. */
export function converse(options: ChatOptions): Promise<ChatEnd> {
	return new Promise((resolve, reject) => new Conversation(options, resolve, reject).start());
}

class Conversation {
	readonly #options: ChatOptions;
	readonly #resolve: (end: ChatEnd) => void;
	readonly #reject: (error: unknown) => void;
	readonly #undo: (() => void)[] = [];
	readonly #view: ConversationView;
	readonly #keys: KeyReader;
	readonly #line: LineInput;
	readonly #hint: Hint;
	readonly #performer: Performer;
	#suspension: Suspension;
	#state: ChatState;
	#run: OpenRun | undefined;
	#feed: ConversationFeed | undefined;
	#unheard: ToWatcher[] = [];
	readonly #typed: readonly TypedBytes[];
	#isClosed = false;

	constructor(options: ChatOptions, resolve: (end: ChatEnd) => void, reject: (error: unknown) => void) {
		const { input, output, env, clock } = options;
		this.#options = options;
		this.#resolve = resolve;
		this.#reject = reject;
		this.#state = firstState(options);
		this.#typed = options.typeAhead.take();
		this.#hint = new Hint(clock, () => this.#view.screen.request());
		this.#keys = new KeyReader({ keysAre: "text", now: clock.elapsed, onKey: (key) => this.#press(key) });
		this.#line = new LineInput({
			...{ history: options.history.read(), columns: () => this.#view.columns },
			onInput: (told) => this.#apply(told),
			onTerminal: (wish) => this.#grant(wish),
		});
		this.#view = ConversationView.open({
			...{ input, output, clock, env, modes: keyModes(env.TERM) },
			view: () => viewOf(this.#state, { ...options, line: this.#line, hint: this.#hint }),
			onInput: (bytes) => this.#keys.read(bytes),
			onGone: () => this.#guard(() => this.#signal("SIGHUP")),
		});
		this.#suspension = this.#newSuspension();
		this.#performer = new Performer(options, {
			...{ view: this.#view, line: this.#line, hint: this.#hint },
			state: () => this.#state,
			run: () => this.#run,
			onInput: (told) => this.#guard(() => this.#apply(told)),
			onBegun: (run) => this.#guard(() => this.#open(run)),
			onEnd: (end) => this.#end(end),
			onError: (error) => this.#fail(error),
			lend: (use) => this.#lend(use),
			suspension: () => this.#suspension,
		});
	}

	start(): void {
		this.#guard(() => {
			const { input, output, opening, greeting, draft, message } = this.#options;
			this.#undo.push(
				listenToSystem(
					{ input, output },
					{
						onSignal: (signal) => this.#guard(() => this.#signal(signal)),
						onContinue: () => this.#guard(() => this.#suspension.goOn()),
						onUncaught: () => this.#guard(() => this.#close()),
					},
				),
			);
			const ticking = setInterval(() => this.#guard(() => this.#tick()), TICK_MS);
			this.#undo.push(() => clearInterval(ticking));
			this.#performer.perform({ do: "tell", told: greeting });
			if (draft !== undefined) this.#line.setText(draft);
			if (opening.is === "run") this.#open(opening.run);
			else if (opening.picks !== undefined) this.#apply({ is: "pick", ...opening.picks });
			if (message !== undefined) this.#apply({ is: "submit", text: message });
			else if (opening.is === "new" && opening.picks === undefined) this.#performer.tellObstacle();
			for (const bytes of this.#typed) this.#keys.read(bytes);
		});
	}

	/** What comes in one read with the key that ends the conversation is for the next one, too. */
	#press(key: Key): void {
		if (this.#isClosed || isForNext(this.#state, key)) this.#options.typeAhead.keep(sentAs(key));
		else this.#guard(() => this.#line.press(key, this.#state));
	}

	/** The run is there: watches it. */
	#open(run: OpenRun): void {
		this.#run = run;
		const { clock } = this.#options;
		this.#feed = ConversationFeed.of({
			...{ directory: run.directory, now: clock.now },
			onTold: (told) => this.#view.tell(told),
			onDamage: (what) => this.#view.say({ text: what, style: "warn" }),
		});
		run.link.onClose(() => this.#guard(() => this.#lose(run)));
		run.link.onMessage((message) => this.#guard(() => this.#receive(message)));
		for (const notice of run.notices) this.#view.say({ text: notice, style: "warn" });
		run.link.send({ say: "watch", activity: true, talks: true });
		run.link.send({ say: "focus", agent: ROOT });
		this.#apply({ is: "begun" });
		run.onListening?.();
	}

	#receive(message: ToWatcher): void {
		this.#unheard.push(message);
		if (this.#unheard.length === 1) setTimeout(() => this.#guard(() => this.#hear()), TOGETHER_MS);
	}

	#hear(): void {
		const reduce = createBatchReduce();
		for (const message of this.#unheard.splice(0)) {
			const before = this.#state.run;
			this.#apply({ is: "messages", messages: [message] }, reduce);
			if (this.#isClosed) return;
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
		if (this.#isClosed) return;
		const before = { ...this.#state, now: this.#options.clock.now() };
		const compared = beforeOf(before); // now: what comes next may change the run in place
		const { state, effects } = update(before, input, reduce);
		this.#state = state;
		for (const effect of effects) this.#performer.perform(effect);
		if (this.#isClosed) return;
		const notice = noticeOf(compared, state);
		if (notice !== undefined) this.#performer.perform({ do: "notify", text: notice });
		this.#view.screen.title(titleOf(state));
		this.#view.screen.request({ isAwaited: input.is !== "messages" });
	}

	#grant(wish: TerminalWish): void {
		if (wish === "suspend") this.#suspension.suspend();
		else if (wish === "open_editor") this.#performer.openEditor();
		else if (wish === "redraw") this.#view.screen.clear();
		else if (wish === "bell") this.#view.screen.bell();
		else if (wish.say !== "") this.#hint.say(wish.say, NOTICE_MS);
		this.#view.screen.request({ isAwaited: true });
	}

	#signal(name: Signal): void {
		this.#hear();
		const isAttached = this.#run?.isAttached === true;
		this.#apply({ is: "signal", name, number: SIGNALS[name], isAttached });
	}
	#tick(): void {
		if (this.#state.link.is === "ending") return this.#apply({ is: "tick" });
		if (isWorking(this.#state)) this.#feed?.tick();
		else if (!this.#state.run?.questions?.length) return; // of which the screen says how long they wait
		this.#view.screen.request();
	}

	#newSuspension(): Suspension {
		return new Suspension(this.#view.screen, ownJob(this.#options.env, Object.values(SIGNALS)));
	}

	/** To a part of this program, which knows how to suspend itself. */
	async #lend(use: () => Promise<void>): Promise<void> {
		if (this.#suspension.isLent) return;
		this.#suspension.lend();
		this.#suspension.close();
		try {
			await use();
		} finally {
			if (!this.#isClosed) {
				this.#suspension = this.#newSuspension();
				this.#suspension.returned();
			}
		}
	}

	/** An error in `act` closes the conversation and restores the terminal; the run goes on. */
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

	#end(end: ChatEnd): void {
		if (this.#isClosed) return;
		this.#close();
		if (end.by !== "signal" && end.after !== undefined) this.#options.typeAhead.hold(this.#options.input);
		this.#performer.close().then(() => this.#resolve(end), this.#reject);
	}

	#close(): void {
		if (this.#isClosed) return;
		this.#isClosed = true;
		for (const undo of this.#undo) undo();
		this.#feed?.close();
		this.#keys.close();
		this.#hint.clear();
		this.#suspension.close();
		this.#view.screen.close();
	}
}
