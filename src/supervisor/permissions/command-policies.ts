/** What decides about the commands of each agent: the mode, the rules in the order of what they count, and where it may delete. */

import { type AgentId, isWithin } from "../../core/model/agent.ts";
import { BUILT_IN_RULES } from "../../core/rules/built-in-rules.ts";
import type { Policy } from "../../core/rules/decide-command.ts";
import { modeBelow, type Narrowing } from "../../core/rules/narrowing.ts";
import { type RuleSet, ruleSet } from "../../core/rules/rule.ts";
import type { AgentFile } from "../../core/schemas/run-files.ts";
import { personOf, projectOf } from "../../project/project-of.ts";
import { realPath } from "../../record/files/regular-file.ts";
import type { RunCore } from "../run/run-core.ts";

type Bounds = Pick<AgentFile, "cwd" | "sandbox" | "asking">;

export class CommandPolicies {
	private readonly core: RunCore;
	private readonly rules: readonly RuleSet[];
	private readonly deletable = new Map<string, readonly string[]>();

	constructor(core: RunCore) {
		this.core = core;
		this.rules = [BUILT_IN_RULES, ...(core.settings.asking?.rules ?? []).map(ruleSet)];
	}

	/** `directory`: where the agent's commands start. */
	of(agent: AgentId): Policy & { readonly directory: string } {
		const { registry, run } = this.core;
		const { asking, env } = this.core.settings;
		const { cwd: directory, sandbox, asking: narrowing }: Bounds = registry.get(agent)?.file ?? { cwd: run.cwd };
		const deletes = { directory, home: env.HOME ?? "/", within: this.within(directory) };
		return {
			...{ directory, mode: modeBelow(asking?.mode ?? "never", narrowing?.mode) },
			rules: [...this.rules, ...ofAgent(narrowing), ...this.grantsOf(agent)],
			deletes: sandbox === undefined ? deletes : undefined,
		};
	}

	private within(directory: string): readonly string[] {
		const { settings, run } = this.core;
		const known = this.deletable.get(directory) ?? deletableDirectories([run.cwd, directory], settings.env);
		this.deletable.set(directory, known);
		return known;
	}

	/** What a person has allowed the agent, or one above it. */
	private grantsOf(agent: AgentId): RuleSet[] {
		const { grants = [] } = this.core.run;
		const inside = grants.filter((grant) => isWithin(agent, grant.agent) && grant.outsideIn === undefined);
		const allow = inside.map(({ rule }) => rule);
		return allow.length === 0 ? [] : [ruleSet({ source: "an answer", allow, ask: [], deny: [] })];
	}
}

function ofAgent(narrowing: Narrowing | undefined): RuleSet[] {
	return narrowing === undefined
		? []
		: [ruleSet({ source: "what the agent was started with", allow: [], ...narrowing })];
}

/** Of what is not to stay. */
const TEMPORARY = ["/tmp", "/var/tmp", "/dev/shm"];

/** By all names that they have: the run's directory and its project, the agent's, and those for temporary files. */
/** The directories in which agents without a sandbox may delete without a question. */
function deletableDirectories(
	cwds: readonly string[],
	env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
	const person = personOf(env);
	const tops = cwds.flatMap((cwd) => projectOf(cwd, person)?.top ?? []);
	const all = [...cwds, ...tops, ...TEMPORARY, ...(env.TMPDIR ? [env.TMPDIR] : [])];
	return [...new Set(all.flatMap((path) => [path, realPath(path) ?? path]))];
}
