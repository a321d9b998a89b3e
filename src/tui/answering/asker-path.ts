/** Who asks, as people know agents: `1 release › 1.2 linker (code)`. Pure. */
import { type AgentId, parentOf, withAncestors } from "../../core/model/agent.ts";
import type { Question } from "../../core/run/questions.ts";
import type { RunState } from "../../core/run/run-state.ts";
import { oneLine } from "../../text/safe/terminal-safe.ts";
import { agentNames } from "../../view/agents/agent-names.ts";

type Run = Pick<RunState, "agents">;

/** The agent with those above it, the root first. */
export function askerPath(run: Run, question: Question): string {
	return namesOf(run, question).toReversed().join(" › ");
}

/** For where it may be cut: the agent first, `1.2 linker (code) ‹ 1 release`. */
export function askerFirst(run: Run, question: Question): string {
	return namesOf(run, question).join(" ‹ ");
}

/** Made once for a question: each frame asks, and an agent may have thousands of siblings. */
const known = new WeakMap<Question, readonly string[]>();

function namesOf({ agents }: Run, question: Question): readonly string[] {
	const before = known.get(question);
	if (before !== undefined) return before;
	const names = withAncestors(question.agent).map((id) => namedAgent(agents, id));
	known.set(question, names);
	return names;
}

function namedAgent(agents: RunState["agents"], id: AgentId): string {
	const parent = parentOf(id);
	const siblings = Object.values(agents).filter((other) => parentOf(other.id) === parent);
	const name = agentNames(siblings).get(id) ?? "";
	const role = agents[id]?.role;
	return `${id}${name === "" ? "" : ` ${name}`}${role === undefined ? "" : ` (${oneLine(role)})`}`;
}
