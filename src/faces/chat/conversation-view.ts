/** A conversation on a terminal: what it shows, on its screen. Who has it tells it what happens, and what is being typed. */

import type { Clock } from "../../core/clock.ts";
import { defined } from "../../core/defined.ts";
import { ROOT } from "../../core/model/agent.ts";
import { EMPTY_RUN, type RunState } from "../../core/run/run-state.ts";
import type { Room } from "../../tui/questions/panel.ts";
import { questionBannerRows } from "../../tui/questions/question-banner.ts";
import { PlainScreen } from "../../tui/screen/plain-screen.ts";
import { composeRegion, mostRows } from "../../tui/screen/region.ts";
import type { ScreenOptions, ScrollingScreen } from "../../tui/screen/screen.ts";
import { ScrollbackScreen } from "../../tui/screen/scrollback-screen.ts";
import { isDumb, terminalTraits } from "../../tui/screen/terminal-traits.ts";
import { keyModes, terminalSize } from "../../tui/terminal/modes.ts";
import { type Cursor, type Line, type Size, textOf } from "../../tui/text/line.ts";
import type { ChatState } from "./chat-state.ts";
import type { Hint } from "./hint.ts";
import type { LineInput } from "./line-input.ts";
import type { ChatHost } from "./options.ts";
import type { Said } from "./output/messages.ts";
import { type Moment, Output, type Told } from "./output/output.ts";
import { shownLine } from "./output/shown-lines.ts";
import { type StatusOf, statusLine } from "./output/status-line.ts";

/** What is asked for at each frame. */
interface View extends Moment {
	readonly run: RunState;
	/** What is being typed, as rows of at most the given width, and where the cursor stands in them; `mostRows`: so many are shown. */
	readonly editor: (columns: number, mostRows: number) => { readonly rows: readonly Line[]; readonly cursor: Cursor };
	/** What the editor offers, below it. */
	readonly offers: (columns: number) => readonly Line[];
	/** What an agent asks, above it. */
	readonly asked: (columns: number, mostRows: number) => readonly Line[];
	readonly status: Omit<StatusOf, "run" | "now">;
}

interface ViewOptions extends ScreenOptions {
	/** What it says of the terminal is read. */
	readonly env: Readonly<Record<string, string | undefined>>;
	readonly view: () => View;
}

/** A terminal that obeys nothing breaks lines by itself. */
const PLAIN_COLUMNS = 1_000;
const PLAIN_ROWS = 1_000;

export class ConversationView {
	readonly screen: ScrollingScreen;
	readonly output: Output;
	private readonly options: ViewOptions;
	/** What waits for the end of a long text. */
	private held: Line[] | undefined;
	private shown: Promise<void> = Promise.resolve();

	private constructor(options: ViewOptions) {
		this.options = options;
		const isPlain = isDumb(options.env);
		this.output = new Output({ columns: () => (isPlain ? PLAIN_COLUMNS : columnsOf(terminalSize(options.output))) });
		this.screen = isPlain ? PlainScreen.open({ ...options, prompt: () => this.prompt() }) : this.openScreen();
	}

	private openScreen(): ScrollbackScreen {
		const { env } = this.options;
		return ScrollbackScreen.open({
			...this.options,
			...{ traits: terminalTraits(env), modes: keyModes(env.TERM) },
			region: (size) => {
				const { run, editor, offers, asked, status, ...moment } = this.options.view();
				const columns = columnsOf(size);
				return composeRegion({
					size,
					live: (room) => this.output.live(run, moment, room),
					editor: editor(columns, mostRows(size) - 1),
					asked: (room) => asked(columns, room),
					offers: offers(columns),
					status: statusLine({ ...status, run, now: moment.now }, columns),
				});
			},
		});
	}

	/** Where there is no region: what the editor shows, when the root waits for it, or has a question. */
	private prompt(): string | undefined {
		const { run, editor, offers } = this.options.view();
		const { rows } = editor(PLAIN_COLUMNS, PLAIN_ROWS);
		const offered = offers(PLAIN_COLUMNS);
		const root = run.agents[ROOT];
		const isAsked = root === undefined || root.state.is === "listening" || rows.length + offered.length > 1;
		return isAsked ? [...offered, ...rows].map(textOf).join("\n") : undefined;
	}

	static open(options: ViewOptions): ConversationView {
		return new ConversationView(options);
	}

	/** For the rows of the line that is written. */
	get columns(): number {
		return columnsOf(this.screen.size);
	}

	tell(told: Told): void {
		this.append(this.output.tell(told, this.options.view().run));
		this.screen.request();
	}

	/** What the program says by itself. */
	say(said: Said): void {
		this.append(this.output.say(said));
	}

	/** A long text, piece by piece as the terminal takes it. What is told meanwhile comes below it. Rejects as the pieces do. */
	showAll(pieces: AsyncIterable<string>): Promise<void> {
		const showing = this.shown.then(() => this.showPieces(pieces));
		this.shown = showing.catch(() => {});
		return showing;
	}

	private async showPieces(pieces: AsyncIterable<string>): Promise<void> {
		this.held = [];
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
			this.screen.append(this.held);
			this.held = undefined;
		}
	}

	private append(lines: readonly Line[]): void {
		if (this.held === undefined) this.screen.append(lines);
		else this.held.push(...lines);
	}
}

/** The last column stays empty: terminals do not agree where the cursor is behind it. */
function columnsOf({ columns }: Size): number {
	return Math.max(1, columns - 1);
}

/** What a conversation shows at one moment, beside what was appended. */

export interface Shown {
	readonly line: LineInput;
	readonly hint: Hint;
	readonly host: Pick<ChatHost, "branch">;
	readonly clock: Pick<Clock, "now">;
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

function runToBe({ facts, choice }: ChatState): Partial<RunState> {
	const { model, directory, skipsPermissions } = facts;
	return { model: choice.model ?? model, cwd: directory, ...defined({ skipsPermissions }) };
}

/** Who answers something else sees that first. */
function asked({ run, now, question }: ChatState, isEmpty: boolean, { columns, rows }: Room): readonly Line[] {
	const [first] = run?.questions ?? [];
	if (run === undefined || first === undefined || question !== undefined || rows < 1) return [];
	const hint = isEmpty ? "Tab to answer" : "Tab on an empty line to answer";
	return questionBannerRows({ question: first, run, now, hint }, columns, rows);
}

/** Before the first message there is no run: then what it would begin with stands below the prompt. */
export function viewOf(state: ChatState, { line, hint, host, clock }: Shown): View {
	const { facts, run, choice } = state;
	const now = clock.now();
	return {
		run: run ?? { ...EMPTY_RUN, ...runToBe(state) },
		...{ now, heldSince: state.heldSince },
		editor: (columns, mostRows) => line.draw({ ...state, now }, columns, mostRows),
		asked: (columns, mostRows) => asked({ ...state, now }, line.text === "", { columns, rows: mostRows }),
		offers: () =>
			[...starting(state), ...ending(state), hint.text]
				.filter((text) => text !== "")
				.map((text) => shownLine(text, "dim")),
		status: { effort: choice.effort, directory: facts.shownDirectory, branch: host.branch() },
	};
}
