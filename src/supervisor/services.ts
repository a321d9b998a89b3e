/** Creates the parts of a supervisor and gives each the others that it needs. */

import { realpathSync } from "node:fs";
import { join } from "node:path";
import { type AgentId, type Ending, isOver, ROOT } from "../core/model/agent.ts";
import { EXTRA_CERTIFICATES } from "../core/run/cookie.ts";
import type { RunEvent } from "../core/run/run-event.ts";
import type { RunState } from "../core/run/run-state.ts";
import { readFileLimit } from "../processes/proc-facts.ts";
import { readableAgentFile } from "../record/read-run.ts";
import type { RunWriter } from "../record/run-writer.ts";
import { withoutEntry } from "../sandbox/derived-confinements.ts";
import { findNsenter } from "../sandbox/layers.ts";
import { AgentPolicies, type AgentPoliciesDeps } from "./agents/agent-policies.ts";
import { AgentRegistry } from "./agents/agent-registry.ts";
import { AgentSettings, type AgentSettingsDeps } from "./agents/agent-settings.ts";
import { AbandonedChat, type AbandonedChatDeps } from "./agents/close-abandoned-chat.ts";
import { Pauser, Stopper } from "./agents/pause-and-stop.ts";
import { PendingJoins } from "./agents/pending-joins.ts";
import { PlaceLine } from "./agents/place-line.ts";
import { Refusals } from "./agents/refusals.ts";
import { RepliesAwaitingSnapshot, type RepliesAwaitingSnapshotDeps } from "./agents/replies-awaiting-snapshot.ts";
import { TimeLimits, type TimeLimitsDeps } from "./agents/time-limits.ts";
import { Todos } from "./agents/todos.ts";
import { TreeKeeper } from "./agents/tree-keeper.ts";
import { ModelCalls } from "./calls/model-calls.ts";
import { AttachedChats } from "./chat/attached-chats.ts";
import { ChatRequests, type ChatRequestsDeps } from "./chat/chat-requests.ts";
import { Contexts, type ContextsDeps } from "./chat/contexts.ts";
import { Histories } from "./chat/histories.ts";
import { Mailbox } from "./chat/mailbox.ts";
import { SideQuestions, type SideQuestionsDeps } from "./chat/side-questions.ts";
import { PersonKey } from "./clients/person-key.ts";
import { RequestAllowances } from "./clients/request-allowances.ts";
import { answerCheck } from "./conversations/check-answer.ts";
import { Conversations } from "./conversations/conversations.ts";
import type { Input } from "./decide/input.ts";
import { queuedAgents } from "./decide/scheduler.ts";
import type { SupervisorState } from "./decide/supervisor-state.ts";
import { Inbox } from "./inbox.ts";
import { Outbox, type OutboxDeps } from "./outbox.ts";
import { CommandPermission, type CommandPermissionDeps } from "./permissions/command-permission.ts";
import { createQuestioner } from "./permissions/create-questioner.ts";
import { SandboxLender } from "./permissions/outside-order.ts";
import { OutsideRuns, type OutsideRunsDeps } from "./permissions/outside-runs.ts";
import { livingSandboxes } from "./processes/living-sandboxes.ts";
import { LocalMachine } from "./processes/local-machine.ts";
import type { Machine } from "./processes/machine.ts";
import { ResourceMonitor } from "./processes/resource-monitor.ts";
import { gitToWrap } from "./processes/start/git-shim.ts";
import { PipeStock } from "./processes/start/pipe-stock.ts";
import { writeShims } from "./processes/start/shim.ts";
import { HostProxy, type HostProxyDeps } from "./proxy/host-proxy.ts";
import type { Caller } from "./proxy/requests.ts";
import { createFeed } from "./record/feed.ts";
import { Journal } from "./record/journal.ts";
import type { RunSettings, SupervisorHost } from "./run-settings.ts";
import { createRunTimers, type RunTimers } from "./run-timers.ts";
import { deletableDirectories } from "./sandboxes/deletable-directories.ts";
import { HeldPlaces, type HeldPlacesDeps } from "./sandboxes/holding/held-places.ts";
import { RecordCopies } from "./sandboxes/record-copies.ts";
import { EMPTY, Sandboxes, type SandboxesDeps } from "./sandboxes/sandboxes.ts";
import { AgentInstructions } from "./surroundings/agent-instructions.ts";
import { Confinements } from "./surroundings/confinements.ts";
import { Surroundings } from "./surroundings/surroundings.ts";
import { openWorktree } from "./worktrees/open-worktree.ts";
import { UndoNotes } from "./worktrees/undo-notes.ts";
import { Worktrees } from "./worktrees/worktrees.ts";

interface ServicesDeps {
	settings: RunSettings;
	host: SupervisorHost;
	writer: RunWriter;
	/** The message to a resumed root. */
	messageToRoot: string | undefined;
	state: () => SupervisorState;
	dispatch: (input: Input) => void;
	/** Records an event that is no outcome of a decision. */
	emit: (event: RunEvent) => void;
	stopRun: (ending: Ending, isHurry: boolean) => void;
	/** The run's own file has to be written anew. */
	onRootChanged: () => void;
	/** As a server does it. */
	closeIdle: () => boolean;
	/** Called when the run's directory cannot be written any more. */
	onBroken: (error: Error) => void;
}

export type Services = ReturnType<typeof createServices>;

export function createServices(parts: ServicesDeps) {
	const { settings, host, writer, messageToRoot, state, dispatch, emit, stopRun, closeIdle, onBroken } = parts;
	const { directory } = writer;
	const registry = new AgentRegistry();
	const timers = createRunTimers(host);
	const feed = createFeed({ clock: host, queue: () => queuedAgents(state()) });
	const journal = new Journal(writer, feed, { ...host, onBroken });
	const run = () => state().run;
	const agentOfToken = registry.agentOfToken.bind(registry);
	const machine: Machine = new LocalMachine({ ...host, run, agentOfToken, timers });
	const conversations = new Conversations();
	const made = { conversations, registry, timers, journal, feed, machine };
	const shimDirectory = writeShims(directory, {
		...settings,
		...{ hasExtraCertificates: Boolean(settings.env[EXTRA_CERTIFICATES]), git: gitToWrap(settings) },
	});
	const confining = createSandboxes({ ...host, ...made, settings, directory, shimDirectory, run, emit });
	const { sandboxes, gitSandbox, held } = confining;
	const worktrees = new Worktrees({ ...host, settings, run, emit, machine, gitSandbox });
	const surroundings = new Surroundings({ settings, now: host.now, gitSandbox: () => gitSandbox(undefined) });
	const deps = { ...host, ...settings, settings, ...made, directory, dispatch, worktrees, surroundings };
	const calls = new ModelCalls({ ...deps, run });
	const talk = createTalk({ ...deps, ...parts, calls });
	const keeper = new TreeKeeper({
		...host,
		...{ run, emit, firstMessage: messageToRoot ?? settings.task },
		openTree: (signal) => {
			const { cwd = settings.cwd } = worktrees.of(ROOT) ?? {};
			return openWorktree({ ...settings, cwd, directory, now: host.now, signal });
		},
	});
	const undoNotes = new UndoNotes(directory, run);
	const questioner = createQuestioner({ ...deps, now: host.now, state });
	const { permission, outbox } = createOutbox({ ...deps, keeper, questioner, calls, run, stops: () => state().stops });
	const pipeStock = new PipeStock(settings.socket, host.now());
	const originOf = worktrees.originOf.bind(worktrees);
	const agentInstructions = new AgentInstructions({ ...settings, since: host.now(), originOf });
	return {
		...createOutsideRuns({ ...deps, ...{ shimDirectory, questioner, permission, sandboxes, state, emit, run } }),
		...{ ...made, calls, pipeStock, keeper, held, sandboxes, worktrees, surroundings, questioner },
		...{ outbox, inbox: new Inbox({ ...deps, ...talk, sandboxes, permission, outbox, run }) },
		pendingJoins: new PendingJoins({
			...{ ...deps, ...confining, agentInstructions, closeIdle },
			...{ shimDirectory, pipeStock, messageToRoot, undoNotes, checkAnswer: answerCheck(settings.agentProgram) },
		}),
		stopper: new Stopper({ ...deps, stopRun }),
		...{ pauser: new Pauser({ ...deps, state }), places: new PlaceLine({ machine, timers, run }) },
		...{ ...talk, allowances: new RequestAllowances(host.now) },
		...{ todos: new Todos({ ...deps, state }), recordCopies: new RecordCopies({ directory, sandboxes, registry }) },
		mailbox: new Mailbox({ ...deps, state, undoNotes }),
		refusals: new Refusals({ ...deps, emit, stopRun, stops: () => state().stops }),
		personKey: new PersonKey(directory),
		monitor: new ResourceMonitor({ ...deps, run }),
	};
}

/** What is said to agents, and whether their commands may run. */
function createOutbox(
	deps: Omit<
		OutboxDeps & CommandPermissionDeps & AgentPoliciesDeps,
		"policies" | "deletable" | "answers" | "permission"
	> &
		RepliesAwaitingSnapshotDeps,
): { permission: CommandPermission; outbox: Outbox } {
	const answers = new RepliesAwaitingSnapshot(deps);
	const policies = new AgentPolicies({ ...deps, deletable: deletableDirectories });
	const permission = new CommandPermission({ ...deps, answers, policies });
	return { permission, outbox: new Outbox({ ...deps, answers, permission }) };
}

/** What leaves the sandboxes of a run: the proxy, and what persons have allowed. */

type Deps = Omit<OutsideRunsDeps & CreateHostProxyDeps, "lender">;

function createOutsideRuns(deps: Deps): { hostProxy: HostProxy; outsideRuns: OutsideRuns } {
	const lender = new SandboxLender();
	return { hostProxy: createHostProxy({ ...deps, lender }), outsideRuns: new OutsideRuns({ ...deps, lender }) };
}

/** Creates the parts of a supervisor by which a person talks with the root of its run. */

type TalkDeps = { registry: AgentRegistry } & AbandonedChatDeps &
	Omit<TimeLimitsDeps, "deadlines"> &
	Omit<AgentSettingsDeps, "timeLimits"> &
	Omit<SideQuestionsDeps, "calls" | "histories"> &
	Omit<ContextsDeps, "histories"> &
	Omit<ChatRequestsDeps, "agentSettings" | "sideQuestions" | "contexts" | "attachedChats"> & {
		calls: Pick<ModelCalls, "deadlines" | "sideQuestions">;
	};

function createTalk(deps: TalkDeps) {
	const { deadlines, sideQuestions: calls } = deps.calls;
	const histories = new Histories(deps.registry);
	const timeLimits = new TimeLimits({ ...deps, deadlines });
	const agentSettings = new AgentSettings({ ...deps, timeLimits });
	const sideQuestions = new SideQuestions({ ...deps, histories, calls });
	const contexts = new Contexts({ ...deps, histories });
	const attachedChats = new AttachedChats();
	const chatRequests = new ChatRequests({ ...deps, agentSettings, sideQuestions, contexts, attachedChats });
	new AbandonedChat(deps); // it hears of all that happens by the feed
	return { histories, timeLimits, agentSettings, sideQuestions, chatRequests, attachedChats };
}

/** The proxy of a run, for those of its agents that may reach only hosts that are named. */
interface CreateHostProxyDeps extends Omit<HostProxyDeps, "uid" | "callerOf" | "maxFiles"> {
	readonly settings: Pick<RunSettings, "sandbox">;
	readonly registry: Pick<AgentRegistry, "agentOfToken" | "get">;
	readonly run: () => RunState;
	/** Of commands that may reach more than their agents. */
	readonly lender: Pick<SandboxLender, "callerOf">;
}

/** It listens in a run with a sandbox: any agent of that may be given a list of hosts. */
function createHostProxy(deps: CreateHostProxyDeps): HostProxy {
	const proxy = new HostProxy({
		...{ ...deps, uid: process.getuid?.() ?? 0, maxFiles: readFileLimit("self")?.soft },
		callerOf: (token) => callerOf(token, deps),
	});
	if (deps.settings.sandbox !== undefined) void proxy.open();
	return proxy;
}

/** Undefined for a token that is of no agent, of one that has ended, and of one that needs no proxy or has no network. */
function callerOf(token: string, { registry, run, lender }: CreateHostProxyDeps): Caller | undefined {
	const lent = lender.callerOf(token);
	const agent = lent?.agent ?? registry.agentOfToken(token);
	const state = agent === undefined ? undefined : run().agents[agent];
	if (agent === undefined || state === undefined || isOver(state)) return undefined;
	if (lent !== undefined) return lent;
	const sandbox = registry.get(agent)?.file.sandbox;
	return sandbox?.network === "proxy" ? { agent, allowed: sandbox.hosts } : undefined;
}

/** The sandboxes of a run's agents, what is held for them, and those in which git works on the worktrees of agents. */

interface CreateDeps extends Omit<SandboxesDeps, "uid" | "held">, Pick<HeldPlacesDeps, "now" | "emit"> {
	readonly registry: Pick<AgentRegistry, "get">;
	readonly machine: Pick<Machine, "processesOf">;
	readonly timers: Pick<RunTimers, "after">;
}

function createSandboxes({ registry, ...deps }: CreateDeps) {
	const confinements = new Confinements(deps.settings);
	const held = createHeldPlaces(deps);
	const sandboxes = new Sandboxes({ ...deps, held, uid: process.getuid?.() ?? 0 });
	const fileOf = (agent: AgentId) => registry.get(agent)?.file ?? readableAgentFile(deps.directory, agent);
	/** For what the agent starts, for the root without one. `entry`: of a worktree that it may take away. */
	const gitSandbox = (above: AgentId | undefined, entry?: string) => {
		const confinement = above === undefined ? confinements.ofRun : fileOf(above)?.sandbox;
		return sandboxes.git(above, confinement && withoutEntry(confinement, entry));
	};
	return { confinements, sandboxes, gitSandbox, held };
}

function createHeldPlaces(deps: Omit<CreateDeps, "registry">): HeldPlaces {
	const { settings, directory, shimDirectory, machine, timers, run, emit, now } = deps;
	const empty = join(realpathSync(shimDirectory), EMPTY);
	const nsenter = settings.sandbox === undefined ? undefined : findNsenter();
	return new HeldPlaces({
		...{ emit, now, after: timers.after },
		directory: join(directory, "replaced"),
		sandboxes: () => livingSandboxes(machine.processesOf(ROOT), { empty, nsenter }),
		isBusy: () => Object.values(run().agents).some(({ running }) => running.length > 0),
	});
}
