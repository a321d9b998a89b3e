/** What a person asks for who talks with the root of a conversation: to interrupt it, to take a message back, to change it, to be done. */
import { type Ending, isOver, ROOT } from "../../core/model/agent.ts";
import { withoutUndo } from "../../core/model/told-message.ts";
import { branchOf } from "../../core/run/agent-index.ts";
import { newestOfPerson } from "../../core/run/waiting-messages.ts";
import { oneLine } from "../../text/safe/terminal-safe.ts";
import type { TalkRequest, Watcher } from "../../wire/watcher-messages.ts";
import type { AgentSettings } from "../agents/agent-settings.ts";
import type { Conversations } from "../conversations/conversations.ts";
import { compactRefusal } from "../decide/changes.ts";
import type { Input } from "../decide/input.ts";
import { closeRefusal, interruptedAt, interruptRefusal } from "../decide/listening.ts";
import type { SupervisorState } from "../decide/supervisor-state.ts";
import type { AttachedChats } from "./attached-chats.ts";
import type { Contexts } from "./contexts.ts";
import type { SideQuestions } from "./side-questions.ts";

export interface ChatRequestsDeps {
	agentSettings: Pick<AgentSettings, "handle">;
	sideQuestions: Pick<SideQuestions, "handle">;
	contexts: Pick<Contexts, "handle">;
	conversations: Pick<Conversations, "get">;
	attachedChats: Pick<AttachedChats, "isBeside">;
	stopRun: (ending: Ending, isHurry: boolean) => void;
	dispatch: (input: Input) => void;
	state: () => SupervisorState;
}

export class ChatRequests {
	private readonly deps: ChatRequestsDeps;

	constructor(deps: ChatRequestsDeps) {
		this.deps = deps;
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
				return void this.deps.agentSettings.handle(watcher, request);
			case "aside":
				return void this.deps.sideQuestions.handle(watcher, request);
			case "context":
				return void this.deps.contexts.handle(watcher, request);
		}
	}

	private interrupt(watcher: Pick<Watcher, "send">, agent: string): void {
		const { state, dispatch } = this.deps;
		const reason = interruptRefusal(state(), agent);
		if (reason !== undefined) return watcher.send({ say: "refused", reason });
		const was = interruptedAt(state(), agent);
		dispatch({ is: "interrupt_asked", agent });
		watcher.send({ say: "interrupted", agent, was });
	}

	private withdraw(watcher: Pick<Watcher, "send">, agent: string): void {
		const { state, dispatch } = this.deps;
		const asked = state().run.agents[agent];
		const messages = asked === undefined || isOver(asked) ? [] : (asked.messages ?? []);
		const newest = messages[newestOfPerson(messages)];
		if (newest === undefined)
			return watcher.send({ say: "refused", reason: `no message of yours is queued for agent ${agent}` });
		dispatch({ is: "withdraw_asked", agent });
		watcher.send({ say: "withdrawn", agent, text: withoutUndo(newest.text) });
	}

	private compact(watcher: Pick<Watcher, "send">, { agent, keep }: Extract<TalkRequest, { say: "compact" }>): void {
		const { state, dispatch, conversations } = this.deps;
		const reason = compactRefusal(state(), agent);
		if (reason !== undefined) return watcher.send({ say: "refused", reason });
		conversations.get(agent)?.allowSummary(keep);
		dispatch({ is: "compact_asked", agent });
		watcher.send({ say: "compacting", agent });
	}

	/** Decided here, since whoever hangs up may not have heard yet what goes on, and who else talks. */
	private hangUp(watcher: Watcher, { reason, signal }: Extract<TalkRequest, { say: "hang_up" }>): void {
		const { state, dispatch, attachedChats, stopRun } = this.deps;
		if (attachedChats.isBeside(watcher)) return;
		const isQuiet = closeRefusal(state()) === undefined && branchOf(state().run.agents, ROOT).living === 1;
		if (isQuiet) dispatch({ is: "close_asked", agent: ROOT });
		else stopRun({ by: "stopped", reason: oneLine(reason), signal }, false);
	}

	/** Answered by the end of the run. */
	private close(watcher: Pick<Watcher, "send">): void {
		const { state, dispatch } = this.deps;
		const reason = closeRefusal(state());
		if (reason !== undefined) return watcher.send({ say: "refused", reason });
		dispatch({ is: "close_asked", agent: ROOT });
	}
}
