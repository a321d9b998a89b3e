/** Creates the parts of a supervisor, each with the others that it calls. */

import { realpathSync } from "node:fs";
import { join } from "node:path";
import { isOver, ROOT } from "../core/model/agent.ts";
import { readFileLimit } from "../processes/proc-facts.ts";
import { findNsenter } from "../sandbox/layers.ts";
import { AgentExchange } from "./agent-exchange.ts";
import { AgentInstructions, Surroundings } from "./agents/agent-instructions.ts";
import { FileSnapshots, openSavedTree, RepliesAwaitingSnapshot } from "./agents/file-snapshots.ts";
import { Mailbox, UndoNotes } from "./agents/mailbox.ts";
import { Pauser, Stopper } from "./agents/pause-and-stop.ts";
import { PendingJoins, PlaceLine } from "./agents/pending-joins.ts";
import { ResourceMonitor } from "./agents/resource-monitor.ts";
import { TimeLimits } from "./agents/time-limits.ts";
import { Worktrees } from "./agents/worktrees.ts";
import { ModelCalls } from "./calls/model-calls.ts";
import { AgentSettings } from "./chat/agent-settings.ts";
import { AttachedChats } from "./chat/attached-chats.ts";
import { ChatRequests } from "./chat/chat-requests.ts";
import { PersonKey } from "./clients/person-key.ts";
import { RefusedConnections } from "./clients/refused-connections.ts";
import { RequestAllowances } from "./clients/request-allowances.ts";
import { CommandPermission } from "./permissions/command-permission.ts";
import { CommandPolicies } from "./permissions/command-policies.ts";
import { OutsideRuns } from "./permissions/outside-runs.ts";
import { Questioner } from "./permissions/questioner.ts";
import { livingSandboxes } from "./processes/living-sandboxes.ts";
import { PipeStock } from "./processes/pipe-stock.ts";
import { HostProxy } from "./proxy/host-proxy.ts";
import type { Caller } from "./proxy/requests.ts";
import type { RunCore } from "./run/run-core.ts";
import { Confinements } from "./sandboxes/confinements.ts";
import { HeldPlaces } from "./sandboxes/held-places.ts";
import { RecordCopies } from "./sandboxes/record-copies.ts";
import { EMPTY, Sandboxes } from "./sandboxes/sandboxes.ts";

interface OfSupervisor {
	/** The message to a resumed root. */
	readonly messageToRoot: string | undefined;
	/** The run's own file has to be written again. */
	onRootChanged(): void;
	/** As a server does it. */
	closeIdle(): boolean;
}

export type Services = ReturnType<typeof createServices>;

export function createServices(core: RunCore, { messageToRoot, onRootChanged, closeIdle }: OfSupervisor) {
	const { settings, host, directory } = core;
	const confinements = new Confinements(settings);
	const held = createHeldPlaces(core);
	const sandboxes = new Sandboxes(core, confinements, held);
	const worktrees = new Worktrees(core, sandboxes);
	const surroundings = new Surroundings(core, sandboxes);
	const undoNotes = new UndoNotes(core);
	const pipeStock = new PipeStock(settings.socket, host.now());
	const agentInstructions = new AgentInstructions(core, worktrees);
	const calls = new ModelCalls(core);
	const timeLimits = new TimeLimits(core, calls.deadlines);
	const agentSettings = new AgentSettings(core, timeLimits, onRootChanged);
	const attachedChats = new AttachedChats(core);
	const chatRequests = new ChatRequests(core, { agentSettings, calls, attachedChats });
	const snapshots = createFileSnapshots(core, worktrees, messageToRoot);
	const questioner = new Questioner(core);
	const answers = new RepliesAwaitingSnapshot(core, snapshots);
	const policies = new CommandPolicies(core);
	const permission = new CommandPermission(core, { answers, policies, questioner });
	const exchange = new AgentExchange(core, { answers, permission, calls, chatRequests, sandboxes, worktrees });
	const outsideRuns = new OutsideRuns(core, { questioner, permission, sandboxes });
	return {
		...{
			agentSettings,
			attachedChats,
			calls,
			chatRequests,
			exchange,
			held,
			snapshots,
			outsideRuns,
			pipeStock,
			questioner,
		},
		...{ sandboxes, surroundings, timeLimits, worktrees },
		allowances: new RequestAllowances(host.now),
		hostProxy: createHostProxy(core, outsideRuns),
		mailbox: new Mailbox(core, undoNotes),
		monitor: new ResourceMonitor(core),
		pauser: new Pauser(core),
		pendingJoins: new PendingJoins(core, {
			...{ agentInstructions, surroundings, worktrees, pipeStock, sandboxes, confinements, undoNotes },
			...{ messageToRoot, closeIdle },
		}),
		personKey: new PersonKey(directory),
		places: new PlaceLine(core),
		recordCopies: new RecordCopies(core, sandboxes),
		refusedConnections: new RefusedConnections(core),
		stopper: new Stopper(core),
	};
}

function createFileSnapshots(core: RunCore, worktrees: Worktrees, messageToRoot: string | undefined): FileSnapshots {
	const { settings } = core;
	const openTree = (signal: AbortSignal) => {
		const { cwd = settings.cwd } = worktrees.of(ROOT) ?? {};
		return openSavedTree(core, cwd, signal);
	};
	return new FileSnapshots(core, openTree, messageToRoot ?? settings.task);
}

/** The proxy of a run, for those of its agents that may reach only hosts that are named. It listens in a run with a sandbox. */
function createHostProxy(core: RunCore, outsideRuns: OutsideRuns): HostProxy {
	const { settings, host, timers } = core;
	const proxy = new HostProxy({
		...{ socket: settings.socket, uid: process.getuid?.() ?? 0, timers, maxFiles: readFileLimit("self")?.soft },
		...{ now: host.now, emit: core.emit, callerOf: (token) => callerOf(token, core, outsideRuns) },
	});
	if (settings.sandbox !== undefined) void proxy.open();
	return proxy;
}

/** Undefined for a token that is of no agent, of one that has ended, and of one that needs no proxy or has no network. */
function callerOf(token: string, { registry, run }: RunCore, outsideRuns: OutsideRuns): Caller | undefined {
	const lent = outsideRuns.callerOf(token);
	const agent = lent?.agent ?? registry.agentOfToken(token);
	const state = agent === undefined ? undefined : run.agents[agent];
	if (agent === undefined || state === undefined || isOver(state)) return undefined;
	if (lent !== undefined) return lent;
	const sandbox = registry.get(agent)?.file.sandbox;
	return sandbox?.network === "proxy" ? { agent, allowed: sandbox.hosts } : undefined;
}

function createHeldPlaces(core: RunCore): HeldPlaces {
	const empty = join(realpathSync(core.shimDirectory), EMPTY);
	const nsenter = core.settings.sandbox === undefined ? undefined : findNsenter();
	return new HeldPlaces(core, () => livingSandboxes(core.machine.processesOf(ROOT), { empty, nsenter }));
}
