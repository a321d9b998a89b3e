/**
 * Whether an agent's command may run: as rules say, and a person where they ask. What is not to run is refused in words that
 * are for the agent's model, which say that it was not done.
 */

import { type ModeInForce, mayBeAsked } from "../../core/ask-mode.ts";
import { defined } from "../../core/defined.ts";
import type { AgentId } from "../../core/model/agent.ts";
import { decideCommand } from "../../core/rules/decide-command.ts";
import { allowingRules, lastingRule } from "../../core/rules/lasting-rule.ts";
import type { Answer } from "../../core/run/questions.ts";
import { saidNo } from "../../core/said-no.ts";
import type { FromAgent } from "../../wire/agent-messages.ts";
import type { Watcher } from "../../wire/watcher-messages.ts";
import type { AgentPolicies } from "../agents/agent-policies.ts";
import type { AgentRegistry } from "../agents/agent-registry.ts";
import type { RunSettings } from "../run-settings.ts";
import type { Questioner } from "./questioner.ts";

type MayRun = Extract<FromAgent, { say: "may_run" }>;
type Asker = Pick<Watcher, "send">;

export interface CommandPermissionDeps {
	registry: Pick<AgentRegistry, "send">;
	questioner: Pick<Questioner, "askAbout" | "closed">;
	settings: Pick<RunSettings, "asking">;
	policies: Pick<AgentPolicies, "of">;
}

export class CommandPermission {
	private readonly deps: CommandPermissionDeps;
	private readonly askers = new Map<AgentId, Set<Asker>>();

	constructor(deps: CommandPermissionDeps) {
		this.deps = deps;
	}

	ask(agent: AgentId, { call, command }: MayRun): void {
		const permit = (refusal?: string) =>
			this.deps.registry.send(agent, { say: "permit", call, ...(refusal !== undefined && { refusal }) });
		const { directory, ...policy } = this.deps.policies.of(agent);
		const decided = decideCommand(command, policy);
		if (decided.is === "run") return permit();
		const { because } = decided;
		if (decided.is === "refused") return permit(refused(because));
		const { waits = false, project: ofProject } = this.deps.settings.asking ?? {};
		if (!mayBeAsked({ waits, mode: policy.mode }))
			return permit(refused(this.nobodyAsked(because, allowingRules(command, policy))));
		const rule = lastingRule(command, policy);
		const project = ofProject?.root;
		const lasting = rule === undefined ? {} : { rule, ...defined({ project }) };
		const what = { is: "command", command, directory, because, ...lasting } as const;
		const asker: Asker = {
			send: (message) => {
				if (message.say === "asked") return;
				this.askers.get(agent)?.delete(asker);
				if (message.say === "answered") permit(refusalBy(message.answer));
				else if (message.say === "unanswered" || message.say === "refused") permit(refused(message.reason));
			},
		};
		this.askers.set(agent, (this.askers.get(agent) ?? new Set()).add(asker));
		this.deps.questioner.askAbout(asker, { agent, what });
	}

	/** The agent goes on without the commands that it has asked about: it was interrupted. */
	forget(agent: AgentId): void {
		const askers = this.askers.get(agent) ?? [];
		this.askers.delete(agent);
		for (const asker of askers) this.deps.questioner.closed(asker);
	}

	modeOf(agent: AgentId): ModeInForce {
		return this.deps.policies.of(agent).mode;
	}

	private nobodyAsked(because: string, rules: readonly string[]): string {
		const isWaiting = this.deps.settings.asking?.waits === true;
		const why = isWaiting ? "with --ask never nobody is asked" : "nobody can be asked in this run";
		const options = rules.map((rule) => `--allow '${rule.replaceAll("'", "'\\''")}'`).join(" ");
		const allows =
			rules.length === 0 ? [] : [`allows it with ${options}${rules[0] === "Bash" ? ", as any command" : ""}`];
		const remedies = [...allows, ...(isWaiting ? [] : ["is asked with --ask-wait"])];
		const remedy = remedies.length === 0 ? "" : `; who starts the run ${remedies.join(", or ")}`;
		return `a person would have to allow it (${because}), and ${why}${remedy}`;
	}

	/** Why the rules forbid the agent the command, wherever it would run. */
	denialOf(agent: AgentId, command: string): string | undefined {
		const decided = decideCommand(command, this.deps.policies.of(agent));
		return decided.is === "refused" ? notDone(decided.because) : undefined;
	}
}

function refusalBy(answer: Answer): string | undefined {
	const no = saidNo(answer);
	return no === undefined ? undefined : refused(no);
}

const NO_CLAIM = "do not claim that it was, and do not do the same in another way";

/** In words for the model, behind `Not run: `. The first line is for people, too. */
function refused(why: string): string {
	return `${why}\nNothing of it was done: ${NO_CLAIM}`;
}

/** In words for the model. */
export function notDone(why: string): string {
	return `${why}. The command was NOT run and nothing of it was done: ${NO_CLAIM}`;
}
