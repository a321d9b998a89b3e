/** A conversation on a terminal: what it shows, on its screen. */
import { defined } from "../../core/defined.ts";
import { ROOT } from "../../core/model/agent.ts";
import { EMPTY_RUN, type RunState } from "../../core/run/run-state.ts";
import { questionBannerRows } from "../../tui/questions/question-banner.ts";
import { type ChatScreen, isDumb, PlainScreen } from "../../tui/screen/plain-screen.ts";
import { composeRegion, mostRows, type Region } from "../../tui/screen/region.ts";
import type { ScreenOptions } from "../../tui/screen/screen.ts";
import { ScrollbackScreen } from "../../tui/screen/scrollback-screen.ts";
import { terminalTraits } from "../../tui/screen/terminal-traits.ts";
import { keyModes, terminalSize } from "../../tui/terminal/modes.ts";
import { type Line, type Size, textOf } from "../../tui/text/line.ts";
import type { ChatState } from "./chat-state.ts";
import type { LineInput } from "./line-input.ts";
import type { Said } from "./output/messages.ts";
import { type FeedUpdate, Output } from "./output/output.ts";
import { shownLine } from "./output/shown-lines.ts";
import { statusLine } from "./output/status-line.ts";

/** What changes with the person's keys and with time. */
interface Live {
	readonly state: ChatState;
	readonly line: Pick<LineInput, "draw" | "text">;
	/** What is said below the prompt for a while; empty: nothing. */
	readonly hint: string;
	readonly branch: string | undefined;
}

interface ViewOptions extends ScreenOptions {
	readonly env: Readonly<Record<string, string | undefined>>;
	readonly live: () => Live;
}

/** A terminal that cannot move its cursor breaks lines by itself. */
const PLAIN: Size = { columns: 1_000, rows: 1_000 };

export class ConversationView {
	readonly screen: ChatScreen;
	readonly output: Output;
	readonly #options: ViewOptions;
	/** What waits for the end of a long text. */
	#held: Line[] | undefined;
	#shown: Promise<void> = Promise.resolve();

	constructor(options: ViewOptions) {
		const { env, output, live } = options;
		this.#options = options;
		const isPlain = isDumb(env);
		this.output = new Output(() => columnsOf(isPlain ? PLAIN : terminalSize(output)));
		this.screen = isPlain
			? PlainScreen.open({ ...options, prompt: () => plainPrompt(live()) })
			: ScrollbackScreen.open({
					...options,
					...{ traits: terminalTraits(env), modes: keyModes(env.TERM) },
					region: (size) => chatRegion(live(), this.output, size),
				});
	}

	get columns(): number {
		return columnsOf(this.screen.size);
	}

	update(update: FeedUpdate): void {
		this.#append(this.output.update(update, runOf(this.#options.live().state)));
		this.screen.request();
	}

	say(said: Said): void {
		this.#append(this.output.say(said));
	}

	/** A long text, piece by piece as the terminal takes it. What comes meanwhile stands below it. Rejects as the pieces do. */
	showAll(pieces: AsyncIterable<string>): Promise<void> {
		const showing = this.#shown.then(() => this.#showPieces(pieces));
		this.#shown = showing.catch(() => {});
		return showing;
	}

	async #showPieces(pieces: AsyncIterable<string>): Promise<void> {
		this.#held = [];
		let begun = "";
		try {
			for await (const piece of pieces) {
				const lines = (begun + piece).split("\n");
				begun = lines.pop() ?? "";
				this.screen.append(lines.map((line) => shownLine(line)));
				await this.screen.taken();
				if (this.screen.isClosed) break;
			}
			if (begun !== "") this.screen.append([shownLine(begun)]);
		} finally {
			this.screen.append(this.#held);
			this.#held = undefined;
		}
	}

	#append(lines: readonly Line[]): void {
		if (this.#held === undefined) this.screen.append(lines);
		else this.#held.push(...lines);
	}
}

/** The last column stays empty: terminals do not agree where the cursor is behind it. */
function columnsOf({ columns }: Size): number {
	return Math.max(1, columns - 1);
}

/** What stands below all that was appended. */
export function chatRegion({ state, line, hint, branch }: Live, output: Pick<Output, "live">, size: Size): Region {
	const columns = columnsOf(size);
	const run = runOf(state);
	const { now, choice, facts } = state;
	return composeRegion({
		size,
		live: (room) => output.live(run, state, room),
		editor: line.draw(state, columns, mostRows(size) - 1),
		asked: (room) => banner(state, line.text === "", columns, room),
		offers: offersOf(state, hint).map((text) => shownLine(text, "dim")),
		status: statusLine({ run, now, effort: choice.effort, directory: facts.shownDirectory, branch }, columns),
	});
}

/** What stands in a terminal without a live region while the root waits for a message, or you are asked something. */
function plainPrompt({ state, line, hint }: Live): string | undefined {
	const { columns, rows } = PLAIN;
	const shown = [...offersOf(state, hint), ...line.draw(state, columns, rows).rows.map(textOf)];
	const root = state.run?.agents[ROOT];
	return root === undefined || root.state.is === "listening" || shown.length > 1 ? shown.join("\n") : undefined;
}

function offersOf(state: ChatState, hint: string): string[] {
	return [...starting(state), ...ending(state), hint].filter((text) => text !== "");
}

/** Before the first message there is no run: then what it would begin with stands below the prompt. */
function runOf({ run, facts, choice }: ChatState): RunState {
	if (run !== undefined) return run;
	const { model, directory, skipsPermissions } = facts;
	return { ...EMPTY_RUN, model: choice.model ?? model, cwd: directory, ...defined({ skipsPermissions }) };
}

/** A message that the agent is not there to get is seen once it is. */
function starting({ link, unsent }: ChatState): string[] {
	return link.is === "beginning" || unsent.length > 0 ? ["starting …"] : [];
}

const ENDING_SHOWN_MS = 750; // most runs end sooner

function ending({ link, now }: ChatState): string[] {
	if (link.is !== "ending" || now - link.since < ENDING_SHOWN_MS) return [];
	return ["ending the run … press again to quit immediately"];
}

/** A person who is asked something else sees that first. */
function banner({ run, now, question }: ChatState, isEmpty: boolean, columns: number, rows: number): readonly Line[] {
	const [first] = run?.questions ?? [];
	if (run === undefined || first === undefined || question !== undefined || rows < 1) return [];
	const hint = isEmpty ? "Tab to answer" : "Tab on an empty line to answer";
	return questionBannerRows({ question: first, run, now, hint }, columns, rows);
}
