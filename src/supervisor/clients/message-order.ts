/**
 * The order of an agent's messages after its join. It has one question open at a time; between two answers it records a few
 * entries, and starts no more commands than its last answer has calls. What no agent of ours would say is refused, before
 * anything is done about it. Pure.
 */
import type { FromAgent, Join, ToAgent } from "../../wire/agent-messages.ts";

const MAX_ENTRIES = 16; // between two questions; an agent records four at most

export class MessageOrder {
	private isAsking = false;
	/** It waits for a person, and asks nothing before the next reply. */
	private isWaiting = false;
	/** How many requests for its history it has not answered. */
	private histories = 0;
	/** Whatever comes after its `finish` is not heard: an agent that met a bug may still be at work. */
	hasFinished = false;
	private entries = 0;
	/** Calls of the newest answer that may still become commands. */
	private calls = 0;
	private mayRepeat = false;
	/** The highest number of a command so far, and what that was when the newest answer came. */
	private newest = 0;
	private newestBefore = 0;
	private readonly started = new Set<number>();
	private readonly running = new Set<number>();

	/** Hears each message to the agent. */
	sent(message: ToAgent): void {
		if (message.say === "history") this.histories += 1;
		if (message.say === "joined" || message.say === "reply") this.isWaiting = message.waits === true;
		if (message.say !== "reply" && message.say !== "summary" && message.say !== "over") return;
		this.isAsking = false;
		if (message.say !== "reply" || message.answer === undefined) return;
		this.calls = message.waits ? 0 : message.answer.content.filter(({ type }) => type === "tool_use").length;
		this.mayRepeat = this.calls > 0;
		this.newestBefore = this.newest;
		this.started.clear();
	}

	/** What is wrong with the message now; undefined when it comes in order, and then it counts. */
	refusal(message: Exclude<FromAgent, Join>): string | undefined {
		switch (message.say) {
			case "ask":
				return this.ask();
			case "record":
				this.entries += 1;
				return this.entries > MAX_ENTRIES ? `more than ${MAX_ENTRIES} entries between two questions` : undefined;
			case "command_started":
				return this.startedCommand(message.command);
			case "command_ended":
				return this.endedCommand(message.command);
			case "repeats":
				return this.repeated(message.command);
			case "history":
				this.histories -= 1;
				return this.histories < 0 ? "a history that nobody has asked for" : undefined;
			case "finish":
				this.hasFinished = true;
				return undefined;
		}
	}

	private ask(): string | undefined {
		if (this.isWaiting) return "a question before the message that it waits for";
		if (this.isAsking) return "a question while another one is open";
		if (this.running.size > 0) return "a question while commands are running";
		this.isAsking = true;
		this.entries = 0;
		return undefined;
	}

	private startedCommand(command: number): string | undefined {
		if (this.calls === 0) return "a command that no answer asks for";
		if (!Number.isSafeInteger(command) || command <= this.newestBefore || this.started.has(command))
			return `the start of command ${command}, which has started before`;
		this.calls -= 1;
		this.started.add(command);
		this.newest = Math.max(this.newest, command);
		this.running.add(command);
		return undefined;
	}

	/** One that could not be started ends without a start. */
	private endedCommand(command: number): string | undefined {
		if (this.running.delete(command)) return undefined;
		const hasNotStarted = this.startedCommand(command);
		this.running.delete(command);
		return hasNotStarted === undefined ? undefined : `the end of command ${command}, which is not running`;
	}

	private repeated(command: number): string | undefined {
		if (!this.mayRepeat || command > this.newest) return "repeats of a command that has not run";
		this.mayRepeat = false;
		return undefined;
	}
}
