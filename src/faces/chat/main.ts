/**
 * A conversation on a terminal. It watches a run over its socket and never owns it; what inputs mean is in update.ts, what is
 * shown in output/ and screen/. Here are the terminal, signals and clocks.
 */
import { ROOT } from "../../core/model/agent.ts";
import { createBatchReduce } from "../../core/run/run-state.ts";
import { type Key, sentAs } from "../../tui/keys/key.ts";
import type { ScrollingScreen } from "../../tui/screen/screen.ts";
import { FaceShell } from "../../tui/shell.ts";
import type { TypedBytes } from "../../tui/terminal/raw-input.ts";
import { SIGNALS, type Signal } from "../../tui/terminal/system-events.ts";
import type { ToWatcher } from "../../wire/watcher-messages.ts";
import { beforeOf, noticeOf, titleOf } from "./attention.ts";
import { type ChatEnd, type ChatState, isWorking } from "./chat-state.ts";
import { ConversationFeed } from "./conversation-feed.ts";
import { ConversationView, viewOf } from "./conversation-view.ts";
import { Hint } from "./hint.ts";
import { isForNext } from "./leaving.ts";
import { LineInput, type TerminalWish } from "./line-input.ts";
import type { ChatOptions, OpenRun } from "./options.ts";
import { Performer } from "./perform.ts";
import { type Input, type Reduce, update } from "./update.ts";

const TICK_MS = 250;
const NOTICE_MS = 4_000;
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
	readonly #shell: FaceShell<ScrollingScreen, ChatEnd>;
	readonly #line: LineInput;
	readonly #hint: Hint;
	readonly #performer: Performer;
	#view!: ConversationView;
	#state: ChatState;
	#run: OpenRun | undefined;
	#feed: ConversationFeed | undefined;
	#unheard: ToWatcher[] = [];
	readonly #typed: readonly TypedBytes[];

	constructor(options: ChatOptions) {
		const { clock, env } = options;
		this.#options = options;
		this.#state = firstState(options);
		this.#typed = options.typeAhead.take();
		this.#hint = new Hint(clock, () => this.#shell.screen.request());
		this.#line = new LineInput({
			...{ history: options.history.read(), columns: () => this.#view.columns },
			onInput: (told) => this.#apply(told),
			onTerminal: (wish) => this.#grant(wish),
		});
		const view = () => viewOf(this.#state, { ...options, line: this.#line, hint: this.#hint });
		this.#shell = new FaceShell({
			...options,
			keysAre: "text",
			open: (screen) => {
				this.#view = ConversationView.open({ ...screen, env, view });
				return this.#view.screen;
			},
			onKey: (key) => this.#press(key),
			onLateKey: (key) => options.typeAhead.keep(sentAs(key)),
			onSignal: (signal) => this.#signal(signal),
			onClose: () => this.#close(),
		});
		this.#performer = new Performer(options, {
			...{ shell: this.#shell, view: this.#view, line: this.#line, hint: this.#hint },
			state: () => this.#state,
			run: () => this.#run,
			onInput: (told) => this.#shell.guard(() => this.#apply(told)),
			onBegun: (run) => this.#shell.guard(() => this.#open(run)),
			onEnd: (end) => this.#end(end),
		});
	}

	get ended(): Promise<ChatEnd> {
		return this.#shell.ended;
	}

	start(): void {
		this.#shell.guard(() => {
			const { opening, greeting, draft, message } = this.#options;
			this.#shell.every(TICK_MS, () => this.#tick());
			this.#performer.perform({ do: "tell", told: greeting });
			if (draft !== undefined) this.#line.setText(draft);
			if (opening.is === "run") this.#open(opening.run);
			else if (opening.picks !== undefined) this.#apply({ is: "pick", ...opening.picks });
			if (message !== undefined) this.#apply({ is: "submit", text: message });
			else if (opening.is === "new" && opening.picks === undefined) this.#performer.tellObstacle();
			for (const bytes of this.#typed) this.#shell.keys.read(bytes);
		});
	}

	/** What comes in one read with the key that ends the conversation is for the next one, too. */
	#press(key: Key): void {
		if (isForNext(this.#state, key)) this.#options.typeAhead.keep(sentAs(key));
		else this.#line.press(key, this.#state);
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
		run.link.onClose(() => this.#shell.guard(() => this.#lose(run)));
		run.link.onMessage((message) => this.#shell.guard(() => this.#receive(message)));
		for (const notice of run.notices) this.#view.say({ text: notice, style: "warn" });
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
			this.#apply({ is: "messages", messages: [message] }, reduce);
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
		for (const effect of effects) this.#performer.perform(effect);
		if (this.#shell.isClosed) return;
		const notice = noticeOf(compared, state);
		if (notice !== undefined) this.#performer.perform({ do: "notify", text: notice });
		this.#shell.screen.title(titleOf(state));
		this.#shell.screen.request({ isAwaited: input.is !== "messages" });
	}

	#grant(wish: TerminalWish): void {
		if (wish === "open_editor") this.#performer.openEditor();
		else if (wish === "redraw") this.#shell.screen.redraw();
		else if (wish === "bell") this.#shell.screen.bell();
		else if (wish.say !== "") this.#hint.say(wish.say, NOTICE_MS);
		this.#shell.screen.request({ isAwaited: true });
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
		this.#shell.screen.request();
	}

	#end(end: ChatEnd): void {
		const { typeAhead, input } = this.#options;
		this.#shell.end(end, () => {
			if (end.by !== "signal" && end.after !== undefined) typeAhead.hold(input);
			return this.#performer.close();
		});
	}

	#close(): void {
		this.#feed?.close();
		this.#hint.clear();
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
		...{
			heldSince: new Map(),
			interruptsFirst: false,
			leaveUntil: 0,
			otherFaces: 0,
			showsThinking: false,
			attention: { hasFocus: undefined, actedAt: now },
		},
		link: { is: opening.is === "run" ? "open" : "none" },
	};
}
