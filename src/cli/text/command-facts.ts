/** What the event log knows of an agent's commands: more than its transcript, in which a turn is recorded when it is over. */

import type { AgentId } from "../../core/agent.ts";
import type { CommandEnd } from "../../core/command.ts";
import { defined } from "../../core/defined.ts";
import { AgentreeError } from "../../core/errors.ts";
import type { RunEvent } from "../../core/run-event.ts";
import { readLinesFrom } from "../../store/follow.ts";
import { parseEvent } from "../../store/read-events.ts";
import { eventsPath } from "../../store/run-directory.ts";

export interface CommandFact {
	readonly command: number;
	/** The id of the tool call. */
	readonly toolUseId?: string;
	/** The command's text in one line, cut. */
	readonly text: string;
	readonly log: string;
	readonly startedAt: number;
	readonly ended?: { readonly at: number; readonly end: CommandEnd; readonly outputBytes: number };
}

export class CommandFacts {
	private readonly facts = new Map<number, CommandFact>();
	private readonly path: string;
	private readonly agent: AgentId;
	private position = 0;

	constructor(directory: string, agent: AgentId) {
		this.path = eventsPath(directory);
		this.agent = agent;
	}

	/** Reads the events that were written since the last call. Lines that cannot be read are skipped: whoever loads the run's state names them. */
	refresh(): void {
		try {
			this.position = readLinesFrom(this.path, this.position, (lines) => {
				for (const line of lines) this.note(parseEvent(line));
			});
		} catch (error) {
			if (!(error instanceof AgentreeError)) throw error;
		}
	}

	of(command: number): CommandFact | undefined {
		return this.facts.get(command);
	}

	/** The newest command of that tool call. */
	ofCall(toolUseId: string): CommandFact | undefined {
		return this.all().findLast((fact) => fact.toolUseId === toolUseId);
	}

	all(): CommandFact[] {
		return [...this.facts.values()];
	}

	private note(event: RunEvent | undefined): void {
		if (event?.event === "command_started" && event.agent === this.agent) {
			const { command, text, log, at: startedAt, toolUseId } = event;
			this.facts.set(command, { command, text, log, startedAt, ...defined({ toolUseId }) });
		}
		if (event?.event !== "command_ended" || event.agent !== this.agent) return;
		const started = this.facts.get(event.command);
		if (started === undefined) return;
		const { at, end, outputBytes } = event;
		this.facts.set(event.command, { ...started, ended: { at, end, outputBytes } });
	}
}
