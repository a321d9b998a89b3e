/** The story of an agent as it goes on: what happens is told once, when it happens, by its event or by its message. Pure. */
import { type AgentId, parentOf } from "../../core/agent.ts";
import type { RunEvent } from "../../core/run-event.ts";
import type { TranscriptEntry } from "../../core/transcript.ts";
import type { AgentStory, StoryItem } from "../../events/agent-story.ts";
import { happeningOf } from "../../events/happenings.ts";
import { wholeEnding } from "../../text/states.ts";
import { firstLine, oneLine } from "../../text/terminal-safe.ts";
import { markedLines, storyLines } from "../text/story-lines.ts";
import type { StoryView } from "../text/story-view.ts";
import { LiveCommands } from "./live-commands.ts";
import { LiveTurns } from "./live-turns.ts";

export interface LiveStoryOf {
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
		const happening = happeningOf(event, agent);
		if (happening === undefined) return [];
		const rows = markedLines(happening.at, oneLine(happening.text), view);
		return rows.map(happening.isTrouble ? view.paint.red : view.paint.dim);
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
