/** Join requests that are not decided yet. An admitted process becomes a registered agent, a refused one is told why. */

import { createHash } from "node:crypto";
import { defined } from "../../core/defined.ts";
import { AgentreeError } from "../../core/errors.ts";
import type { AgentId } from "../../core/model/agent.ts";
import { type Agent, isOver, parentOf, ROOT } from "../../core/model/agent.ts";
import { faultOf } from "../../core/rules/narrowing.ts";
import { branchOf } from "../../core/run/agent-index.ts";
import type { RunState } from "../../core/run/run-state.ts";
import type { AgentFile } from "../../core/schemas/run-files.ts";
import type { ResumeNote } from "../../core/schemas/transcript.ts";
import { factsOf } from "../../models/catalogue.ts";
import { readableAgentFile } from "../../record/read-run.ts";
import { describeSandbox } from "../../view/words/sandbox.ts";
import type { Join, Resumed, ToAgent } from "../../wire/agent-messages.ts";
import { answerCheck } from "../conversations/check-answer.ts";
import type { ReplyFacts } from "../conversations/replies.ts";
import type { EffectOf, Input, ResolvedParent, Was } from "../decide/inputs-and-effects.ts";
import { isTalkedWith } from "../decide/listening.ts";
import { readDescriptors, tooManyOpen } from "../processes/machine-resources.ts";
import type { PipeStock } from "../processes/pipe-stock.ts";
import type { AgentConnection, RegisteredAgent } from "../run/agent-registry.ts";
import type { RunCore } from "../run/run-core.ts";
import type { Confinements } from "../sandboxes/confinements.ts";
import type { Sandboxes } from "../sandboxes/sandboxes.ts";
import { joinedMessage, registeredAgent, reopenAgentFile, resumedOf, withSystem } from "./agent-file.ts";
import type { AgentInstructions, Surroundings } from "./agent-instructions.ts";
import { askedModel, inRole, type RoleBounds } from "./asked-role.ts";
import type { UndoNotes } from "./mailbox.ts";
import type { Worktrees } from "./worktrees.ts";

const FIRST_PIPES = 2; // most agents run a command or two; what more needs is made while the model thinks

const UNKNOWN = "?"; // which agent a process is going to be

type Refused = Extract<ToAgent, { say: "refused" }>;

interface JoinParts {
	readonly agentInstructions: AgentInstructions;
	readonly surroundings: Surroundings;
	readonly worktrees: Worktrees;
	readonly pipeStock: PipeStock;
	readonly sandboxes: Sandboxes;
	readonly confinements: Confinements;
	readonly undoNotes: UndoNotes;
	/** The message to a resumed root. */
	readonly messageToRoot: string | undefined;
	/** Makes room for an agent that joins: closes the connections of others that do not join. True when there were any. */
	closeIdle(): boolean;
}

export class PendingJoins {
	private readonly core: RunCore;
	private readonly parts: JoinParts;
	private readonly waiting = new Map<number, AgentConnection>();

	constructor(core: RunCore, parts: JoinParts) {
		this.core = core;
		this.parts = parts;
	}

	/** Takes a request in and gives it with the model's name resolved; undefined when the process has been refused. */
	accept(connection: AgentConnection, join: Join): Join | undefined {
		try {
			const { settings, directory, machine } = this.core;
			const { agentInstructions, worktrees, confinements } = this.parts;
			const bounds = { ...settings, directory, worktrees: worktrees.paths() };
			const asked = { ...join, ...defined({ model: askedModel(join, bounds) }) };
			if (join.role !== undefined) agentInstructions.role(join.role, join.cwd);
			confinements.check(join, this.above(machine.parentOf(join)));
			this.waiting.set(connection.number, connection);
			return asked;
		} catch (error) {
			if (!(error instanceof AgentreeError)) throw error;
			refuse(connection, "usage", error.message);
			return undefined;
		}
	}

	/** Looks whether the process can have the worktree that it asks for; false when it has been refused. */
	async mayHaveWorktree(connection: AgentConnection, join: Join): Promise<boolean> {
		const { worktrees, confinements } = this.parts;
		const parent = this.above(this.core.machine.parentOf(join));
		const sandbox = parent === undefined ? confinements.ofRun : parent.file.sandbox;
		const reason = await worktrees.look(connection.number, join, { id: parent?.id ?? ROOT, sandbox });
		if (reason === undefined) return true;
		this.remove(connection);
		refuse(connection, "usage", reason);
		return false;
	}

	private above(resolved: ResolvedParent): RegisteredAgent | undefined {
		return resolved.is === "child" ? this.core.registry.get(resolved.parent) : undefined;
	}

	/** True while the process has not closed its connection. */
	isWaiting(connection: AgentConnection): boolean {
		return this.waiting.has(connection.number);
	}

	inputOf(connection: AgentConnection, join: Join): Input {
		const { settings, run } = this.core;
		const { agentInstructions } = this.parts;
		const resolved = this.withoutWidening(this.resolve(join), join);
		const key = taskKey(join.task ?? settings.task);
		const role = resolved.is === "root" ? settings.role : join.role;
		const found = join.role === undefined ? undefined : agentInstructions.role(join.role, join.cwd);
		const parent = resolved.is === "child" ? run.agents[resolved.parent] : undefined;
		const asked = {
			...(found === undefined ? join : inRole(join, found, this.boundsBelow(parent))),
			...defined({ role }),
		};
		const sandbox = this.sandboxOf(join, resolved, connection.number);
		return {
			is: "joined",
			connection: connection.number,
			resolved,
			join: asked,
			taskKey: key,
			...defined({ sandbox }),
		};
	}

	private boundsBelow(parent: Agent | undefined): RoleBounds {
		const { settings, directory } = this.core;
		return { ...settings, directory, parentModel: parent?.model ?? settings.model };
	}

	/** In a line. */
	private sandboxOf(join: Join, resolved: ResolvedParent, connection: number): string | undefined {
		const { confinements, worktrees } = this.parts;
		if (resolved.is === "unknown") return undefined;
		const parent = this.above(resolved);
		const own = resolved.is === "root" ? worktrees.of(ROOT) : worktrees.placeFor(connection, UNKNOWN);
		const confinement =
			join.resume === undefined
				? confinements.of(join, parent, own)
				: confinements.again(readableAgentFile(this.core.directory, join.resume)?.sandbox, parent, own);
		return confinement && describeSandbox(confinement, own?.path);
	}

	private resolve(join: Join): ResolvedParent {
		const { registry, machine, run } = this.core;
		const reason = run.agents[ROOT] === undefined ? undefined : this.shortOfFiles();
		if (reason !== undefined) return { is: "unknown", reason };
		if (join.resume !== undefined && registry.isConnected(join.resume))
			return { is: "unknown", reason: `agent ${join.resume} is still running` };
		return machine.parentOf(join);
	}

	/** Refuses a child for which less is to be asked about than for the agent that starts it. */
	private withoutWidening(resolved: ResolvedParent, { asking }: Join): ResolvedParent {
		if (resolved.is !== "child" || asking === undefined) return resolved;
		const mode = this.core.settings.asking?.mode ?? "never";
		const reason = faultOf(asking, this.above(resolved)?.file.asking, mode);
		return reason === undefined ? resolved : { is: "unknown", reason };
	}

	private shortOfFiles(): string | undefined {
		const { settings } = this.core;
		const reason = tooManyOpen(readDescriptors(), settings);
		return reason !== undefined && this.parts.closeIdle() ? tooManyOpen(readDescriptors(), settings) : reason;
	}

	remove(connection: AgentConnection): void {
		this.waiting.delete(connection.number);
		this.parts.worktrees.forget(connection.number);
	}

	/** Admits the waiting process as the agent; undefined when it has closed its connection meanwhile. */
	admit({ connection: number, agent, join, before }: EffectOf<"admit">): RegisteredAgent | undefined {
		const { settings, registry, journal, conversations, shimDirectory, machine } = this.core;
		const { pipeStock, worktrees, sandboxes, confinements } = this.parts;
		const connection = this.take(number);
		if (connection === undefined) return undefined;
		worktrees.begin(agent, number);
		const { run } = this.core; // as it is now that the worktree is begun
		const parent = registry.get(parentOf(agent) ?? "");
		const above = run.agents[parentOf(agent) ?? ""];
		const roleBounds = above === undefined ? undefined : this.boundsBelow(above);
		const fresh = registeredAgent(agent, join, registry.newToken(), {
			...this.parts,
			settings,
			run,
			parent,
			roleBounds,
		});
		const { registered, resumed } =
			before === undefined ? { registered: fresh } : this.resumed(fresh, { join, before });
		registry.add(registered, connection);
		const isNew = before === undefined;
		const places = { directory: journal.addAgent(registered.file, isNew), pipes: pipeStock.take(FIRST_PIPES) };
		const isNested = machine.isConfined(run.agents[agent]);
		const notices = confinements.noticesOf(join, parent);
		if (resumed !== undefined) journal.message(agent, resumeNote(resumed, this.core.host.now()));
		const joined = joinedMessage(registered, { shimDirectory, ...places, notices }, { settings, resumed });
		conversations.open(joined, registered.file.system, this.replyFacts(registered));
		worktrees.whenMade(
			agent,
			() => {
				connection.send({ ...joined, ...sandboxes.open(registered, places, isNested) });
				if (joined.waits) this.core.dispatch({ is: "listens", agent });
			},
			(reason) => refuse(connection, "unknown", reason),
		);
		return registered;
	}

	private replyFacts({ file: { agent, model, jsonSchema } }: RegisteredAgent): ReplyFacts {
		const { settings } = this.core;
		const check = answerCheck(settings.agentProgram);
		return {
			isConversation: isTalkedWith(settings, agent),
			mayAnswerNothing: factsOf(model, settings.prices).answersBytes === true,
			...(jsonSchema !== undefined && { check: (answer: string) => check(jsonSchema, answer) }),
		};
	}

	/** A resumed agent: its files take precedence over what its process asks for now. */
	private resumed(fresh: RegisteredAgent, { join, before }: { join: Join; before: Was }) {
		const { settings, registry, run } = this.core;
		const { messageToRoot, undoNotes, confinements, sandboxes } = this.parts;
		const { asking } = settings;
		const { file, damage } = reopenAgentFile(fallbackOf(fresh, run), this.core);
		const toRoot = messageToRoot === undefined ? undefined : undoNotes.with(messageToRoot);
		const message = fresh.id === ROOT ? toRoot : join.task;
		const { effort = file.effort, cwd, surroundings, compactAt: asked } = fresh.file;
		const isRoot = fresh.id === ROOT; // a person resumes the root with the options given now
		const changed = isRoot ? { cwd, ...defined({ surroundings, effort }) } : defined({ effort: join.effort });
		const compactAt = (isRoot ? asked : file.compactAt) ?? fresh.compactAt;
		const { worktree: _, sandbox: wasIn, ...rest } = file;
		const sandbox = confinements.again(wasIn, registry.get(parentOf(fresh.id) ?? ""), fresh.file.worktree);
		const now: AgentFile = { ...rest, ...changed, ...defined({ worktree: fresh.file.worktree, sandbox }) };
		const registered: RegisteredAgent = { ...fresh, compactAt, file: withSystem(now, { run, asking }) };
		const movedFrom = isRoot && file.cwd !== cwd ? file.cwd : undefined;
		const hasNewTmp = isRoot && sandbox !== undefined && sandboxes.hasNewTmp;
		const told = { ...before, message, movedFrom, hasNewTmp, damage: [damage] };
		return { registered, resumed: resumedOf(fresh.id, told, this.core) };
	}

	refuse({ connection: number, code, reason, which }: EffectOf<"refuse">): void {
		const connection = this.take(number);
		this.parts.worktrees.forget(number);
		if (connection !== undefined) refuse(connection, code, which === undefined ? reason : `${reason} (${which})`);
	}

	private take(number: number): AgentConnection | undefined {
		const connection = this.waiting.get(number);
		this.waiting.delete(number);
		return connection;
	}
}

function refuse(connection: AgentConnection, code: Refused["code"], reason: string): void {
	connection.send({ say: "refused", code, reason });
	connection.close();
}

function resumeNote({ reason, damage }: Resumed, at: number): ResumeNote {
	return { role: "note", note: "resumed", at, reason, ...(damage.length > 0 && { damage }) };
}

/** Stands for a lost agent.json. A resumed child joins with a message, so its task comes from the event log. */
function fallbackOf({ id, file }: RegisteredAgent, run: RunState): AgentFile {
	return id === ROOT ? file : { ...file, task: run.agents[id]?.task ?? file.task };
}

const KEY_CHARACTERS = 16;

/** Equal for tasks that differ in white space and case alone: an agent that passes its task on often retypes it. */
export function taskKey(task: string): string {
	const normalized = task.trim().replace(/\s+/g, " ").toLowerCase();
	return createHash("sha256").update(normalized).digest("hex").slice(0, KEY_CHARACTERS);
}

const LOOK_MS = 100;

interface Waiting {
	readonly parent: AgentId;
	readonly start: () => void;
}

/**
 * Processes that wait in line to become a child agent, each for a place among the living children of its parent (`--wait-for-place`).
 * Any other limit refuses one that has its turn as it would have refused it before.
 */
export class PlaceLine {
	private readonly core: RunCore;
	private waiting: readonly Waiting[] = [];

	constructor(core: RunCore) {
		this.core = core;
	}

	/** Calls `start` at once, or when it is the turn of the process, which may be gone by then. */
	take(join: Join, start: () => void): void {
		const resolved = join.waitsForPlace ? this.core.machine.parentOf(join) : undefined;
		if (resolved?.is !== "child") return start();
		const isFirst = this.waiting.length === 0;
		this.waiting = [...this.waiting, { parent: resolved.parent, start }];
		if (isFirst) this.look();
	}

	private look(): void {
		for (const next of this.waiting) {
			const isBehind = this.waiting.find(({ parent }) => parent === next.parent) !== next;
			if (isBehind || !this.hasPlace(next.parent)) continue;
			this.waiting = this.waiting.filter((other) => other !== next);
			next.start();
		}
		if (this.waiting.length > 0) this.core.timers.after(LOOK_MS, () => this.look());
	}

	/** Or will never have one. */
	private hasPlace(parent: AgentId): boolean {
		const { agents, stopping, closed } = this.core.run;
		const agent = agents[parent];
		if (agent === undefined || isOver(agent) || stopping !== undefined || closed.includes(parent)) return true;
		const { maxChildren } = agent.limits;
		return maxChildren === 0 || branchOf(agents, parent).livingChildren.size < maxChildren;
	}
}
