/**
 * The commands of an agent as they go on: each is told when it starts, its output as it grows, and its end. Where an answer has
 * several, their lines carry the commands' numbers. Pure.
 */

import { formatBytes } from "../../../core/bytes.ts";
import type { AssistantBlock, ToolUseBlock } from "../../../core/model/message.ts";
import type { RunEvent } from "../../../core/run/run-event.ts";
import { oneLine } from "../../../text/safe/terminal-safe.ts";
import { commandText } from "../../../text/tool-call.ts";
import type { ToldCommand } from "../../../view/agent-story.ts";
import type { OutputPart } from "../../../view/follow/command-outputs.ts";
import type { CommandSpan } from "../../../view/timeline.ts";
import { callLines, commandLines, endLines, resultLines } from "../command-lines.ts";
import { rowsOf } from "../rows.ts";
import type { StoryView } from "../story-view.ts";

type Started = Extract<RunEvent, { event: "command_started" }>;
type Ended = Extract<RunEvent, { event: "command_ended" }>;

const INDENT = "    ";

interface LiveCommand {
	readonly log: string;
	/** The margin of its lines. */
	readonly margin: string;
	/** All that it printed was told. */
	isTold: boolean;
	hasEnded: boolean;
}

export class LiveCommands {
	private readonly view: StoryView;
	private readonly spanOf: (command: number) => CommandSpan | undefined;
	private readonly live = new Map<number, LiveCommand>();
	private calls: readonly ToolUseBlock[] = [];

	/** `spanOf`: the command as the events so far tell it. */
	constructor(view: StoryView, spanOf: (command: number) => CommandSpan | undefined) {
		this.view = view;
		this.spanOf = spanOf;
	}

	answered(content: readonly AssistantBlock[]): void {
		this.calls = content.filter((block) => block.type === "tool_use");
	}

	started({ command, toolUseId, text, log }: Pick<Started, "command" | "toolUseId" | "text" | "log">): string[] {
		const call = this.calls.find(({ id }) => id === toolUseId);
		return this.begin({ command, text: call === undefined ? text : commandText(call), log }, this.calls.length > 1);
	}

	/** A command that runs when all that is recorded was told. `isOneOfSeveral`: its lines carry its number. */
	begin({ command, text, log }: { command: number; text: string; log: string }, isOneOfSeveral: boolean): string[] {
		const number = String(command).padStart(2);
		this.live.set(command, { log, margin: isOneOfSeveral ? `${number}| ` : INDENT, isTold: false, hasEnded: false });
		return callLines(text, this.view, isOneOfSeveral ? `${number}$ ` : "$ ");
	}

	output({ command, skipped, lines }: OutputPart): string[] {
		const { columns, paint, pathOf } = this.view;
		const live = this.live.get(command);
		if (live === undefined) return [];
		const { margin, log } = live;
		const left = skipped === 0 ? [] : [paint.dim(`${margin}… ${formatBytes(skipped)} left out: ${pathOf(log)}`)];
		const rows = lines.flatMap((line) => {
			const rowed = rowsOf(line, { columns, first: margin, more: margin });
			return rowed.length === 0 ? [margin.trimEnd()] : rowed;
		});
		return [...left, ...rows];
	}

	/** `isTold`: its output was told, as far as there was any. */
	ended(event: Ended, isTold: boolean): string[] {
		const { command, end, outputBytes, leftRunning } = event;
		const live = this.live.get(command);
		if (live !== undefined) Object.assign(live, { isTold, hasEnded: true });
		const span = this.spanOf(command);
		const told = {
			callId: undefined,
			text: undefined,
			command,
			end,
			span,
			outputBytes,
			log: live?.log,
			result: undefined,
		};
		const left = leftRunning.map(({ pid, name }) => `${oneLine(name)} (${pid})`).join(", ");
		return endLines(told, this.view, left === "" ? [] : [`left running: ${left}`]);
	}

	/** A command that has ended, and that was told with its end and its output. */
	known({ command, log }: Pick<CommandSpan, "command" | "log">): void {
		this.live.set(command, { log, margin: INDENT, isTold: true, hasEnded: true });
	}

	/** Of a command that was told while it ran only what could not be told then. */
	result(told: ToldCommand): string[] {
		const live = told.command === undefined ? undefined : this.live.get(told.command);
		if (told.command === undefined || live === undefined) return commandLines(told, this.view);
		this.live.delete(told.command);
		return live.isTold ? [] : resultLines(told.result ?? "", told, this.view);
	}

	/** A command that has no result, when its agent is over: of one that was told, how it ended, if nobody has said that. */
	rest(told: ToldCommand): string[] {
		const live = told.command === undefined ? undefined : this.live.get(told.command);
		if (live === undefined) return commandLines(told, { ...this.view, isOver: true });
		return live.hasEnded ? [] : endLines(told, { ...this.view, isOver: true });
	}
}
