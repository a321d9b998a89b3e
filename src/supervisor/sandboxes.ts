/**
 * The sandboxes of a run's agents. An agent in a sandbox sees of the run's directory the output of its own commands alone, and of
 * those below it: it lies in a tree of its own, `output/`, with a second name where it is read, in the agent's directory.
 */
import {
	closeSync,
	existsSync,
	linkSync,
	lstatSync,
	mkdirSync,
	readFileSync,
	realpathSync,
	renameSync,
	rmdirSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { join, relative } from "node:path";
import type { AgentId } from "../core/agent.ts";
import { commandLog } from "../core/command.ts";
import { defined } from "../core/defined.ts";
import { pipesDirectory, proxySocket } from "../core/pipe-path.ts";
import type { RunState } from "../core/run-state.ts";
import type { Confinement } from "../core/sandbox.ts";
import type { OwnWorktree } from "../core/schemas/own-worktree.ts";
import { worktreeOf, worktreesBelow, worktreesOfRun } from "../core/worktrees.ts";
import { createWithin, inDirectoryOf, makeDirectoriesWithin } from "../processes/open-within.ts";
import type { Joined } from "../protocol/joined-message.ts";
import { bubblewrapArgs, helperArgs, type RunPlaces } from "../sandbox/bubblewrap-args.ts";
import { cacheVariables } from "../sandbox/caches.ts";
import { guardsInWorktree } from "../sandbox/in-worktree.ts";
import { type Layer, mergedIn } from "../sandbox/layers.ts";
import { lookAtPlace, neededPlaces } from "../sandbox/look-at-places.ts";
import { seccompFilter } from "../sandbox/seccomp-filter.ts";
import { makeDirectoriesBelow } from "../store/directories-below.ts";
import { makePrivateDirectory } from "../store/private-files.ts";
import { removeTree } from "../store/remove-tree.ts";
import { agentDirectory, outputPath, transcriptPath } from "../store/run-directory.ts";
import { entryOfWorktree } from "../worktree/agents/entry-of-worktree.ts";
import type { GitSandbox } from "../worktree/agents/repository-git.ts";
import type { Confined } from "./confinements.ts";
import { makeLayers, removeLayers } from "./layers.ts";
import { fillAgain, removeFills } from "./project-fills.ts";
import { mayAskToLeave, type RegisteredAgent } from "./registered-agent.ts";
import type { RunSettings } from "./run-settings.ts";

/** What the commands of a run have as /tmp. */
const TEMPORARY = "tmp";
const OUTPUT = "output";
const EMPTY = "empty";
const FILTER = "filter";

export interface SandboxesDeps {
	readonly settings: RunSettings;
	/** The run's. */
	readonly directory: string;
	readonly shimDirectory: string;
	readonly uid: number;
	readonly run: () => RunState;
}

type Made = Pick<Joined, "directory" | "pipes" | "sandbox">;

export class Sandboxes {
	private readonly deps: SandboxesDeps;
	private readonly hasFilter: boolean = false;
	private readonly layers: readonly Layer[] = [];

	constructor(deps: SandboxesDeps) {
		this.deps = deps;
		const { settings, directory, shimDirectory } = deps;
		if (settings.sandbox === undefined) return;
		makeDirectoriesBelow(directory, join(directory, TEMPORARY));
		makePrivateDirectory(this.worktrees());
		writeFileSync(join(shimDirectory, EMPTY), "", { mode: 0o400, flag: "w" });
		const filter = seccompFilter(process.arch);
		this.hasFilter = filter !== undefined;
		this.layers = makeLayers(directory, settings.sandbox.confinement, settings.sandbox.program);
		if (filter !== undefined) writeFileSync(join(shimDirectory, FILTER), filter, { mode: 0o400, flag: "w" });
	}

	/** `made` for an agent in a sandbox: with places that its commands may see. To be called when its worktree is made. */
	open({ id, file }: Pick<RegisteredAgent, "id" | "file">, made: Made, isNested: boolean): Made {
		if (file.sandbox === undefined) return made;
		const { directory, settings } = this.deps;
		if (!isNested) fillAgain(file.sandbox.mounts);
		const output = agentDirectory(join(directory, OUTPUT), id);
		makeDirectoriesWithin(directory, relative(directory, join(output, "out")));
		copyTranscript(directory, { from: transcriptPath(directory, id), to: transcriptPath(join(directory, OUTPUT), id) });
		const shared = pipesDirectory(settings.socket);
		const pipes = agentDirectory(shared, id);
		mkdirSync(shared, { recursive: true, mode: 0o700 });
		makeDirectoriesWithin(shared, relative(shared, pipes));
		return {
			directory: output,
			pipes: made.pipes.filter((name) => isMoved(name, { shared, pipes })),
			sandbox: {
				...{ ...this.sandboxOf(id, file.sandbox, isNested), pipesDirectory: pipes },
				...(isNested || this.layers.length === 0 ? {} : { layers: this.layers }),
				...(mayAskToLeave(file, settings.asking) && { mayLeave: true }),
			},
		};
	}

	/** A sandbox with that confinement and the places of that agent. `isNested`: it is made inside another one of the run. */
	sandboxOf(id: AgentId, of: Confinement, isNested: boolean) {
		const { directory, settings, shimDirectory, uid, run } = this.deps;
		const confinement = withGuards(of, worktreeOf(run(), id));
		const output = agentDirectory(join(directory, OUTPUT), id);
		const pipes = agentDirectory(pipesDirectory(settings.socket), id);
		const empty = join(shimDirectory, EMPTY);
		const own = { stateDirectory: settings.home, shims: shimDirectory, empty, socket: settings.socket, pipes, output };
		const places = {
			...withoutLinks({ temporary: join(directory, TEMPORARY), ...own }),
			proxySocket: proxySocket(realpathSync(settings.socket)),
			needed: neededPlaces(settings),
			...this.placeOfWorktrees(confinement, id),
			layers: new Map(this.layers.map((layer) => [layer.of, mergedIn(layer)])),
		};
		const filter = isNested || !this.hasFilter ? undefined : join(shimDirectory, FILTER);
		const { keepsBackground } = settings;
		const nesting = { isNested, isRoot: uid === 0, keepsBackground, isFiltered: filter !== undefined };
		const args = bubblewrapArgs(confinement, places, nesting);
		const program = settings.sandbox?.program ?? "bwrap";
		return {
			...{ program, args, confinement, variables: this.variablesOf(confinement) },
			...defined({ filter, network: ownNetworkOf(confinement) }),
		};
	}

	/** Moves a pipe to where the agent's commands see it. Gives the path that it has there; undefined: it could not be moved. */
	givePipe(agent: AgentId, name: string, { sandbox }: Confined["file"]): string | undefined {
		const shared = pipesDirectory(this.deps.settings.socket);
		if (sandbox === undefined) return join(shared, name);
		const pipes = agentDirectory(shared, agent);
		return isMoved(name, { shared, pipes }) ? join(realpathSync(pipes), name) : undefined;
	}

	/**
	 * In which the supervisor's git works on the worktree of what an agent starts, or of the root, with the confinement of what is above
	 * that: agents can change what git reads there, at any moment.
	 */
	git(above: AgentId | undefined, confinement: Confinement | undefined): GitSandbox | undefined {
		const { settings, directory, shimDirectory, uid } = this.deps;
		const { sandbox, home } = settings;
		if (sandbox === undefined || confinement === undefined) return undefined;
		const places: RunPlaces = {
			...withoutLinks({
				temporary: join(directory, TEMPORARY),
				stateDirectory: home,
				empty: join(shimDirectory, EMPTY),
			}),
			...{ needed: neededPlaces(settings), ...this.placeOfWorktrees(confinement, above) },
		};
		const there = { ...confinement, mounts: confinement.mounts.filter(({ path }) => existsSync(path)) };
		const args = helperArgs(there, places, { isRoot: uid === 0, isFiltered: this.hasFilter });
		return { program: sandbox.program, args, ...(this.hasFilter && { filter: join(shimDirectory, FILTER) }) };
	}

	/** Nothing that is read-only starts an agent with a worktree. */
	private placeOfWorktrees({ mode }: Confinement, agent: AgentId | undefined): Pick<RunPlaces, "worktrees"> {
		const { run, settings } = this.deps;
		if (mode === "read-only") return {};
		return { worktrees: worktreesBelow(run(), agent, realpathSync(settings.home)) };
	}

	private worktrees(): string {
		const { run, home } = this.deps.settings;
		return worktreesOfRun(run, realpathSync(home));
	}

	/** Of places without a layer nothing more can be said here than that they are read. */
	private variablesOf({ mounts, ...others }: Confinement): Record<string, string> {
		const layered = this.layers.map(({ of }) => of);
		const seen = mounts.filter(({ as, path }) => as !== "copy" || layered.includes(path));
		return cacheVariables(this.deps.settings.env, { ...others, mounts: seen }, existsSync);
	}

	/** Gives the output of a command its second name. */
	commandStarted(agent: AgentId, command: number, file: Confined["file"] | undefined): void {
		if (file?.sandbox === undefined) return;
		const { directory } = this.deps;
		const log = commandLog(command);
		const read = outputPath(directory, agent, log);
		const written = relative(directory, outputPath(join(directory, OUTPUT), agent, log));
		try {
			inDirectoryOf(directory, written, (place) => linkSync(place, read));
			if (!lstatSync(read).isFile()) rmSync(read); // a command of the agent above has put something else there
		} catch {
			// ENOENT: nothing could be written; EEXIST: an agent that tells twice. Without a second name people read none.
		}
	}

	/** Once nothing of the run lives any more. */
	close(): void {
		const { directory, settings } = this.deps;
		removeTree(join(directory, TEMPORARY), ".agentree-removed-"); // what cannot be removed goes with the run
		if (settings.sandbox !== undefined) dropIfEmpty(this.worktrees());
		removeLayers(directory);
		removeFills(settings);
	}
}

function withGuards(confinement: Confinement, own: OwnWorktree | undefined): Confinement {
	if (own === undefined) return confinement;
	const entry = entryOfWorktree(own);
	const guards = guardsInWorktree(confinement, { ...own, entry }, lookAtPlace);
	return { ...confinement, mounts: [...confinement.mounts, ...guards] };
}

function dropIfEmpty(directory: string): void {
	try {
		rmdirSync(directory);
	} catch {} // a worktree is kept in it
}

function ownNetworkOf({ network }: Confinement): "proxy" | "none" | undefined {
	return network === "host" ? undefined : network;
}

/** For an agent that goes on: it reads what it has said, and no other file of the run's. A link would let its commands write there. */
function copyTranscript(directory: string, { from, to }: { from: string; to: string }): void {
	const found = statSync(from, { throwIfNoEntry: false });
	if (found === undefined || found.size === 0) return;
	const file = createWithin(directory, relative(directory, to));
	try {
		writeFileSync(file, readFileSync(from));
	} finally {
		closeSync(file);
	}
}

/** bwrap hides what a path leads to only where no link stands on the way. */
function withoutLinks<T extends Record<string, string>>(paths: T): T {
	return Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, realpathSync(path)])) as T;
}

/** Commands of the agents above write where the pipes go to: no link there leads elsewhere. */
function isMoved(name: string, { shared, pipes }: { shared: string; pipes: string }): boolean {
	try {
		inDirectoryOf(shared, relative(shared, join(pipes, name)), (place) => renameSync(join(shared, name), place));
		return true;
	} catch {
		return false; // the agent makes one itself
	}
}
