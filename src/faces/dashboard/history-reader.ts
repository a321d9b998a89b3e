/** Reads from files what the history of the selected agent shows, and gives it as inputs. */
import { commandLog } from "../../core/command.ts";
import { AgentreeError } from "../../core/errors.ts";
import type { AgentId } from "../../core/model/agent.ts";
import type { TranscriptEntry } from "../../core/model/transcript.ts";
import type { LogAsk } from "../../record/command-output.ts";
import { followLines } from "../../record/files/follow-lines.ts";
import { linesBefore, tailStart } from "../../record/files/json-lines.ts";
import { EventIndex, parseEntry } from "../../record/read-events.ts";
import { orUndefined } from "../../record/read-run.ts";
import { transcriptPath } from "../../record/run-directory.ts";
import type { RecordedRun } from "../../record/run-source.ts";
import { MOST_EVENTS } from "../../view/events/news.ts";
import { sizeAt } from "./layout.ts";
import { type Block, pageOf } from "./panes/transcript/block.ts";
import { blockRows } from "./panes/transcript/block-rows.ts";
import { type BlockWindow, type Position, topOf } from "./panes/transcript/block-window.ts";
import { historyPane } from "./panes/transcript/history.ts";
import { openCommands } from "./panes/transcript/history-blocks.ts";
import { windowOf } from "./panes/transcript/history-window.ts";
import { LISTED_KEYS } from "./panes.ts";
import type { AgentHistory } from "./scene/agent-history.ts";
import { type CommandOutput, grownPages } from "./scene/command-output.ts";
import { type Picture, sceneOf } from "./scene/scene.ts";
import type { Input } from "./update.ts";

const MOST_READS = 8; // for one frame; a next one goes on
const PIECE_BYTES = 1024 * 1024;

export interface HistoryReaderOptions {
	readonly record: RecordedRun;
	readonly onInput: (input: Input) => void;
	readonly onError: (error: unknown) => void;
}

export class HistoryReader {
	private readonly options: HistoryReaderOptions;
	private files: AgentFiles | undefined;
	private isNew = false;
	private areEventsRead = false;
	private readonly index: EventIndex;

	constructor(options: HistoryReaderOptions) {
		this.options = options;
		this.index = new EventIndex(options.record.directory);
	}

	/** Follows the files of another agent from now on. */
	focus(agent: AgentId): void {
		this.files?.stop();
		this.isNew = true;
		this.areEventsRead = false;
		const { record, onInput, onError } = this.options;
		this.files = new AgentFiles(record, agent, {
			onEntries: (entries) => onInput({ is: "recorded", entries }),
			onEarlier: (entries, unreadBytes) => onInput({ is: "recorded_earlier", entries, unreadBytes }),
			onOutput: (command, read) => onInput({ is: "printed", command, read }),
			onError,
		});
	}

	/** Reads what commands have printed meanwhile, and of a run with more events than a picture has those of the agent. */
	readGrowth({ run, history, events }: Picture): void {
		if (events.length >= MOST_EVENTS && !this.areEventsRead && this.files !== undefined) {
			this.areEventsRead = true;
			this.readEvents(this.files, history.agent);
		}
		this.files?.readGrowth(history, openCommands(history, run.agents[history.agent]));
	}

	/** Reads what the reader's place needs; `picture` has each time what was read before, which may show that more is needed. */
	readNeeded(picture: () => Picture): void {
		if (this.isNew) this.readGrowth(picture());
		this.isNew = false;
		for (let reads = 0; reads < MOST_READS && this.files?.readNeeded(neededReads(picture())); reads++);
	}

	stop(): void {
		this.files?.stop();
		this.files = undefined;
	}

	/** The log is looked through in pieces, so that keys stay quick: a run of thousands of agents has hundreds of thousands of events. */
	private readEvents(files: AgentFiles, agent: AgentId): void {
		if (this.files !== files) return; // somebody has gone on to another agent
		const { onInput, onError } = this.options;
		try {
			if (!this.index.readOn(PIECE_BYTES)) return void setImmediate(() => this.readEvents(files, agent));
			onInput({ is: "happened", events: this.index.eventsOf(agent) });
		} catch (error) {
			if (!(error instanceof AgentreeError)) onError(error); // a log that cannot be read is told of elsewhere
		}
	}
}

/** The files of the selected agent: its transcript as it grows, and the output of its commands, as far as somebody reads it. */

const HISTORY_BYTES = 8 * 1024 * 1024; // of the transcript at once; what is before them is read when somebody goes there

interface AgentFilesListener {
	/** New lines of the transcript. */
	onEntries(entries: TranscriptEntry[]): void;
	/** Lines from before those, and how many bytes are still before them. */
	onEarlier(entries: TranscriptEntry[], unreadBytes: number): void;
	onOutput(command: number, read: CommandOutput): void;
	onError(error: unknown): void;
}

export class AgentFiles {
	private readonly record: RecordedRun;
	private readonly agent: AgentId;
	private readonly listener: AgentFilesListener;
	private readonly stopping = new AbortController();

	constructor(record: RecordedRun, agent: AgentId, listener: AgentFilesListener) {
		this.record = record;
		this.agent = agent;
		this.listener = listener;
		const path = transcriptPath(record.directory, agent);
		const from = tailStart(path, HISTORY_BYTES);
		if (from > 0) listener.onEarlier([], from);
		const onLines = (lines: string[]) => {
			if (!this.stopping.signal.aborted) listener.onEntries(entriesOf(lines));
		};
		followLines(path, onLines, { signal: this.stopping.signal, from }).catch(listener.onError);
	}

	/** Reads what was added to the outputs in memory, and to those of `commands`, which have no result so far. */
	readGrowth({ outputs }: AgentHistory, commands: readonly number[]): void {
		for (const command of new Set([...commands, ...outputs.keys()])) {
			const known = outputs.get(command);
			const pages = (last: number) => (known === undefined ? [last] : grownPages(known, last));
			this.readOutput(command, { pages, knownBytes: known?.bytes });
		}
	}

	/** True when pages were read, which may show that more are needed. */
	readNeeded({ pages, earlierThan }: NeededReads): boolean {
		if (earlierThan > 0) this.readEarlier(earlierThan);
		return pages.filter(({ command, page }) => this.readOutput(command, { pages: () => [page] })).length > 0;
	}

	stop(): void {
		this.stopping.abort();
	}

	private readEarlier(end: number): void {
		const read = orUndefined(() => linesBefore(transcriptPath(this.record.directory, this.agent), end, HISTORY_BYTES));
		if (read !== undefined) this.listener.onEarlier(entriesOf(read.lines), read.from);
	}

	private readOutput(command: number, ask: LogAsk): boolean {
		const read = orUndefined(() => this.record.output(this.agent, commandLog(command)).pages(ask));
		if (read === undefined || read.pages.length === 0) return false;
		this.listener.onOutput(command, read);
		return true;
	}
}

/** What cannot be read `agent show` tells. */
function entriesOf(lines: readonly string[]): TranscriptEntry[] {
	return lines.flatMap((line) => parseEntry(line) ?? []);
}

/**
 * What has to be read for a reader's place: of an output that is too long for memory the pages around it, so that a step
 * never ends at a border, and of a long transcript what is before its first entry that is read. Pure.
 */
interface NeededReads {
	readonly pages: readonly { readonly command: number; readonly page: number }[];
	/** What stands in the transcript before this byte; 0: nothing is needed. */
	readonly earlierThan: number;
}

const NOTHING: NeededReads = { pages: [], earlierThan: 0 };
const MARGIN_PAGES = 2; // of the screen, so that a step of one of them finds what comes next

export function neededReads(picture: Picture): NeededReads {
	const place = pageOf(picture.ui.scroll);
	const isThere =
		place === undefined || picture.history.outputs.get(place.command)?.pages.some(({ page }) => page === place.page);
	if (place !== undefined && !isThere) return { ...NOTHING, pages: [place] };
	return isComplete(picture) ? NOTHING : around(picture);
}

function isComplete({ history }: Picture): boolean {
	if (history.unreadBytes > 0) return false;
	return [...history.outputs.values()].every(({ pages, last }) => pages.length > last);
}

function around(picture: Picture): NeededReads {
	const scene = sceneOf(picture, LISTED_KEYS);
	const { scroll } = picture.ui;
	const window = windowOf(scene, sizeAt(historyPane.place, scene));
	const [above, below] = scroll.is === "end" ? [aboveEnd(window), undefined] : besides(window, topOf(window, scroll));
	const isAtStart = scroll.is === "at" && scroll.key === "";
	return {
		pages: [...pagesOf(above, "last"), ...pagesOf(below, "first")],
		earlierThan: isAtStart || above?.isEarlier || below?.isEarlier ? picture.history.unreadBytes : 0,
	};
}

function aboveEnd(window: BlockWindow): Block | undefined {
	return firstUnread(window, { from: window.blocks.length - 1, step: -1, rows: window.height * (1 + MARGIN_PAGES) });
}

function besides(window: BlockWindow, top: Position): [above: Block | undefined, below: Block | undefined] {
	const margin = window.height * MARGIN_PAGES;
	const here = window.blocks[top.block];
	const rowsHere = here === undefined ? 0 : blockRows(here, window.width).length;
	return [
		firstUnread(window, { from: top.block, step: -1, rows: margin - top.row + rowsHere }),
		firstUnread(window, { from: top.block, step: 1, rows: margin + window.height + top.row }),
	];
}

/** The first block on the way whose text is not read, within so many rows. */
function firstUnread(
	window: BlockWindow,
	{ from, step, rows }: { from: number; step: 1 | -1; rows: number },
): Block | undefined {
	let left = rows;
	for (let at = from; left > 0; at += step) {
		const block = window.blocks[at];
		if (block === undefined || block.unread !== undefined || block.isEarlier) return block;
		left -= blockRows(block, window.width).length;
	}
	return undefined;
}

function pagesOf(block: Block | undefined, end: "first" | "last"): NeededReads["pages"] {
	if (block?.unread === undefined || block.command === undefined) return [];
	return [{ command: block.command, page: block.unread[end] }];
}
