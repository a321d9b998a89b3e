/** What a person asks for who talks with the root of a conversation: to interrupt it, to take a message back, to change it, to be done. */
import { isOver, ROOT } from "../../core/model/agent.ts";
import { withoutUndo } from "../../core/model/told-message.ts";
import { branchOf } from "../../core/run/agent-index.ts";
import { newestOfPerson } from "../../core/run/waiting-messages.ts";
import { oneLine } from "../../text/safe/terminal-safe.ts";
import type { TalkRequest, Watcher } from "../../wire/watcher-messages.ts";
import type { AgentSettings } from "../agents/agent-settings.ts";
import { compactRefusal } from "../decide/changes.ts";
import { closeRefusal, interruptedAt, interruptRefusal } from "../decide/listening.ts";
import type { RunCore } from "../run/run-core.ts";
import type { AttachedChats } from "./attached-chats.ts";
import type { Contexts } from "./contexts.ts";
import type { SideQuestions } from "./side-questions.ts";

interface ChatParts {
	readonly agentSettings: AgentSettings;
	readonly sideQuestions: SideQuestions;
	readonly contexts: Contexts;
	readonly attachedChats: AttachedChats;
}

export class ChatRequests {
	private readonly core: RunCore;
	private readonly parts: ChatParts;

	constructor(core: RunCore, parts: ChatParts) {
		this.core = core;
		this.parts = parts;
	}

	handle(watcher: Watcher, request: Exclude<TalkRequest, { say: "name" }>): void {
		switch (request.say) {
			case "interrupt":
				return this.interrupt(watcher, request.agent);
			case "withdraw":
				return this.withdraw(watcher, request.agent);
			case "close":
				return this.close(watcher);
			case "hang_up":
				return this.hangUp(watcher, request);
			case "compact":
				return this.compact(watcher, request);
			case "change":
				return void this.parts.agentSettings.handle(watcher, request);
			case "aside":
				return void this.parts.sideQuestions.handle(watcher, request);
			case "context":
				return void this.parts.contexts.handle(watcher, request);
		}
	}

	private interrupt(watcher: Pick<Watcher, "send">, agent: string): void {
		const { core } = this;
		const reason = interruptRefusal(core.state, agent);
		if (reason !== undefined) return watcher.send({ say: "refused", reason });
		const was = interruptedAt(core.state, agent);
		core.dispatch({ is: "interrupt_asked", agent });
		watcher.send({ say: "interrupted", agent, was });
	}

	private withdraw(watcher: Pick<Watcher, "send">, agent: string): void {
		const { core } = this;
		const asked = core.run.agents[agent];
		const messages = asked === undefined || isOver(asked) ? [] : (asked.messages ?? []);
		const newest = messages[newestOfPerson(messages)];
		if (newest === undefined)
			return watcher.send({ say: "refused", reason: `no message of yours is queued for agent ${agent}` });
		core.dispatch({ is: "withdraw_asked", agent });
		watcher.send({ say: "withdrawn", agent, text: withoutUndo(newest.text) });
	}

	private compact(watcher: Pick<Watcher, "send">, { agent, keep }: Extract<TalkRequest, { say: "compact" }>): void {
		const { core } = this;
		const reason = compactRefusal(core.state, agent);
		if (reason !== undefined) return watcher.send({ say: "refused", reason });
		core.conversations.get(agent)?.allowSummary(keep);
		core.dispatch({ is: "compact_asked", agent });
		watcher.send({ say: "compacting", agent });
	}

	/** Decided here, since whoever hangs up may not have heard yet what goes on, and who else talks. */
	private hangUp(watcher: Watcher, { reason, signal }: Extract<TalkRequest, { say: "hang_up" }>): void {
		const { core } = this;
		if (this.parts.attachedChats.isBeside(watcher)) return;
		const isQuiet = closeRefusal(core.state) === undefined && branchOf(core.run.agents, ROOT).living === 1;
		if (isQuiet) core.dispatch({ is: "close_asked", agent: ROOT });
		else core.stopRun({ by: "stopped", reason: oneLine(reason), signal }, false);
	}

	/** Answered by the end of the run. */
	private close(watcher: Pick<Watcher, "send">): void {
		const { core } = this;
		const reason = closeRefusal(core.state);
		if (reason !== undefined) return watcher.send({ say: "refused", reason });
		core.dispatch({ is: "close_asked", agent: ROOT });
	}
}
