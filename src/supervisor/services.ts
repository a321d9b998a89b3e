/** Creates the parts of a supervisor and gives each the others that it needs. */
import { type Ending, ROOT } from "../core/agent.ts";
import { EXTRA_CERTIFICATES } from "../core/extra-certificates.ts";
import type { RunEvent } from "../core/run-event.ts";
import type { RunWriter } from "../store/run-writer.ts";
import { AgentRegistry } from "./agent-registry.ts";
import { ModelCalls } from "./calls/model-calls.ts";
import { PersonKey } from "./clients/person-key.ts";
import { RequestAllowances } from "./clients/request-allowances.ts";
import { Conversations } from "./conversation/conversations.ts";
import { createGate } from "./create-gate.ts";
import { createOutsideRuns } from "./create-outside-runs.ts";
import { createQuestioner } from "./create-questioner.ts";
import { createSandboxes } from "./create-sandboxes.ts";
import { createTalk } from "./create-talk.ts";
import type { Input } from "./decide/input.ts";
import { queuedAgents } from "./decide/queued-agents.ts";
import type { SupervisorState } from "./decide/supervisor-state.ts";
import { Guides } from "./guides.ts";
import { HeldAnswers } from "./held-answers.ts";
import type { SupervisorHost } from "./host.ts";
import { Inbox } from "./inbox.ts";
import { Mailbox } from "./mailbox.ts";
import { openWorktree } from "./open-worktree.ts";
import { Outbox } from "./outbox.ts";
import { Pauser } from "./pauser.ts";
import { PendingJoins } from "./pending-joins.ts";
import { PlaceLine } from "./place-line.ts";
import { gitToWrap } from "./processes/git-shim.ts";
import { LocalMachine } from "./processes/local-machine.ts";
import type { Machine } from "./processes/machine.ts";
import { PipeStock } from "./processes/pipe-stock.ts";
import { ResourceMonitor } from "./processes/resource-monitor.ts";
import { writeShims } from "./processes/shim.ts";
import { createFeed } from "./record/feed.ts";
import { Journal } from "./record/journal.ts";
import { RecordCopies } from "./record-copies.ts";
import { Refusals } from "./refusals.ts";
import type { RunSettings } from "./run-settings.ts";
import { createRunTimers } from "./run-timers.ts";
import { Stopper } from "./stopper.ts";
import { Surroundings } from "./surroundings.ts";
import { Todos } from "./todos.ts";
import { TreeKeeper } from "./tree-keeper.ts";
import { UndoNotes } from "./undo-notes.ts";
import { Worktrees } from "./worktrees.ts";

export interface ServicesDeps {
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
	const conversations = new Conversations({ ...host, journal, run, directory });
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
	const undoNotes = new UndoNotes({ directory, run });
	const questioner = createQuestioner({ ...deps, now: host.now, state });
	const gate = createGate({ registry, questioner, settings, run });
	const pipeStock = new PipeStock(settings.socket, host.now());
	return {
		...createOutsideRuns({ ...deps, ...{ shimDirectory, questioner, gate, sandboxes, state, emit, run } }),
		...{ ...made, calls, pipeStock, keeper, held, sandboxes, worktrees, surroundings, questioner },
		inbox: new Inbox({ ...deps, ...talk, sandboxes, gate }),
		pendingJoins: new PendingJoins({
			...deps,
			guides: new Guides({ ...settings, since: host.now(), originOf: (directory) => worktrees.originOf(directory) }),
			closeIdle,
			shimDirectory,
			...{ pipeStock, ...confining, messageToRoot, undoNotes },
		}),
		outbox: new Outbox({ ...deps, calls, answers: new HeldAnswers({ registry, keeper }), stops: () => state().stops }),
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
