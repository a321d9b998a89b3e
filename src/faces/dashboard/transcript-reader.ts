/** Reads the transcript of the selected agent as it grows, and the output of its commands, and gives both as inputs. */
import { setImmediate } from "node:timers/promises";
import { commandLog } from "../../core/bash-call.ts";
import { type AgentId, isOver } from "../../core/model/agent.ts";
import type { RunState } from "../../core/run/run-state.ts";
import type { LogAsk } from "../../record/command-output.ts";
import { linesBefore, tailStart } from "../../record/files/json-lines.ts";
import { EventIndex, parseEntry } from "../../record/read-events.ts";
import { orUndefined } from "../../record/read-run.ts";
import { transcriptPath } from "../../record/run-directory.ts";
import type { RecordedRun } from "../../record/run-source.ts";
import { AgentRecord, AnswerPieces } from "../../view/follow/agent-record.ts";
import { ItemList } from "../../view/transcript/changes.ts";
import type { RecordItem } from "../../view/transcript/merge.ts";
import { Transcript } from "../../view/transcript/transcript.ts";
import type { AnswerPiece } from "../../view/transcript/turns.ts";
import type { ToWatcher } from "../../wire/watcher-messages.ts";
import { sizeAt } from "./layout.ts";
import { type Block, pageOf } from "./panes/transcript/block.ts";
import { blockRows } from "./panes/transcript/block-rows.ts";
import { type BlockWindow, type Position, topOf } from "./panes/transcript/block-window.ts";
import { transcriptPane } from "./panes/transcript/transcript.ts";
import { windowOf } from "./panes/transcript/transcript-window.ts";
import { LISTED_KEYS } from "./panes.ts";
import { type AgentTranscript, grownPages } from "./scene/agent-transcript.ts";
import { type Picture, sceneOf } from "./scene/scene.ts";
import type { Input } from "./update.ts";

const MOST_READS = 8; // for one frame; a next one goes on
const PIECE_BYTES = 1024 * 1024;
const SLICE_MS = 30; // of reading, before keys are looked at
const TAIL_BYTES = 8 * 1024 * 1024; // of the transcript at once; what is before them is read when somebody goes there

export interface TranscriptReaderOptions {
	readonly record: RecordedRun;
	readonly onInput: (input: Input) => void;
	readonly onError: (error: unknown) => void;
	readonly now: () => number;
}

export class TranscriptReader {
	private readonly options: TranscriptReaderOptions;
	private readonly index: EventIndex;
	private agent: AgentId | undefined;
	private pieces: AnswerPieces | undefined;
	/** Those of the newest call, for a transcript that is read again from further up. */
	private heard: AnswerPiece[] = [];
	private shown: ShownTranscript | undefined;

	constructor(options: TranscriptReaderOptions) {
		this.options = options;
		this.index = new EventIndex(options.record.directory);
	}

	/** Reads what is of another agent from now on. */
	focus(agent: AgentId, run: RunState): void {
		this.agent = agent;
		this.pieces = new AnswerPieces(agent, run);
		this.heard = [];
		this.shown = undefined;
	}

	/** All messages of the supervisor: the answer that streams is in no file. */
	hear(messages: readonly ToWatcher[]): void {
		for (const message of messages) {
			const piece = this.pieces?.hear(message);
			if (piece === undefined) continue;
			const [before] = this.heard;
			if (before?.turn !== piece.turn || before.attempt !== piece.attempt) this.heard = [];
			this.heard.push(piece);
			this.shown?.piece(piece);
		}
	}

	/** Reads what was written meanwhile; `picture` has each time what was read before. Call it a few times a second. */
	readGrowth(picture: () => Picture): void {
		this.readTranscript(picture());
		for (const [command, output] of picture().transcript.outputs)
			this.readOutput(command, { pages: (last) => grownPages(output, last), knownBytes: output.bytes });
	}

	/** Reads what the reader's place needs; `picture` has each time what was read before, which may show that more is needed. */
	readNeeded(picture: () => Picture): void {
		this.readTranscript(picture());
		const { openCommands, outputs } = picture().transcript;
		for (const command of openCommands)
			if (!outputs.has(command)) this.readOutput(command, { pages: (last) => [last] });
		for (let reads = 0; reads < MOST_READS; reads++) {
			const { pages, earlierThan } = neededReads(picture());
			if (earlierThan > 0) this.readEarlier(picture().run);
			if (pages.filter(({ command, page }) => this.readOutput(command, { pages: () => [page] })).length === 0) return;
		}
	}

	stop(): void {
		this.agent = undefined;
		this.shown = undefined;
	}

	private readTranscript({ run, transcript }: Picture): void {
		const { agent } = this;
		if (agent === undefined || transcript.agent !== agent) return;
		if (this.shown === undefined) {
			const from = orUndefined(() => tailStart(this.pathOf(agent), TAIL_BYTES)) ?? 0; // what is wrong with it, its reading says
			this.begin(agent, { run, from, number: 0 });
		}
		const known = run.agents[agent];
		orUndefined(() => this.shown?.readOn(known !== undefined && isOver(known) ? known.state.at : undefined));
	}

	/** The same transcript from further up. */
	private readEarlier(run: RunState): void {
		const { agent, shown } = this;
		if (agent === undefined || shown === undefined || !shown.isWhole) return;
		const read = orUndefined(() => linesBefore(this.pathOf(agent), shown.from, TAIL_BYTES));
		if (read === undefined) return;
		const entries = read.lines.flatMap((line) => parseEntry(line) ?? []).length;
		this.begin(agent, { run, from: read.from, number: shown.number - entries });
	}

	/** Nothing before anything is recorded of the agent. */
	private begin(agent: AgentId, { run, from, number }: { run: RunState; from: number; number: number }): void {
		const { record, now, onError } = this.options;
		const task = orUndefined(() => record.agentFile(agent))?.task ?? run.agents[agent]?.task;
		if (task === undefined) return;
		const { index } = this;
		const onShown = (shown: Shown) => {
			if (this.shown === transcript) this.options.onInput({ is: "transcript", shown });
		};
		const transcript = new ShownTranscript({
			directory: record.directory,
			agent,
			index,
			task,
			from,
			number,
			now,
			onShown,
		});
		this.shown = transcript;
		transcript
			.readRecorded(
				() => this.heard,
				() => this.shown === transcript,
			)
			.catch(onError);
	}

	private readOutput(command: number, ask: LogAsk): boolean {
		const { agent } = this;
		if (agent === undefined) return false;
		const read = orUndefined(() => this.options.record.output(agent, commandLog(command)).pages(ask));
		if (read === undefined || read.pages.length === 0) return false;
		this.options.onInput({ is: "printed", command, read });
		return true;
	}

	private pathOf(agent: AgentId): string {
		return transcriptPath(this.options.record.directory, agent);
	}
}

type Shown = Omit<AgentTranscript, "outputs">;

interface ShownOf {
	readonly directory: string;
	readonly agent: AgentId;
	readonly index: EventIndex;
	readonly task: string;
	/** Where the first entry begins that is read, and its number: below zero where earlier ones have been read since. */
	readonly from: number;
	readonly number: number;
	readonly now: () => number;
	readonly onShown: (shown: Shown) => void;
}

/** One transcript: what is recorded goes in as it is read, and items come out. */
class ShownTranscript {
	readonly from: number;
	readonly number: number;
	/** All that was recorded at first is read. */
	isWhole = false;
	private readonly of: ShownOf;
	private readonly record: AgentRecord;
	private readonly transcript: Transcript;
	private readonly list = new ItemList();
	private entries = 0;
	private isClosed = false;
	private isChanged = true;

	constructor(of: ShownOf) {
		this.of = of;
		this.from = of.from;
		this.number = of.number;
		this.record = new AgentRecord({ ...of, damaged: () => {} }); // `agent show` tells what cannot be read
		this.transcript = new Transcript(of.agent, of.task);
	}

	/** In slices, so that keys stay quick. `heard`: pieces of the answer that streams. */
	async readRecorded(heard: () => readonly AnswerPiece[], isWanted: () => boolean): Promise<void> {
		while (orUndefined(() => this.of.index.readOn(PIECE_BYTES)) === false) {
			await setImmediate();
			if (!isWanted()) return;
		}
		let sliceEnd = this.of.now() + SLICE_MS;
		for (const items of this.record.recorded()) {
			for (const item of items) this.take(item);
			if (this.of.now() < sliceEnd) continue;
			await setImmediate();
			if (!isWanted()) return;
			sliceEnd = this.of.now() + SLICE_MS;
		}
		this.isWhole = true;
		for (const piece of heard()) this.piece(piece);
		this.readOn(undefined);
	}

	piece(piece: AnswerPiece): void {
		if (this.isWhole) this.note(this.transcript.piece(piece));
	}

	/** `endedAt`: when the agent ended, if it has. */
	readOn(endedAt: number | undefined): void {
		if (!this.isWhole) return;
		for (const item of this.record.next()) this.take(item);
		this.note(this.transcript.tick(this.of.now()));
		if (endedAt !== undefined && !this.isClosed) this.note(this.transcript.ended(endedAt));
		this.isClosed = endedAt !== undefined;
		if (!this.isChanged) return;
		this.isChanged = false;
		const { agent, task, from } = this.of;
		const openCommands = this.transcript.openCommands.flatMap(({ command }) => command ?? []);
		this.of.onShown({ agent, task, ...this.list.parts(), openCommands, unreadBytes: from });
	}

	/** What happened before the first entry that is read is told with the entries before it. */
	private take(item: RecordItem): void {
		if (item.is === "entry") this.note(this.transcript.entry(item.entry, this.number + this.entries++));
		else if (this.from === 0 || this.entries > 0) this.note(this.transcript.event(item.event));
	}

	private note(changes: Parameters<ItemList["take"]>[0]): void {
		if (changes.length > 0) this.isChanged = true;
		this.list.take(changes);
	}
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

function neededReads(picture: Picture): NeededReads {
	const place = pageOf(picture.ui.scroll);
	const isThere =
		place === undefined || picture.transcript.outputs.get(place.command)?.pages.some(({ page }) => page === place.page);
	if (place !== undefined && !isThere) return { ...NOTHING, pages: [place] };
	return isComplete(picture) ? NOTHING : around(picture);
}

function isComplete({ transcript }: Picture): boolean {
	if (transcript.unreadBytes > 0) return false;
	return [...transcript.outputs.values()].every(({ pages, last }) => pages.length > last);
}

function around(picture: Picture): NeededReads {
	const scene = sceneOf(picture, LISTED_KEYS);
	const { scroll } = picture.ui;
	const window = windowOf(scene, sizeAt(transcriptPane.place, scene));
	const [above, below] = scroll.is === "end" ? [aboveEnd(window), undefined] : besides(window, topOf(window, scroll));
	const isAtStart = scroll.is === "at" && scroll.key === "";
	return {
		pages: [...pagesOf(above, "last"), ...pagesOf(below, "first")],
		earlierThan: isAtStart || above?.isEarlier || below?.isEarlier ? picture.transcript.unreadBytes : 0,
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
