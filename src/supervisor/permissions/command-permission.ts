/**
 * Whether an agent's command may run: as rules say, and a person where they ask. What is not to run is refused in words that
 * are for the agent's model, which say that it was not done.
 */

import { type ModeInForce, mayBeAsked, SKIPPED } from "../../core/ask-mode.ts";
import { defined } from "../../core/defined.ts";
import type { AgentId } from "../../core/model/agent.ts";
import { BASH, parseBashInput } from "../../core/model/bash-tool.ts";
import type { ToolUseBlock } from "../../core/model/message.ts";
import { decideCommand } from "../../core/rules/decide-command.ts";
import { allowingRules, lastingRule } from "../../core/rules/lasting-rule.ts";
import { type Answer, type Asked, saidNo } from "../../core/run/questions.ts";
import type { Watcher } from "../../wire/watcher-messages.ts";
import type { RepliesAwaitingSnapshot } from "../agents/file-snapshots.ts";
import type { RunCore } from "../run/run-core.ts";
import type { CommandPolicies } from "./command-policies.ts";
import type { Questioner } from "./questioner.ts";

const MAX_OPEN = 16; // questions of one agent about its commands, as many as it runs at once

export interface JudgedCalls {
	/** By the ids of the calls. */
	readonly refused: Record<string, string>;
	readonly unsure: { readonly call: string; readonly what: Asked }[];
}

type Asker = Pick<Watcher, "send">;

interface Parts {
	readonly answers: RepliesAwaitingSnapshot;
	readonly questioner: Questioner;
	readonly policies: CommandPolicies;
}

export class CommandPermission {
	private readonly core: RunCore;
	private readonly parts: Parts;
	private readonly askers = new Map<AgentId, Set<Asker>>();

	constructor(core: RunCore, parts: Parts) {
		this.core = core;
		this.parts = parts;
	}

	/** What is known of the calls of an answer: those that may not run, and why, and those that a person has to be asked about. */
	ofCalls(agent: AgentId, calls: readonly ToolUseBlock[]): JudgedCalls {
		const judged: JudgedCalls = { refused: {}, unsure: [] };
		for (const { id: call, name, input: given } of this.asksFirst(agent) ? calls : []) {
			const input = name === BASH ? parseBashInput(given) : undefined;
			if (input?.is !== "command") continue; // the agent does not run it
			const decided = this.decide(agent, input.command);
			if (decided.is === "refused") judged.refused[call] = decided.reason;
			if (decided.is === "asked") judged.unsure.push({ call, what: decided.what });
		}
		return judged;
	}

	/** Asks a person about each, a few at a time, and tells the agent what they say. */
	ask(agent: AgentId, unsure: JudgedCalls["unsure"]): void {
		const left = [...unsure];
		const askNext = () => {
			const next = left.shift();
			if (next !== undefined) this.askOne(agent, next, askNext);
		};
		for (let open = 0; open < MAX_OPEN; open++) askNext();
	}

	private askOne(agent: AgentId, { call, what }: JudgedCalls["unsure"][number], then: () => void): void {
		const { questioner, answers } = this.parts;
		const asker: Asker = {
			send: (message) => {
				if (message.say !== "answered" && message.say !== "unanswered" && message.say !== "refused") return;
				if (!this.askers.get(agent)?.delete(asker)) return;
				const refusal = message.say === "answered" ? refusalBy(message.answer) : refused(message.reason);
				answers.send(agent, { say: "permit", call, ...defined({ refusal }) });
				then();
			},
		};
		this.askers.set(agent, (this.askers.get(agent) ?? new Set()).add(asker));
		questioner.askAbout(asker, { agent, what });
	}

	/** Without a rule nothing is refused in a run that skips permissions. */
	private asksFirst(agent: AgentId): boolean {
		const { registry, settings } = this.core;
		const { mode, rules } = settings.asking ?? {};
		if (registry.get(agent)?.file.asking !== undefined) return true;
		return mode !== undefined && (mode !== SKIPPED || rules !== undefined);
	}

	private decide(
		agent: AgentId,
		command: string,
	): { is: "run" } | { is: "refused"; reason: string } | { is: "asked"; what: Asked } {
		const { directory, ...policy } = this.parts.policies.of(agent);
		const decided = decideCommand(command, policy);
		if (decided.is === "run") return { is: "run" };
		const { because } = decided;
		if (decided.is === "refused") return { is: "refused", reason: refused(because) };
		const { waits = false, project: ofProject } = this.core.settings.asking ?? {};
		if (!mayBeAsked({ waits, mode: policy.mode }))
			return { is: "refused", reason: refused(this.nobodyAsked(because, allowingRules(command, policy))) };
		const rule = lastingRule(command, policy);
		const project = ofProject?.root;
		const lasting = rule === undefined ? {} : { rule, ...defined({ project }) };
		return { is: "asked", what: { is: "command", command, directory, because, ...lasting } };
	}

	/** The agent was interrupted, and continues without the commands that it has asked about. */
	forget(agent: AgentId): void {
		const askers = this.askers.get(agent) ?? [];
		this.askers.delete(agent);
		for (const asker of askers) this.parts.questioner.closed(asker);
	}

	modeOf(agent: AgentId): ModeInForce {
		return this.parts.policies.of(agent).mode;
	}

	private nobodyAsked(because: string, rules: readonly string[]): string {
		const isWaiting = this.core.settings.asking?.waits === true;
		const why = isWaiting ? "with --ask never, nobody is asked" : "nobody can be asked in this run";
		const options = rules.map((rule) => `--allow '${rule.replaceAll("'", "'\\''")}'`).join(" ");
		const allows =
			rules.length === 0 ? [] : [`allow it with ${options}${rules[0] === "Bash" ? ", like any command" : ""}`];
		const remedies = [...allows, ...(isWaiting ? [] : ["start the run with --ask-wait to be asked"])];
		const remedy = remedies.length === 0 ? "" : `; whoever starts the run can ${remedies.join(", or ")}`;
		return `a person must allow it (${because}), but ${why}${remedy}`;
	}

	/** Why the rules forbid the agent the command, wherever it would run. */
	denialOf(agent: AgentId, command: string): string | undefined {
		const decided = decideCommand(command, this.parts.policies.of(agent));
		return decided.is === "refused" ? notDone(decided.because) : undefined;
	}
}

function refusalBy(answer: Answer): string | undefined {
	const no = saidNo(answer);
	return no === undefined ? undefined : refused(no);
}

const NO_CLAIM = "do not claim that it was done, and do not try to do it another way";

/** In words for the model, behind `Not run: `. The first line is for people, too. */
function refused(why: string): string {
	return `${why}\nNone of it was done: ${NO_CLAIM}`;
}

/** In words for the model. */
export function notDone(why: string): string {
	return `${why}. The command was NOT run and none of it was done: ${NO_CLAIM}`;
}
