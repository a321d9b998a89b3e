/** The transcript of a living agent until it ends: first all that is recorded, then what happens as it happens. */
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { commandLog } from "../../../core/bash-call.ts";
import { type AgentId, isOver } from "../../../core/model/agent.ts";
import { parseCookie } from "../../../core/run/cookie.ts";
import type { RunState } from "../../../core/run/run-state.ts";
import type { RunEvent } from "../../../core/schemas/run-event.ts";
import { Wakes, watchDirectory } from "../../../record/files/follow-lines.ts";
import { readRunFile } from "../../../record/read-run.ts";
import { agentDirectory } from "../../../record/run-directory.ts";
import { supervisorAt } from "../../../record/supervisor-process.ts";
import { standingFacts } from "../../../view/agents/agent-facts.ts";
import { RunView } from "../../../view/agents/run-view.ts";
import { AgentRecord, AnswerPieces } from "../../../view/follow/agent-record.ts";
import { CommandOutputs, type OutputPart } from "../../../view/follow/command-outputs.ts";
import { SettledItems } from "../../../view/transcript/changes.ts";
import type { CommandItem, TranscriptChange, TranscriptItem } from "../../../view/transcript/items.ts";
import { Transcript } from "../../../view/transcript/transcript.ts";
import type { AnswerPiece } from "../../../view/transcript/turns.ts";
import { askSupervisor } from "../../../wire/run-client.ts";
import type { ToWatcher } from "../../../wire/watcher-messages.ts";
import { factRows } from "../agent-header.ts";
import { type Io, warn } from "../io.ts";
import { endingLines, itemLines } from "../transcript-lines.ts";
import { LiveLines } from "./live-lines.ts";
import { printLines, type ShownAgent } from "./show-transcript.ts";

const REST_MS = 50; // so that what is written in a rush is read together
const POLL_MS = 250; // some file systems report no change, and what waits for its time is looked at

export async function followTranscript(shown: ShownAgent, io: Io): Promise<void> {
	const { source, agent } = shown;
	const wakes = new Wakes();
	const over = new AbortController();
	const printer = new TranscriptPrinter(shown, io);
	const damaged = (what: string) => warn(io, [what]);
	const following = source.follow({ agent, onEvent: wakes.wake, damaged, signal: io.signal }).finally(() => {
		over.abort();
		wakes.wake();
	});
	following.catch(() => {}); // it is awaited below
	const watchers = watchFiles(shown, wakes.wake);
	const endStream = stream(shown, io, (piece) => {
		printer.piece(piece);
		wakes.wake();
	});
	try {
		await printer.printRecorded();
		while (!over.signal.aborted) {
			if (await printer.step()) wakes.wake();
			watchers.renew();
			await setTimeout(REST_MS);
			await wakes.next(POLL_MS);
		}
		await following;
		while (await printer.step());
		const { state } = source.snapshot();
		const known = state.agents[agent];
		printer.printRest(known !== undefined && isOver(known) ? known.state.at : undefined);
		printEnd(shown, state, io);
	} finally {
		endStream();
		watchers.close();
		printer.close();
	}
}

/** The transcript and the outputs of the agent's commands. `renew`: a directory may not have been there before. */
function watchFiles({ source, agent }: ShownAgent, wake: () => void): { renew: () => void; close: () => void } {
	const own = agentDirectory(source.directory, agent);
	const watched = new Map<string, ReturnType<typeof watchDirectory>>();
	const renew = () => {
		for (const path of [own, join(own, dirname(commandLog(1)))])
			if (watched.get(path) === undefined) watched.set(path, watchDirectory(path, wake));
	};
	renew();
	return { renew, close: () => [...watched.values()].map((watcher) => watcher?.close()) };
}

/** Only for people: in a command of a run the supervisor tells nobody of other agents' answers. */
function stream({ source, agent }: ShownAgent, io: Io, onPiece: (piece: AnswerPiece) => void): () => void {
	if (parseCookie(io.env) !== undefined) return () => {};
	return streamAnswers(readRunFile(source.directory).socket, agent, onPiece);
}

function printEnd({ agent, view }: ShownAgent, state: RunState, io: Io): void {
	const told = new RunView({ run: state, now: io.now() }).agent(agent);
	if (told === undefined) return;
	const known = told.agent;
	if (isOver(known)) printLines(io, endingLines(known.state.ending, known.state.at, { view }));
	const facts = standingFacts(state, told).filter(({ name }) => !isOver(known) || name !== "state");
	printLines(io, factRows(facts, io.columns));
}

const MOST_CHUNKS = 16; // of one command's output, before others are looked at

class TranscriptPrinter {
	private readonly shown: ShownAgent;
	private readonly io: Io;
	private readonly record: AgentRecord;
	private readonly outputs: CommandOutputs;
	private readonly transcript: Transcript;
	private readonly live: LiveLines;
	private readonly pieces: AnswerPiece[] = [];

	constructor(shown: ShownAgent, io: Io) {
		const { source, agent, file, view } = shown;
		const damaged = (what: string) => warn(io, [what]);
		this.shown = shown;
		this.io = io;
		this.record = new AgentRecord({ directory: source.directory, agent, damaged });
		const outputOf = (log: string) => source.output(agent, log);
		this.outputs = new CommandOutputs({ outputOf, now: io.now, maySkip: io.isTTY, damaged });
		this.transcript = new Transcript(agent, file.task);
		this.live = new LiveLines(view);
	}

	async printRecorded(): Promise<void> {
		const settled = new SettledItems();
		for (const items of this.record.recorded()) {
			for (const item of items) this.printItems(settled.take(this.transcript.take(item)));
			await this.io.drained?.();
		}
		const rest = [...settled.take(this.transcript.standing()), ...settled.rest()];
		this.print(this.live.standing(rest));
		for (const item of rest) if (item.is === "command" && item.state === "running") this.follow(item, true);
	}

	/** Whether there is more to print at once. */
	async step(): Promise<boolean> {
		for (const item of this.record.next()) {
			if (item.is === "event") await this.event(item.event);
			else this.printChanges(this.transcript.entry(item.entry));
			await this.io.drained?.();
		}
		let hasMore = this.record.isBehind;
		for (const command of this.outputs.commands) hasMore = (await this.readOutput(command, MOST_CHUNKS)) || hasMore;
		for (const part of this.outputs.tick()) this.printed(part);
		for (const piece of this.pieces.splice(0)) this.printChanges(this.transcript.piece(piece));
		this.printChanges(this.transcript.tick(this.io.now()));
		return hasMore;
	}

	/** A piece of an answer, which is printed with the next step. */
	piece(piece: AnswerPiece): void {
		this.pieces.push(piece);
	}

	/** What is left open when this is no longer followed. `endedAt`: absent for an agent that lives on. */
	printRest(endedAt: number | undefined): void {
		for (const command of this.outputs.commands) this.printed(this.outputs.end(command).part);
		this.printChanges(endedAt === undefined ? this.transcript.standing() : this.transcript.ended(endedAt));
	}

	close(): void {
		this.outputs.close();
	}

	private async event(event: RunEvent): Promise<void> {
		const isEnd = event.event === "command_ended" && event.agent === this.shown.agent;
		const command = isEnd ? this.transcript.openCommands.find((item) => item.command === event.command) : undefined;
		if (isEnd && command !== undefined) {
			await this.readOutput(event.command, this.outputs.chunksOf(event.command));
			const { part, isTold } = this.outputs.end(event.command);
			this.printed(part);
			this.live.outputEnds(command, isTold || event.outputBytes === 0);
		}
		this.printChanges(this.transcript.event(event));
	}

	/** Whether there may be more of it. */
	private async readOutput(command: number, mostChunks: number): Promise<boolean> {
		for (let chunk = 0; chunk < mostChunks; chunk++) {
			const part = this.outputs.read(command);
			if (part === undefined) return false;
			this.printed(part);
			await this.io.drained?.();
		}
		return true;
	}

	private printed({ command, lines, skipped }: OutputPart): void {
		this.printChanges(this.transcript.printed(command, lines, skipped));
	}

	private printChanges(changes: readonly TranscriptChange[]): void {
		for (const change of changes) {
			this.print(this.live.take(change));
			const isCommand = (change.is === "added" || change.is === "changed") && change.item.is === "command";
			if (isCommand && change.item.state === "running") this.follow(change.item, false);
		}
	}

	/** `hasBegun`: of what it has printed so far only the end is printed. */
	private follow({ command, log }: CommandItem, hasBegun: boolean): void {
		if (command === undefined || log === undefined || this.outputs.commands.includes(command)) return;
		this.outputs.start(command, log, hasBegun);
	}

	private printItems(items: readonly TranscriptItem[]): void {
		this.print(items.flatMap((item) => itemLines(item, this.shown.view)));
	}

	private print(lines: readonly string[]): void {
		printLines(this.io, lines);
	}
}

/** The pieces of the agent's answers while they are written, from the supervisor. Without it they come when they are recorded. */

/** The result ends it. Whatever keeps the supervisor from telling, nothing is said of it: nothing is lost. */
function streamAnswers(socket: string, agent: AgentId, onPiece: (piece: AnswerPiece) => void): () => void {
	const over = new AbortController();
	const pieces = new AnswerPieces(agent);
	const hear = (message: ToWatcher) => {
		const piece = pieces.hear(message);
		if (piece !== undefined) onPiece(piece);
		return undefined;
	};
	const watching = { say: [{ say: "watch" }, { say: "focus", agent }], hear, signal: over.signal } as const;
	void askSupervisor(supervisorAt(socket), watching);
	return () => over.abort();
}
