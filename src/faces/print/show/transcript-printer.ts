/** Prints the transcript of a living agent: first all that is recorded, then with each step what is new. */
import type { RunEvent } from "../../../core/run/run-event.ts";
import { CommandOutputs, type OutputPart } from "../../../view/follow/command-outputs.ts";
import { SettledItems } from "../../../view/transcript/collect.ts";
import type { CommandItem, TranscriptChange, TranscriptItem } from "../../../view/transcript/items.ts";
import { Transcript } from "../../../view/transcript/transcript.ts";
import type { AnswerPiece } from "../../../view/transcript/turns.ts";
import { type Io, warn } from "../io.ts";
import { itemLines } from "../transcript-lines.ts";
import { AgentRecord } from "./agent-record.ts";
import { LiveLines } from "./live-lines.ts";
import { printLines, type ShownAgent } from "./shown-agent.ts";

const MOST_CHUNKS = 16; // of one command's output, before others are looked at

export class TranscriptPrinter {
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
		this.record = new AgentRecord(source.directory, agent, damaged);
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

	/** What is left open, when nothing more will come. */
	printRest(): void {
		for (const command of this.outputs.commands) this.printed(this.outputs.end(command).part);
		this.printChanges(this.transcript.ended(this.io.now()));
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
