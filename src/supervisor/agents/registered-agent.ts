/** An agent that has joined: what its file records, and the message that tells it so. */

import { defined } from "../../core/defined.ts";
import { AgentreeError } from "../../core/errors.ts";
import { limitReached } from "../../core/limits/limits.ts";
import { type AgentId, type Ending, parentOf } from "../../core/model/agent.ts";
import { DEFAULT_COMPACT_AT } from "../../core/model/model.ts";
import type { AgentFile } from "../../core/model/transcript.ts";
import { narrowedBy } from "../../core/rules/narrowing.ts";
import type { RunState } from "../../core/run/run-state.ts";
import { worktreeOf } from "../../core/run/worktrees.ts";
import { factsOf } from "../../models/catalogue.ts";
import { windowTokens } from "../../models/provider/model-facts.ts";
import { noticeOfUncommitted } from "../../view/words/worktrees.ts";
import type { Join, Joined, Resumed } from "../../wire/agent-messages.ts";
import type { RunSettings } from "../../wire/supervise-order.ts";
import { promptBytes } from "../conversations/conversation.ts";
import { systemPrompt } from "../conversations/system-prompt.ts";
import { isTalkedWith } from "../decide/listening.ts";
import type { RegisteredAgent } from "../run/agent-registry.ts";
import { type Confinements, mayAskToLeave } from "../sandboxes/confinements.ts";
import type { AgentInstructions } from "./agent-instructions.ts";
import { type RoleBounds, roleModel } from "./asked-role.ts";
import type { Surroundings } from "./surroundings.ts";

/** Model, effort and the appended prompt come from the parent unless the child asks for its own; a role does not. */
export function registeredAgent(
	id: AgentId,
	join: Join,
	token: string,
	context: {
		settings: RunSettings;
		run: RunState;
		parent: RegisteredAgent | undefined;
		agentInstructions: Pick<AgentInstructions, "of" | "role">;
		confinements: Pick<Confinements, "of">;
		surroundings: Pick<Surroundings, "of">;
		/** Of a child. */
		roleBounds?: RoleBounds | undefined;
	},
): RegisteredAgent {
	const { settings, run, parent, agentInstructions, confinements, surroundings, roleBounds } = context;
	const state = run.agents[id];
	const effort = join.effort ?? parent?.file.effort ?? settings.effort;
	const systemPrompt = join.systemPrompt ?? (parent === undefined ? settings.systemPrompt : undefined);
	const inherited = parent === undefined ? settings.appendSystemPrompt : parent.file.appendSystemPrompt;
	const appendSystemPrompt = join.appendSystemPrompt ?? inherited;
	const jsonSchema = join.jsonSchema ?? (parent === undefined ? settings.jsonSchema : undefined);
	const above = parent === undefined ? settings : parent.file;
	const withoutInstructions = join.withoutInstructions ?? above.withoutInstructions;
	const ofRoot = parent === undefined ? settings.asking?.narrowing : undefined;
	const limits = state?.limits ?? settings.limits;
	const worktree = worktreeOf(run, id);
	const compactAt = join.compactAt ?? parent?.compactAt ?? settings.compactAt ?? DEFAULT_COMPACT_AT;
	const file: AgentFile = {
		agent: id,
		run: settings.run,
		...defined({ parent: parent?.id }),
		task: join.task ?? settings.task,
		cwd: worktree?.cwd ?? join.cwd,
		model: state?.model ?? settings.model,
		...defined({ effort }),
		limits,
		system: "",
		...defined({
			systemPrompt,
			appendSystemPrompt,
			jsonSchema,
			worktree,
			surroundings: surroundings.of(worktree === undefined ? join.cwd : undefined, parent === undefined),
			withoutInstructions,
			...(withoutInstructions ? {} : agentInstructions.of(join.cwd, limits.maxDepth > 0)),
			...roleFacts(join, agentInstructions, roleBounds),
			sandbox: confinements.of(join, parent, worktree),
			asking: narrowedBy(join.asking ?? ofRoot, parent?.file.asking, settings.asking?.mode ?? "never"),
			compactAt: compactAt === DEFAULT_COMPACT_AT ? undefined : compactAt,
			windowTokens: state?.windowTokens,
		}),
		joinedAt: state?.joinedAt ?? 0,
	};
	return { id, token, file: withSystem(file, { run, asking: settings.asking }), compactAt };
}

/** Nothing for a role that is not there any more: of an agent that goes on, its own file has it. */
function roleFacts(
	join: Join,
	agentInstructions: Pick<AgentInstructions, "role">,
	bounds: RoleBounds | undefined,
): Pick<AgentFile, "role" | "rolePrompt" | "roleFile" | "roleNotices"> {
	const { role: name, cwd } = join;
	if (name === undefined) return {};
	try {
		const role = agentInstructions.role(name, cwd);
		const { text, path } = role;
		const { notice } = bounds === undefined || join.model !== undefined ? {} : roleModel(role, join, bounds);
		const notices = [...role.notices, ...(notice === undefined ? [] : [notice])];
		const roleNotices = notices.length === 0 ? undefined : notices;
		return { role: name, rolePrompt: text, ...defined({ roleFile: path, roleNotices }) };
	} catch (error) {
		if (error instanceof AgentreeError) return { role: name };
		throw error;
	}
}

/** What of the run its agents are told. */
interface PromptFacts {
	readonly run: Pick<RunState, "isConversation">;
	readonly asking: RunSettings["asking"] | undefined;
}

/** The file with the system prompt that follows from the rest of it. */
export function withSystem(file: AgentFile, { run, asking }: PromptFacts): AgentFile {
	const mayAsk = asking?.waits === true;
	const mayLeave = mayAskToLeave(file, asking);
	return { ...file, system: systemPrompt({ ...file, isTalkedWith: isTalkedWith(run, file.agent), mayAsk, mayLeave }) };
}

/** What bounds the context of an agent, as it is told. */
export function contextBounds(
	{ file, compactAt }: Pick<RegisteredAgent, "file" | "compactAt">,
	prices: RunSettings["prices"],
): Pick<Joined, "contextTokens" | "compactAt" | "promptBytes"> {
	const facts = factsOf(file.model, prices);
	return {
		contextTokens: windowTokens(facts),
		compactAt: facts.readsMessages ? compactAt : 0,
		promptBytes: promptBytes(file.system),
	};
}

/** The answer to the join of an admitted agent. */
export function joinedMessage(
	agent: RegisteredAgent,
	made: Pick<Joined, "directory" | "shimDirectory" | "pipes" | "sandbox"> & { readonly notices?: readonly string[] },
	{ settings, resumed }: { settings: RunSettings; resumed?: Resumed | undefined },
): Joined {
	const { file, token } = agent;
	const isNewChild = file.parent !== undefined && resumed === undefined; // who starts a run is told by the command
	const behind = isNewChild ? file.worktree && noticeOfUncommitted(file.worktree) : undefined;
	const { notices: given = [], ...places } = made;
	const isConversation = isTalkedWith(settings, agent.id);
	const notices = [...given, ...(behind === undefined ? [] : [behind])];
	return {
		say: "joined",
		run: settings.run,
		agent: agent.id,
		token,
		task: file.task,
		cwd: file.cwd,
		...places,
		...defined({ notices: notices.length === 0 ? undefined : notices }),
		home: settings.home,
		model: file.model,
		limits: file.limits,
		...contextBounds(agent, settings.prices),
		...defined({ commandFiles: settings.commandFiles, resumed }),
		...(file.jsonSchema !== undefined && { hasSchema: true }),
		...(isConversation && { isConversation }),
		...(isConversation &&
			(resumed === undefined ? file.task === "" : resumed.message === undefined) && { waits: true }),
		printsAnswer: parentOf(agent.id) !== undefined || settings.rootStdio === "inherit",
	};
}

/** The ending of an agent whose `max-time` is over. */
export function timeIsUp(agent: AgentId, maxTimeMs: number): Ending {
	return { by: "limit", ...limitReached("maxTimeMs", { most: maxTimeMs, holder: agent }) };
}
