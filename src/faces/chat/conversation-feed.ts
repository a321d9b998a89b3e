/**
 * Tells a conversation what happens in its run, in order: the supervisor's messages as they come, and with them what stands in
 * files: the lines of the root's transcript, the output of its running commands, the answers of agents that have ended.
 */
import { AgentreeError } from "../../core/errors.ts";
import { isOver, parentOf, ROOT } from "../../core/model/agent.ts";
import type { RunState } from "../../core/run/run-state.ts";
import type { RunEvent } from "../../core/schemas/run-event.ts";
import type { Agent } from "../../core/schemas/run-state.ts";
import type { TranscriptEntry } from "../../core/schemas/transcript.ts";
import { readLinesFrom } from "../../record/files/follow-lines.ts";
import { goesOnAt } from "../../record/files/json-lines.ts";
import { parseEntry } from "../../record/read-events.ts";
import { transcriptPath } from "../../record/run-directory.ts";
import { RecordedRun } from "../../record/run-source.ts";
import { CommandOutputs, type OutputPart } from "../../view/follow/command-outputs.ts";
import type { ToWatcher } from "../../wire/watcher-messages.ts";
import type { FeedUpdate } from "./output/output.ts";

const MOST_CHUNKS = 16; // of one command's output in one look
/** Of what was said before: more would only push out of the scrollback what the person had there. */
const MOST_EARLIER = 100;
const MOST_EARLIER_CHARS = 256 * 1024;

interface FeedOptions {
	readonly directory: string;
	readonly now: () => number;
	readonly onUpdate: (update: FeedUpdate) => void;
	readonly onDamage: (what: string) => void;
}

export class ConversationFeed {
	private readonly options: FeedOptions;
	private readonly record: RecordedRun;
	private readonly outputs: CommandOutputs;
	private entriesAt = 0;
	/** When the newest shown entry was written: if somebody has cut the file, only newer entries count. */
	private shownUntil = 0;
	/** Lines of the transcript that are not shown yet. */
	private readonly unread: string[] = [];

	constructor(options: FeedOptions) {
		const { directory, now, onDamage } = options;
		this.options = options;
		this.record = new RecordedRun(directory);
		const outputOf = (log: string) => this.record.output(ROOT, log);
		this.outputs = new CommandOutputs({ outputOf, now, maySkip: true, damaged: onDamage });
	}

	/**
	 * Right after a snapshot: reports the end of what the root's transcript has so far, or of what it has since, and goes on from here
	 * with the commands that run. `before`: the run as it was before, when the link was made again.
	 */
	begin(run: RunState, before?: RunState): void {
		const running = run.agents[ROOT]?.running ?? [];
		const known = new Set(this.outputs.commands);
		for (const command of known) if (!running.some((one) => one.command === command)) this.outputs.end(command);
		if (before !== undefined) this.options.onUpdate({ is: "again", running: running.map(({ command }) => command) });
		for (const line of this.unread.splice(0)) this.entry(parseEntry(line));
		this.readEarlier();
		for (const event of before === undefined ? [] : unheardEnds(run, before)) this.event(event);
		this.follow(running.filter(({ command }) => !known.has(command)));
	}

	private follow(running: Agent["running"]): void {
		for (const { children: _, since, ...start } of running) {
			const event = { event: "command_started", at: since, agent: ROOT, startTime: "", ...start } as const;
			this.options.onUpdate({ is: "event", event });
			this.outputs.start(start.command, start.log, true);
		}
	}

	/** Call it when the run's state has taken the message in. Acts nobody asks for here: answers to acts are the caller's. */
	receive(message: ToWatcher): void {
		const { onUpdate } = this.options;
		if (message.say === "recorded" && message.agent === ROOT) this.readEntry();
		if (message.say === "delta" && message.agent === ROOT)
			onUpdate({ is: "delta", turn: message.turn, delta: message.delta });
		if (message.say === "event") this.event(message.event);
	}

	/** What the running commands have printed since. Call it a few times a second while a command runs. */
	tick(): void {
		for (const command of this.outputs.commands) this.readOutput(command, MOST_CHUNKS);
		for (const part of this.outputs.tick()) this.printed(part);
	}

	close(): void {
		this.outputs.close();
	}

	private event(event: RunEvent): void {
		const { onUpdate } = this.options;
		const isOfRoot = "agent" in event && event.agent === ROOT;
		if (event.event === "command_started" && isOfRoot) this.outputs.start(event.command, event.log);
		if (event.event === "command_ended" && isOfRoot) this.endOutput(event.command);
		const isOfChild = event.event === "agent_ended" && parentOf(event.agent) === ROOT;
		onUpdate({ is: "event", event, answer: isOfChild ? this.record.lastText(event.agent) : undefined });
	}

	private endOutput(command: number): void {
		this.readOutput(command, this.outputs.chunksOf(command));
		this.printed(this.outputs.end(command).part);
	}

	private readOutput(command: number, mostChunks: number): void {
		for (let chunk = 0; chunk < mostChunks; chunk++) {
			const part = this.outputs.read(command);
			if (part === undefined) return;
			this.printed(part);
		}
	}

	private printed(part: OutputPart): void {
		if (part.lines.length > 0 || part.skipped > 0) this.options.onUpdate({ is: "printed", ...part });
	}

	private readEarlier(): void {
		let kept: string[] = [];
		let all = 0;
		this.readLines((lines) => {
			all += lines.length;
			kept = endOf([...kept, ...lines]);
		});
		if (all > kept.length) this.options.onUpdate({ is: "earlier", entries: all - kept.length });
		for (const line of kept) this.entry(parseEntry(line));
	}

	/** One line for each `recorded` message: events that come between two of them belong between them. */
	private readEntry(): void {
		if (this.unread.length === 0)
			this.readLines((lines) => {
				this.unread.push(...lines);
			});
		const line = this.unread.shift();
		if (line !== undefined) this.entry(parseEntry(line));
	}

	private readLines(onLines: (lines: string[]) => void): void {
		const { directory, onDamage } = this.options;
		const path = transcriptPath(directory, ROOT);
		try {
			const isSound = goesOnAt(path, this.entriesAt);
			if (!isSound) onDamage("transcript.jsonl was truncated or replaced; the lost part is not shown");
			this.entriesAt = readLinesFrom(path, isSound ? this.entriesAt : 0, (lines) =>
				onLines(isSound ? lines : lines.filter((line) => (parseEntry(line)?.at ?? 0) > this.shownUntil)),
			);
		} catch (error) {
			if (!(error instanceof AgentreeError)) throw error;
			onDamage(error.message);
		}
	}

	private entry(entry: TranscriptEntry | undefined): void {
		if (entry === undefined) this.options.onDamage("transcript.jsonl: skipped a line that is not a message");
		else {
			this.shownUntil = Math.max(this.shownUntil, entry.at);
			this.options.onUpdate({ is: "entry", entry });
		}
	}
}

type AgentEnded = Extract<RunEvent, { event: "agent_ended" }>;

/** The ends of the root's children that the states have, and no event reported. */
function unheardEnds(run: RunState, before: RunState): AgentEnded[] {
	return Object.values(run.agents).flatMap(({ id, state }): AgentEnded[] => {
		const was = before.agents[id];
		if (state.is !== "ended" || parentOf(id) !== ROOT || (was !== undefined && isOver(was))) return [];
		return [{ event: "agent_ended", at: state.at, agent: id, ending: state.ending }];
	});
}

function endOf(lines: readonly string[]): string[] {
	let chars = 0;
	let from = lines.length;
	while (from > 0 && lines.length - from < MOST_EARLIER) {
		chars += lines[from - 1]?.length ?? 0;
		if (chars > MOST_EARLIER_CHARS && from < lines.length) break;
		from--;
	}
	return lines.slice(from);
}
