/** Prints the story of a living agent: first all that is recorded, then with each step what is new. */

import { type AgentId, parentOf } from "../../../core/model/agent.ts";
import type { TranscriptEntry } from "../../../core/model/transcript.ts";
import type { RunEvent } from "../../../core/run/run-event.ts";
import { outputPath } from "../../../record/run-directory.ts";
import { firstLine, oneLine } from "../../../text/safe/terminal-safe.ts";
import { wholeEnding } from "../../../text/states.ts";
import { AgentStory, type StoryItem, type StoryOf } from "../../../view/agent-story.ts";
import { AgentNoticesBuilder, agentNoticeOf } from "../../../view/events/agent-notices.ts";
import { CommandOutputs } from "../../../view/follow/command-outputs.ts";
import { RunTimelineBuilder } from "../../../view/run-timeline.ts";
import { type Io, warn } from "../io.ts";
import { markedLines, storyLines } from "../story-lines.ts";
import type { StoryView } from "../story-view.ts";
import { AgentRecord } from "./agent-record.ts";
import { type AnswerPiece, attemptAfter } from "./answer-stream.ts";
import { LiveCommands } from "./live-commands.ts";
import { LiveTurns } from "./live-turns.ts";
import { printLines, type ShownAgent } from "./shown-agent.ts";

const MOST_CHUNKS = 16; // of one command's output, before others are looked at

type Known = Pick<StoryOf, "timeline" | "agentNotices">;

export class TranscriptPrinter {
	private readonly shown: ShownAgent;
	private readonly io: Io;
	private readonly timeline = new RunTimelineBuilder();
	private readonly agentNotices = new AgentNoticesBuilder();
	private readonly record: AgentRecord;
	private readonly outputs: CommandOutputs;
	private readonly live: LiveStory;
	private readonly story: AgentStory;
	private readonly pieces: AnswerPiece[] = [];
	private known: Known | undefined;
	/** How often the newest call was made again. */
	private attempt = 0;

	constructor(shown: ShownAgent, io: Io) {
		const { directory, agent, file, view } = shown;
		const damaged = (what: string) => warn(io, [what]);
		this.shown = shown;
		this.io = io;
		this.record = new AgentRecord({ directory, agent, damaged, onEvent: (event) => this.note(event) });
		const pathOf = (log: string) => outputPath(directory, agent, log);
		this.outputs = new CommandOutputs({ pathOf, now: io.now, maySkip: io.isTTY, damaged });
		const known = () => this.knownNow();
		this.story = new AgentStory({
			task: file.task,
			get timeline() {
				return known().timeline;
			},
			get agentNotices() {
				return known().agentNotices;
			},
		});
		this.live = new LiveStory({ agent, story: this.story, view });
	}

	async tellRecorded(): Promise<void> {
		for (const entries of this.record.recorded()) {
			for (const entry of entries) {
				if (entry.role === "assistant") this.live.commands.answered(entry.content);
				this.print(this.story.entry(entry).flatMap((item) => storyLines(item, this.shown.view)));
			}
			await this.io.drained?.();
		}
		const rest = this.story.rest();
		const running = rest.filter((item) => item.is === "command" && item.span !== undefined);
		for (const item of rest) this.tellOpen(item, running.length > 1);
	}

	/** Whether there is more to tell at once. */
	async step(): Promise<boolean> {
		for (const item of this.record.next()) {
			this.print(item.is === "entry" ? this.live.entry(item.entry) : await this.tellEvent(item.event));
			await this.io.drained?.();
		}
		let hasMore = this.record.isBehind;
		for (const command of this.outputs.commands) hasMore = (await this.tellOutput(command, MOST_CHUNKS)) || hasMore;
		for (const part of this.outputs.tick()) this.print(this.live.commands.output(part));
		this.tellPieces();
		this.print(this.live.turns.tick(this.io.now()));
		return hasMore;
	}

	/** A piece of an answer, which is told with the next step. */
	piece(piece: AnswerPiece): void {
		this.pieces.push(piece);
	}

	/** What is left open, when nothing more will come. */
	tellRest(): void {
		for (const command of this.outputs.commands) this.print(this.live.commands.output(this.outputs.end(command).part));
		this.print(this.live.rest());
	}

	close(): void {
		this.outputs.close();
	}

	/** What the events so far tell, made once for many messages. */
	private knownNow(): Known {
		const { agent } = this.shown;
		this.known ??= {
			timeline: this.timeline.timelineOf(agent, this.io.now()),
			agentNotices: this.agentNotices.of(agent),
		};
		return this.known;
	}

	private note(event: RunEvent): void {
		this.known = undefined;
		this.timeline.note(event);
		this.agentNotices.note(event);
		this.attempt = attemptAfter(event, this.shown.agent) ?? this.attempt;
	}

	/** What is under way when all that is recorded was told: it goes on from here. */
	private tellOpen(item: StoryItem, isOneOfSeveral: boolean): void {
		const { live, outputs, shown } = this;
		const isRunning = item.is === "command" && item.span !== undefined && item.end === undefined;
		if (isRunning && item.command !== undefined && item.log !== undefined) {
			const { command, log, text = "" } = item;
			this.print(live.commands.begin({ command, text, log }, isOneOfSeveral));
			return outputs.start(command, log, true);
		}
		if (item.is === "command" && item.span === undefined) return; // it is told when it starts
		this.print(storyLines(item, shown.view));
		if (item.is === "command" && item.span !== undefined) live.commands.known(item.span);
		if (item.is === "turn" && item.span !== undefined && item.span.end === undefined)
			live.turns.goOn(item.turn, item.span.from, this.attempt);
	}

	private async tellEvent(event: RunEvent): Promise<string[]> {
		const { live, outputs, shown } = this;
		if (!("agent" in event) || event.agent !== shown.agent) return live.event(event);
		if (event.event === "command_started") outputs.start(event.command, event.log);
		if (event.event !== "command_ended") return live.event(event);
		const { command } = event;
		await this.tellOutput(command, outputs.chunksOf(command));
		const { part, isTold } = outputs.end(command);
		return [...live.commands.output(part), ...live.event(event, isTold || event.outputBytes === 0)];
	}

	/** Whether there may be more of it. */
	private async tellOutput(command: number, mostChunks: number): Promise<boolean> {
		for (let chunk = 0; chunk < mostChunks; chunk++) {
			const part = this.outputs.read(command);
			if (part === undefined) return false;
			this.print(this.live.commands.output(part));
			await this.io.drained?.();
		}
		return true;
	}

	private tellPieces(): void {
		const later: AnswerPiece[] = [];
		for (const piece of this.pieces.splice(0)) {
			const place = this.live.turns.placeOf(piece.turn, piece.attempt);
			if (place === "now") this.print(this.live.turns.piece(piece.delta));
			if (place === "future") later.push(piece);
		}
		this.pieces.unshift(...later);
	}

	private print(lines: readonly string[]): void {
		printLines(this.io, lines);
	}
}

/** The story of an agent as it goes on: what happens is told once, when it happens, by its event or by its message. Pure. */
interface LiveStoryOf {
	readonly agent: AgentId;
	readonly story: AgentStory;
	readonly view: StoryView;
}

export class LiveStory {
	readonly turns: LiveTurns;
	readonly commands: LiveCommands;
	private readonly of: LiveStoryOf;

	constructor(of: LiveStoryOf) {
		this.of = of;
		this.turns = new LiveTurns(of.view);
		this.commands = new LiveCommands(of.view, (command) => of.story.spanOf(command));
	}

	/** `isTold`: of the end of a command, whether its output was told. */
	event(event: RunEvent, isTold = false): string[] {
		const { agent, view } = this.of;
		switch (event.event) {
			case "turn_started":
			case "turn_retrying":
			case "turn_ended":
			case "turn_failed":
			case "turn_cancelled":
				return event.agent === agent ? this.turns.event(event) : [];
			case "command_started":
				return event.agent === agent ? this.commands.started(event) : [];
			case "command_ended":
				return event.agent === agent ? this.commands.ended(event, isTold) : [];
			case "agent_joined":
				return this.child(event, `began: ${firstLine(event.task)}`, false);
			case "agent_resumed":
				return this.child(event, "goes on", false);
			case "agent_ended":
				return this.child(event, `ended: ${wholeEnding(event.ending)}`, event.ending.by !== "answer");
		}
		const agentNotice = agentNoticeOf(event, agent);
		if (agentNotice === undefined) return [];
		const rows = markedLines(agentNotice.at, oneLine(agentNotice.text), view);
		return rows.map(agentNotice.isTrouble ? view.paint.red : view.paint.dim);
	}

	entry(entry: TranscriptEntry): string[] {
		const items = this.of.story.entry(entry);
		const commands = items.filter((item) => item.is === "command").flatMap((item) => this.commands.result(item));
		if (entry.role === "assistant") return [...commands, ...this.answer(items)];
		// Turns without an answer, and what else happened, their events have told.
		const others = items.filter((item) => item.is === "told" || item.is === "note");
		return [...commands, ...others.flatMap((item) => this.partialOf(item) ?? storyLines(item, this.of.view))];
	}

	/** What the transcript leaves open, when there will be no more. */
	rest(): string[] {
		const open = this.of.story.rest().flatMap((item) => (item.is === "command" ? this.commands.rest(item) : []));
		return [...this.turns.rest(), ...open];
	}

	/** Of an answer that broke off, and that was told while it was written, only what was not told. */
	private partialOf(item: StoryItem): string[] | undefined {
		if (item.is !== "note" || item.note.note !== "call" || !item.isKnown) return undefined;
		return item.note.outcome === "retried" ? undefined : this.turns.partial(item.note.turn);
	}

	private answer(items: readonly StoryItem[]): string[] {
		const told = items.find((item) => item.is === "turn" && item.answer !== undefined);
		if (told?.is !== "turn" || told.answer === undefined) return [];
		this.commands.answered(told.answer.content);
		return this.turns.answer(
			told,
			items.filter((item) => item.is === "said"),
		);
	}

	private child({ agent: child, at }: { agent: AgentId; at: number }, what: string, isTrouble: boolean): string[] {
		const { agent, view } = this.of;
		if (parentOf(child) !== agent) return [];
		return markedLines(at, `agent ${child} ${what}`, view).map(isTrouble ? view.paint.red : view.paint.dim);
	}
}
