/** An agent that has joined: what its file records, and the message that tells it so. */

import { existsSync, statSync } from "node:fs";
import { defined } from "../../core/defined.ts";
import { AgentreeError } from "../../core/errors.ts";
import { limitReached } from "../../core/limits/limits.ts";
import { type AgentId, type Ending, isOver, parentOf } from "../../core/model/agent.ts";
import { DEFAULT_COMPACT_AT } from "../../core/model/model.ts";
import { narrowedBy } from "../../core/rules/narrowing.ts";
import { worktreeOf } from "../../core/run/file-events.ts";
import { agentsInOrder, type RunState } from "../../core/run/run-state.ts";
import type { AgentFile } from "../../core/schemas/run-files.ts";
import { factsOf } from "../../models/catalogue.ts";
import { windowTokens } from "../../models/provider/model-facts.ts";
import { isTorn } from "../../record/files/json-lines.ts";
import { lastTextOf } from "../../record/read-events.ts";
import { readAgentFile } from "../../record/read-run.ts";
import { transcriptPath } from "../../record/run-directory.ts";
import { describeEnding } from "../../text/describe-ending.ts";
import { noticeOfUncommitted } from "../../view/words/worktrees.ts";
import type { EarlierChild, Join, Joined, Resumed } from "../../wire/agent-messages.ts";
import type { RunSettings } from "../../wire/supervise-order.ts";
import { promptBytes } from "../conversations/conversation.ts";
import { systemPrompt } from "../conversations/system-prompt.ts";
import type { Was } from "../decide/inputs-and-effects.ts";
import { isTalkedWith } from "../decide/listening.ts";
import type { RegisteredAgent } from "../run/agent-registry.ts";
import type { RunCore } from "../run/run-core.ts";
import { type Confinements, mayAskToLeave } from "../sandboxes/confinements.ts";
import type { AgentInstructions, Surroundings } from "./agent-instructions.ts";
import { type RoleBounds, roleModel } from "./asked-role.ts";

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

/** The files of an agent that is resumed, and what it is told about the time before. */

const MAX_WORDS = 50_000; // characters of one child's last words
const MAX_ALL_WORDS = 2_000_000; // characters of all children's, the newest first: the parent knows most of the older ones
const LEAST_WORDS = 4_000; // characters of each older child's when all that room is used

/**
 * agent.json without its end, with the model and the limits that hold now. When it cannot be read, `fallback` takes its place
 * and `damage` says so.
 */
export function reopenAgentFile(
	fallback: AgentFile,
	{ directory, run }: RunCore,
): { file: AgentFile; damage: string | undefined } {
	const { agent: id } = fallback;
	const agent = run.agents[id];
	const now = agent === undefined ? {} : { model: agent.model, limits: agent.limits };
	try {
		const { endedAt: _, ending: __, turns, commands, usage, costUsd, ...file } = readAgentFile(directory, id);
		return { file: { ...file, ...now }, damage: undefined };
	} catch (error) {
		if (!(error instanceof AgentreeError)) throw error;
		return { file: { ...fallback, ...now }, damage: `${error.message}; rebuilt` };
	}
}

interface ToldOnResume {
	message: string | undefined;
	/** The directory that it worked in, where that is another one now. */
	movedFrom?: string | undefined;
	hasNewTmp?: boolean;
	damage: readonly (string | undefined)[];
}

/** What the resumed agent is told. To be called before anything is appended to its transcript. */
export function resumedOf(
	id: AgentId,
	{ was, isAtRest, message, movedFrom, hasNewTmp, damage }: Was & ToldOnResume,
	{ directory, run }: RunCore,
): Resumed {
	const path = transcriptPath(directory, id);
	const missing = hasBytes(path)
		? undefined
		: `the transcript of agent ${id} is ${existsSync(path) ? "empty" : "missing"}: it now starts with its task (${path})`;
	const torn = isTorn(path) ? `the last line of agent ${id}'s transcript was torn, dropped` : undefined;
	return {
		reason: describeEnding(was),
		...(isAtRest && { isAtRest }),
		...(hasNewTmp && { hasNewTmp }),
		...defined({ message, movedFrom }),
		...(run.agents[id]?.messages !== undefined && { hasMessages: true }),
		children: earlierChildren(id, directory, run),
		damage: [...damage, missing, torn].filter((line) => line !== undefined),
	};
}

function hasBytes(path: string): boolean {
	return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

function earlierChildren(id: AgentId, directory: string, run: RunState): EarlierChild[] {
	let left = MAX_ALL_WORDS;
	const children = agentsInOrder(run).filter((agent) => parentOf(agent.id) === id);
	const newestFirst = children.reverse().map((child): EarlierChild => {
		const words = lastTextOf(directory, child.id);
		const lastWords = words.slice(0, Math.min(MAX_WORDS, Math.max(LEAST_WORDS, left))).toWellFormed();
		left -= lastWords.length;
		return {
			agent: child.id,
			task: child.task,
			lastWords,
			...defined({ characters: lastWords.length < words.length ? words.length : undefined }),
			transcript: transcriptPath(directory, child.id),
			hasAnswered: isOver(child) && child.state.ending.by === "answer",
			...defined({ command: child.command }),
		};
	});
	return newestFirst.reverse();
}
