/** An agent that is admitted: what it is told, and what is written down about it. */
import { type Agent, type AgentId, type Ending, parentOf } from "../core/agent.ts";
import { defined } from "../core/defined.ts";
import { limitReached } from "../core/limits.ts";
import type { RunState } from "../core/run-state.ts";
import type { AgentFile, TranscriptEntry } from "../core/transcript.ts";
import { factsOf } from "../models/catalogue.ts";
import { windowTokens } from "../models/provider/model-facts.ts";
import type { FromAgent, Join, Joined, Resumed } from "../protocol/agent-messages.ts";
import type { RunSettings } from "./run-settings.ts";

const COMPACT_AT = 0.8;

/** An agent as the supervisor knows it beside the run's state. */
export interface Member {
	readonly id: AgentId;
	readonly token: string;
	readonly file: AgentFile;
	readonly compactAt: number;
}

/** Model, effort and the appended prompt come from the parent unless the child asks for its own. */
export function memberOf(
	id: AgentId,
	join: Join,
	token: string,
	facts: { settings: RunSettings; run: RunState; parent: Member | undefined },
): Member {
	const { settings, run, parent } = facts;
	const agent = run.agents[id];
	const effort = join.effort ?? parent?.file.effort ?? settings.effort;
	const systemPrompt = join.systemPrompt ?? (parent === undefined ? settings.systemPrompt : undefined);
	const inherited = parent === undefined ? settings.appendSystemPrompt : parent.file.appendSystemPrompt;
	const appendSystemPrompt = join.appendSystemPrompt ?? inherited;
	const compactAt = join.compactAt ?? parent?.compactAt ?? settings.compactAt ?? COMPACT_AT;
	const file: AgentFile = {
		agent: id,
		run: settings.run,
		...defined({ parent: parent?.id }),
		task: join.task ?? settings.task,
		cwd: join.cwd,
		model: agent?.model ?? settings.model,
		...defined({ effort }),
		limits: agent?.limits ?? settings.limits,
		system: "",
		...defined({
			systemPrompt,
			appendSystemPrompt,
			compactAt: compactAt === COMPACT_AT ? undefined : compactAt,
			windowTokens: agent?.windowTokens,
		}),
		joinedAt: agent?.joinedAt ?? 0,
	};
	return {
		id,
		token,
		file,
		compactAt,
	};
}

export function joinedMessage(
	member: Member,
	directories: { agent: string; shim: string },
	{ settings, resumed }: { settings: RunSettings; resumed?: Resumed | undefined },
): Joined {
	const { file, token } = member;
	const model = factsOf(file.model, settings.prices);
	const { systemPrompt, appendSystemPrompt } = file;
	return {
		say: "joined",
		run: settings.run,
		agent: member.id,
		token,
		task: file.task,
		cwd: file.cwd,
		directory: directories.agent,
		shimDirectory: directories.shim,
		home: settings.home,
		model: file.model,
		limits: file.limits,
		contextTokens: windowTokens(model),
		compactAt: model.readsMessages ? member.compactAt : 0,
		...defined({ commandFiles: settings.commandFiles, systemPrompt, appendSystemPrompt, resumed }),
		...(model.answersBytes && { answersBytes: true }),
		printsAnswer: parentOf(member.id) !== undefined || settings.rootStdio === "inherit",
	};
}

export function timeIsUp(agent: AgentId, maxTimeMs: number): Ending {
	return { by: "limit", ...limitReached("maxTimeMs", { most: maxTimeMs, holder: agent }) };
}

/** A note of an agent does not know how its calls were counted. */
export function withTurn(entry: Recorded, agent: Agent | undefined): TranscriptEntry {
	return entry.role === "note" ? { ...entry, turn: agent?.turns ?? 0 } : entry;
}

type Recorded = Extract<FromAgent, { say: "record" }>["entry"];
