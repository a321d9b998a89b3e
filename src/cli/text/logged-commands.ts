/** An agent's commands in the event log. Its transcript has fewer: there, a turn is recorded only when it is over. */

import type { AgentId } from "../../core/agent.ts";
import type { CommandEnd } from "../../core/command.ts";
import { defined } from "../../core/defined.ts";
import { AgentreeError } from "../../core/errors.ts";
import type { RunEvent } from "../../core/run-event.ts";
import { readLinesFrom } from "../../store/follow.ts";
import { parseEvent } from "../../store/read-events.ts";
import { eventsPath } from "../../store/run-directory.ts";

export interface LoggedCommand {
	readonly command: number;
	/** The id of the tool call. */
	readonly toolUseId?: string;
	/** The command's text in one line, cut. */
	readonly text: string;
	readonly log: string;
	readonly startedAt: number;
	readonly ended?: { readonly at: number; readonly end: CommandEnd; readonly outputBytes: number };
}

export class LoggedCommands {
	private readonly commands = new Map<number, LoggedCommand>();
	private readonly path: string;
	private readonly agent: AgentId;
	private position = 0;

	constructor(directory: string, agent: AgentId) {
		this.path = eventsPath(directory);
		this.agent = agent;
	}

	/** Reads the events that were written since the last call. Damaged lines are skipped; loading the run's state reports them. */
	refresh(): void {
		try {
			this.position = readLinesFrom(this.path, this.position, (lines) => {
				for (const line of lines) this.note(parseEvent(line));
			});
		} catch (error) {
			if (!(error instanceof AgentreeError)) throw error;
		}
	}

	/** The command with this number; undefined when the log does not have it. */
	of(command: number): LoggedCommand | undefined {
		return this.commands.get(command);
	}

	/** The newest command of the tool call. */
	ofCall(toolUseId: string): LoggedCommand | undefined {
		return this.all().findLast((command) => command.toolUseId === toolUseId);
	}

	all(): LoggedCommand[] {
		return [...this.commands.values()];
	}

	private note(event: RunEvent | undefined): void {
		if (event?.event === "command_started" && event.agent === this.agent) {
			const { command, text, log, at: startedAt, toolUseId } = event;
			this.commands.set(command, { command, text, log, startedAt, ...defined({ toolUseId }) });
		}
		if (event?.event !== "command_ended" || event.agent !== this.agent) return;
		const started = this.commands.get(event.command);
		if (started === undefined) return;
		const { at, end, outputBytes } = event;
		this.commands.set(event.command, { ...started, ended: { at, end, outputBytes } });
	}
}
