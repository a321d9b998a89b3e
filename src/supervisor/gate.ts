/**
 * Whether an agent's command may run: as rules say, and a person where they ask. What is not to run is refused in words that
 * are for the agent's model, which say that it was not done.
 */
import { type AgentId, isWithin } from "../core/agent.ts";
import { SKIPPED } from "../core/ask-mode.ts";
import type { Answer } from "../core/questions.ts";
import { BUILT_IN_RULES } from "../core/rules/built-in-rules.ts";
import { commandParts } from "../core/rules/command-parts.ts";
import { deletedOutside } from "../core/rules/deletes-outside.ts";
import { type Judgement, judgeCommand, type RuleSet } from "../core/rules/judge-command.ts";
import { lastingRule } from "../core/rules/lasting-rule.ts";
import { ruleSet } from "../core/rules/rule-set.ts";
import type { RunState } from "../core/run-state.ts";
import { saidNo } from "../core/said-no.ts";
import type { FromAgent } from "../protocol/agent-messages.ts";
import type { Watcher } from "../protocol/watcher-messages.ts";
import type { AgentRegistry } from "./agent-registry.ts";
import type { Questioner } from "./questioner.ts";
import type { RunSettings } from "./run-settings.ts";

type MayRun = Extract<FromAgent, { say: "may_run" }>;
type Asker = Pick<Watcher, "send">;

export interface GateDeps {
	registry: Pick<AgentRegistry, "get" | "send">;
	questioner: Pick<Questioner, "askAbout" | "closed">;
	settings: Pick<RunSettings, "asking" | "env">;
	run: () => RunState;
}

type Decided =
	| { readonly is: "run" }
	| { readonly is: "refuse"; readonly reason: string }
	| { readonly is: "ask"; readonly because: string };

export class Gate {
	private readonly deps: GateDeps;
	private readonly rules: readonly RuleSet[];
	private readonly askers = new Map<AgentId, Set<Asker>>();

	constructor(deps: GateDeps) {
		this.deps = deps;
		this.rules = [BUILT_IN_RULES, ...(deps.settings.asking?.rules ?? []).map(ruleSet)];
	}

	ask(agent: AgentId, { call, command }: MayRun): void {
		const permit = (refusal?: string) =>
			this.deps.registry.send(agent, { say: "permit", call, ...(refusal !== undefined && { refusal }) });
		const directory = this.deps.registry.get(agent)?.file.cwd ?? "/";
		const rules = [...this.rules, ...this.grantsOf(agent)];
		const decided = this.decide(command, directory, rules);
		if (decided.is === "run") return permit();
		if (decided.is === "refuse") return permit(decided.reason);
		const { mode, waits } = this.deps.settings.asking ?? {};
		if (mode === "never" || waits !== true)
			return permit(notDone(`a person would have to allow it (${decided.because}), and nobody can be asked`));
		const rule = lastingRule(command, rules);
		const what = { is: "command", command, directory, because: decided.because, ...(rule && { rule }) } as const;
		const asker: Asker = {
			send: (message) => {
				if (message.say === "asked") return;
				this.askers.get(agent)?.delete(asker);
				if (message.say === "answered") permit(refusalBy(message.answer));
				else if (message.say === "unanswered" || message.say === "refused") permit(notDone(message.reason));
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

	/** Why the rules forbid the command, wherever it would run. */
	denialOf(command: string): string | undefined {
		const judged = judgeCommand(commandParts(command), this.rules);
		return judged.is === "denied" ? denied(judged) : undefined;
	}

	private decide(command: string, directory: string, rules: readonly RuleSet[]): Decided {
		const parts = commandParts(command);
		const judged = judgeCommand(parts, rules);
		const { asking, env } = this.deps.settings;
		const isSkipped = asking?.mode === SKIPPED;
		switch (judged.is) {
			case "denied":
				return { is: "refuse", reason: denied(judged) };
			case "asks":
				return isSkipped ? { is: "run" } : { is: "ask", because: whyAsked(judged) };
			case "allowed":
				return { is: "run" };
			case "unnamed": {
				if (isSkipped) return { is: "run" };
				const within = [this.deps.run().cwd, directory, "/tmp"];
				const outside = deletedOutside(parts.parts, { directory, home: env.HOME ?? "/", within });
				if (outside !== undefined) return { is: "ask", because: `it deletes outside of the work tree: ${outside}` };
				if (asking?.mode !== "always") return { is: "run" };
				const unread = judged.unread === undefined ? "" : `; not all of it can be read: ${judged.unread}`;
				return { is: "ask", because: `no rule allows ${judged.part || "it"}${unread}` };
			}
		}
	}

	/** What a person has allowed the agent, or one above it. */
	private grantsOf(agent: AgentId): RuleSet[] {
		const { grants = [] } = this.deps.run();
		const inside = grants.filter((grant) => isWithin(agent, grant.agent) && grant.outsideIn === undefined);
		const allow = inside.map(({ rule }) => rule);
		return allow.length === 0 ? [] : [ruleSet({ source: "an answer", allow, ask: [], deny: [] })];
	}
}

type Asking = Exclude<Judgement, { is: "allowed" | "unnamed" }>;

function whyAsked({ rule, source, part, mayBe }: Asking): string {
	return mayBe ? `it may be what the rule ${rule} of ${source} names: ${part}` : `the rule ${rule} of ${source}`;
}

function refusalBy(answer: Answer): string | undefined {
	const no = saidNo(answer);
	return no === undefined ? undefined : notDone(no);
}

function denied({ rule, source, part }: Asking): string {
	return notDone(`the rule ${rule} of ${source} denies ${part}`);
}

/** In words for the model. */
export function notDone(why: string): string {
	return `${why}. The command was NOT run and nothing of it was done: do not claim that it was, and do not do the same in another way`;
}
