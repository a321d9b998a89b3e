/** Join requests that are not decided yet. An admitted process becomes a registered agent, a refused one is told why. */

import { createHash } from "node:crypto";
import { defined } from "../../core/defined.ts";
import { AgentreeError } from "../../core/errors.ts";
import { type Agent, parentOf, ROOT } from "../../core/model/agent.ts";
import type { AgentFile, ResumeNote } from "../../core/model/transcript.ts";
import { faultOf } from "../../core/rules/narrowing.ts";
import type { RunState } from "../../core/run/run-state.ts";
import { factsOf } from "../../models/catalogue.ts";
import { readableAgentFile } from "../../record/read-run.ts";
import { describeSandbox } from "../../view/words/sandbox.ts";
import type { Join, Resumed, ToAgent } from "../../wire/agent-messages.ts";
import type { AgentConnection } from "../clients/client-listener.ts";
import type { CheckedAnswer } from "../conversations/answer-schema.ts";
import type { Conversations } from "../conversations/conversations.ts";
import type { ReplyFacts } from "../conversations/replies.ts";
import type { Effect, Was } from "../decide/effect.ts";
import type { Input, ResolvedParent } from "../decide/input.ts";
import { isTalkedWith } from "../decide/listening.ts";
import type { Machine } from "../processes/machine.ts";
import { readDescriptors, tooManyOpen } from "../processes/machine-resources.ts";
import type { PipeStock } from "../processes/start/pipe-stock.ts";
import type { Journal } from "../record/journal.ts";
import { reopenAgentFile, resumedOf } from "../record/resume-files.ts";
import type { RunSettings } from "../run-settings.ts";
import type { Sandboxes } from "../sandboxes/sandboxes.ts";
import type { AgentInstructions } from "../surroundings/agent-instructions.ts";
import { askedModel, inRole, type RoleBounds } from "../surroundings/asked-role.ts";
import type { Confinements } from "../surroundings/confinements.ts";
import { joinedMessage, type RegisteredAgent, registeredAgent, withSystem } from "../surroundings/registered-agent.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import type { UndoNotes } from "../worktrees/undo-notes.ts";
import type { Worktrees } from "../worktrees/worktrees.ts";
import type { AgentRegistry } from "./agent-registry.ts";

const FIRST_PIPES = 2; // most agents run a command or two; what more needs is made while the model thinks

const UNKNOWN = "?"; // which agent a process is going to be

type Refused = Extract<ToAgent, { say: "refused" }>;

export interface PendingJoinsDeps {
	settings: RunSettings;
	registry: AgentRegistry;
	journal: Journal;
	conversations: Pick<Conversations, "open">;
	agentInstructions: Pick<AgentInstructions, "of" | "role">;
	surroundings: Pick<Surroundings, "of">;
	machine: Pick<Machine, "parentOf" | "isConfined">;
	worktrees: Pick<Worktrees, "look" | "placeFor" | "of" | "forget" | "paths" | "begin" | "whenMade">;
	/** Makes room for an agent that joins: closes the connections of who does not. True when there were any. */
	closeIdle: () => boolean;
	shimDirectory: string;
	pipeStock: Pick<PipeStock, "take">;
	sandboxes: Pick<Sandboxes, "open" | "hasNewTmp">;
	confinements: Confinements;
	/** The run's directory. */
	directory: string;
	undoNotes: Pick<UndoNotes, "with">;
	/** The message to a resumed root. */
	messageToRoot: string | undefined;
	checkAnswer: (schema: string, answer: string) => Promise<CheckedAnswer>;
	dispatch: (input: Input) => void;
}

export class PendingJoins {
	private readonly deps: PendingJoinsDeps;
	private readonly waiting = new Map<number, AgentConnection>();

	constructor(deps: PendingJoinsDeps) {
		this.deps = deps;
	}

	/** Takes a request in and gives it with the model's name resolved; undefined when the process has been refused. */
	accept(connection: AgentConnection, join: Join): Join | undefined {
		try {
			const { settings, directory, agentInstructions, worktrees, machine, confinements } = this.deps;
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
		const { machine, worktrees, confinements } = this.deps;
		const parent = this.above(machine.parentOf(join));
		const sandbox = parent === undefined ? confinements.ofRun : parent.file.sandbox;
		const reason = await worktrees.look(connection.number, join, { id: parent?.id ?? ROOT, sandbox });
		if (reason === undefined) return true;
		this.remove(connection);
		refuse(connection, "usage", reason);
		return false;
	}

	private above(resolved: ResolvedParent): RegisteredAgent | undefined {
		return resolved.is === "child" ? this.deps.registry.get(resolved.parent) : undefined;
	}

	/** True while the process has not closed its connection. */
	isWaiting(connection: AgentConnection): boolean {
		return this.waiting.has(connection.number);
	}

	inputOf(connection: AgentConnection, join: Join, run: RunState): Input {
		const { settings, agentInstructions } = this.deps;
		const resolved = withoutWidening(this.resolve(join, run), join, this.deps);
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
		const { settings, directory } = this.deps;
		return { ...settings, directory, parentModel: parent?.model ?? settings.model };
	}

	/** In a line. */
	private sandboxOf(join: Join, resolved: ResolvedParent, connection: number): string | undefined {
		const { confinements, directory, worktrees } = this.deps;
		if (resolved.is === "unknown") return undefined;
		const parent = this.above(resolved);
		const own = resolved.is === "root" ? worktrees.of(ROOT) : worktrees.placeFor(connection, UNKNOWN);
		const confinement =
			join.resume === undefined
				? confinements.of(join, parent, own)
				: confinements.again(readableAgentFile(directory, join.resume)?.sandbox, parent, own);
		return confinement && describeSandbox(confinement, own?.path);
	}

	private resolve(join: Join, run: RunState): ResolvedParent {
		const { registry, machine } = this.deps;
		const reason = run.agents[ROOT] === undefined ? undefined : this.shortOfFiles();
		if (reason !== undefined) return { is: "unknown", reason };
		if (join.resume !== undefined && registry.isConnected(join.resume))
			return { is: "unknown", reason: `agent ${join.resume} is still running` };
		return machine.parentOf(join);
	}

	private shortOfFiles(): string | undefined {
		const { settings, closeIdle } = this.deps;
		const reason = tooManyOpen(readDescriptors(), settings);
		return reason !== undefined && closeIdle() ? tooManyOpen(readDescriptors(), settings) : reason;
	}

	remove(connection: AgentConnection): void {
		this.waiting.delete(connection.number);
		this.deps.worktrees.forget(connection.number);
	}

	/** Admits the waiting process as the agent; undefined when it has closed its connection meanwhile. */
	admit(
		{ connection: number, agent, join, before }: Extract<Effect, { do: "admit" }>,
		runNow: () => RunState,
		now: number,
	): RegisteredAgent | undefined {
		const { settings, registry, journal, conversations, shimDirectory, pipeStock, worktrees, machine } = this.deps;
		const connection = this.take(number);
		if (connection === undefined) return undefined;
		worktrees.begin(agent, number);
		const run = runNow();
		const parent = registry.get(parentOf(agent) ?? "");
		const above = run.agents[parentOf(agent) ?? ""];
		const roleBounds = above === undefined ? undefined : this.boundsBelow(above);
		const fresh = registeredAgent(agent, join, registry.newToken(), { ...this.deps, run, parent, roleBounds });
		const { registered, resumed } =
			before === undefined ? { registered: fresh } : this.resumed(fresh, { join, before }, run);
		registry.add(registered, connection);
		const isNew = before === undefined;
		const places = { directory: journal.addAgent(registered.file, isNew), pipes: pipeStock.take(FIRST_PIPES) };
		const { sandboxes, confinements } = this.deps;
		const isNested = machine.isConfined(run.agents[agent]);
		const notices = confinements.noticesOf(join, parent);
		if (resumed !== undefined) journal.message(agent, resumeNote(resumed, now));
		const joined = joinedMessage(registered, { shimDirectory, ...places, notices }, { settings, resumed });
		conversations.open(joined, registered.file.system, this.replyFacts(registered));
		worktrees.whenMade(
			agent,
			() => {
				connection.send({ ...joined, ...sandboxes.open(registered, places, isNested) });
				if (joined.waits) this.deps.dispatch({ is: "listens", agent });
			},
			(reason) => refuse(connection, "unknown", reason),
		);
		return registered;
	}

	private replyFacts({ file: { agent, model, jsonSchema } }: RegisteredAgent): ReplyFacts {
		const { settings, checkAnswer } = this.deps;
		return {
			isConversation: isTalkedWith(settings, agent),
			mayAnswerNothing: factsOf(model, settings.prices).answersBytes === true,
			...(jsonSchema !== undefined && { check: (answer: string) => checkAnswer(jsonSchema, answer) }),
		};
	}

	/** A resumed agent: its files take precedence over what its process asks for now. */
	private resumed(fresh: RegisteredAgent, { join, before }: { join: Join; before: Was }, run: RunState) {
		const { directory, messageToRoot, undoNotes, settings, confinements, sandboxes, registry } = this.deps;
		const { asking } = settings;
		const { file, damage } = reopenAgentFile(fallbackOf(fresh, run), { directory, run });
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
		return { registered, resumed: resumedOf(fresh.id, told, { directory, run }) };
	}

	refuse({ connection: number, code, reason, which }: Extract<Effect, { do: "refuse" }>): void {
		const connection = this.take(number);
		this.deps.worktrees.forget(number);
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

/** Equal for tasks that differ in white space and case alone: an agent that passes its task on often retypes it. */

const KEY_CHARACTERS = 16;

export function taskKey(task: string): string {
	const normalised = task.trim().replace(/\s+/g, " ").toLowerCase();
	return createHash("sha256").update(normalised).digest("hex").slice(0, KEY_CHARACTERS);
}

/** Refuses a child for which less is to be asked about than for the agent that starts it. */

interface Deps {
	readonly settings: Pick<RunSettings, "asking">;
	readonly registry: Pick<AgentRegistry, "get">;
}

function withoutWidening(
	resolved: ResolvedParent,
	{ asking }: Pick<Join, "asking">,
	{ settings, registry }: Deps,
): ResolvedParent {
	if (resolved.is !== "child" || asking === undefined) return resolved;
	const reason = faultOf(asking, registry.get(resolved.parent)?.file.asking, settings.asking?.mode ?? "never");
	return reason === undefined ? resolved : { is: "unknown", reason };
}
