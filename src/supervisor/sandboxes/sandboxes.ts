/**
 * The sandboxes of a run's agents. An agent in a sandbox sees of the run's directory the output of its own commands alone, and of
 * those below it: output-trees.ts.
 */

import { existsSync, mkdirSync, realpathSync, renameSync, rmdirSync } from "node:fs";
import { join, relative } from "node:path";
import { defined } from "../../core/defined.ts";
import type { Confinement } from "../../core/machine/sandbox.ts";
import { type Agent, type AgentId, isOver, ROOT } from "../../core/model/agent.ts";
import { worktreeOf, worktreesBelow, worktreesOfRun } from "../../core/run/file-events.ts";
import { pipesDirectory, proxySocket } from "../../core/run/pipe-path.ts";
import type { OwnWorktree } from "../../core/schemas/own-worktree.ts";
import { inDirectoryOf, makeDirectoriesWithin } from "../../processes/open-within.ts";
import { ignoresIn } from "../../project/repository-around.ts";
import { entryOfWorktree } from "../../project/worktrees/place-worktree.ts";
import type { GitSandbox } from "../../project/worktrees/repository-git.ts";
import { makeDirectoriesBelow, makePrivateDirectory, replaceText } from "../../record/files/private-files.ts";
import { statsOf } from "../../record/files/regular-file.ts";
import { emptyDirectoriesIn, removeTree } from "../../record/files/remove-tree.ts";
import { readableAgentFile } from "../../record/read-run.ts";
import { agentDirectory, transcriptPath } from "../../record/run-directory.ts";
import { bubblewrapArgs, helperArgs, type RunPlaces } from "../../sandbox/bubblewrap-args.ts";
import { cacheVariables } from "../../sandbox/caches.ts";
import { guardsInWorktree, withoutEntry } from "../../sandbox/derived-confinements.ts";
import { type Layer, mergedIn } from "../../sandbox/layers.ts";
import { homesOf, lookAtPlace, neededPlaces } from "../../sandbox/look-at-places.ts";
import { seccompFilter } from "../../sandbox/seccomp-filter.ts";
import { socketPlaces } from "../../sandbox/socket-places.ts";
import type { Joined } from "../../wire/agent-messages.ts";
import type { RegisteredAgent } from "../run/agent-registry.ts";
import type { RunCore } from "../run/run-core.ts";
import { type Confined, type Confinements, mayAskToLeave } from "./confinements.ts";
import type { HeldPlaces } from "./held-places.ts";
import { remakePlaceholders, removeMountPlaceholders } from "./mount-placeholders.ts";
import { copyInto, formerRuns, OutputTrees, readableOutput } from "./output-trees.ts";
import { RunLayers } from "./run-layers.ts";

const TEMPORARY = "tmp"; // what the commands of a run have as /tmp
export const EMPTY = "empty"; // beside the shims, and mounted in each sandbox of the run
const FILTER = "filter";

type Made = Pick<Joined, "pipes" | "sandbox">;

export class Sandboxes {
	private readonly core: RunCore;
	private readonly confinements: Confinements;
	private readonly held: HeldPlaces;
	private readonly isOfRoot = process.getuid?.() === 0;
	private readonly hasFilter: boolean = false;
	private readonly layers: RunLayers | undefined;
	private readonly sockets: readonly string[] = []; // of other programs, when the run began
	private readonly outputs: OutputTrees;
	/** What commands of before have put into /tmp is gone. */
	readonly hasNewTmp: boolean = false;
	private readonly former: readonly string[] = [];
	private ofRun: ReturnType<Sandboxes["lookAtRun"]> | undefined;

	constructor(core: RunCore, confinements: Confinements, held: HeldPlaces) {
		this.core = core;
		this.confinements = confinements;
		this.held = held;
		const { settings, directory, shimDirectory } = core;
		this.outputs = new OutputTrees(directory);
		if (settings.sandbox === undefined) return;
		this.hasNewTmp = !existsSync(join(directory, TEMPORARY));
		makeDirectoriesBelow(directory, join(directory, TEMPORARY));
		makePrivateDirectory(this.worktrees());
		replaceText(join(shimDirectory, EMPTY), "", { mode: 0o400 });
		this.hasFilter = writeFilter(join(shimDirectory, FILTER), settings.sandbox.confinement);
		this.former = formerRuns(directory, settings.home);
		this.layers = new RunLayers({
			...{ directory, sandbox: settings.sandbox, homes: homesOf(settings.env), now: core.host.now() },
		});
		this.sockets = socketPlaces();
	}

	/** To be awaited before the first agent is let in. */
	get ready(): Promise<void> {
		return this.layers?.ready ?? Promise.resolve();
	}

	/** `made` for an agent in a sandbox: with places that its commands may see. To be called when its worktree is made. */
	open({ id, file }: Pick<RegisteredAgent, "id" | "file">, made: Made, isNested: boolean): Made {
		if (file.sandbox === undefined) return made;
		const { directory, settings, run } = this.core;
		if (!isNested) remakePlaceholders(file.sandbox.mounts);
		setImmediate((of) => this.held.hold(withGuards(of, worktreeOf(this.core.run, id))), file.sandbox); // the agent need not wait
		this.outputs.open(id, isNested, run.agents);
		if (isNested) copyInto(directory, { from: transcriptPath(directory, id), to: this.outputs.placeOf(id) }); // it reads what it has said
		const shared = pipesDirectory(settings.socket);
		const pipes = agentDirectory(shared, id);
		mkdirSync(shared, { recursive: true, mode: 0o700 });
		makeDirectoriesWithin(shared, relative(shared, pipes));
		return {
			pipes: made.pipes.filter((name) => isMoved(name, { shared, pipes })),
			sandbox: {
				...{ ...this.sandboxOf(id, file.sandbox, { isNested }), pipesDirectory: pipes },
				...(isNested ? {} : defined({ layers: this.layers?.pid })),
				...(mayAskToLeave(file, settings.asking) && { mayLeave: true }),
			},
		};
	}

	/**
	 * A sandbox with that confinement and the places of that agent. `isNested`: it is made inside another one of the run; `isAside`: not
	 * in the namespace of the layers.
	 */
	sandboxOf(id: AgentId, of: Confinement, { isNested = false, isAside = false }) {
		const { settings, shimDirectory, run } = this.core;
		const confinement = withGuards(of, worktreeOf(run, id));
		const { record, pipes, ...ofRun } = this.placesOfRun();
		const tree = join(record, this.outputs.placeOf(id));
		const places = {
			...ofRun,
			...{ pipes: agentDirectory(pipes, id), output: agentDirectory(record, id), outputTree: tree },
			ofRoot: [agentDirectory(record, ROOT), agentDirectory(pipes, ROOT)],
			readable: [
				...readableOutput(id, { record, former: this.former, tree }),
				...ignoresIn(settings.home).map((path) => ({ path, from: path })),
			],
			...this.placeOfWorktrees(confinement, id),
			layers: this.mergedOf(({ work }) => work !== undefined),
			...(isAside ? {} : { seenThrough: this.mergedOf(({ work }) => work === undefined) }),
			sockets: this.sockets,
		};
		const filter = isNested || !this.hasFilter ? undefined : join(shimDirectory, FILTER);
		const { keepsBackground } = settings;
		const nesting = { isNested, isRoot: this.isOfRoot, keepsBackground, isFiltered: filter !== undefined };
		const args = bubblewrapArgs(confinement, places, nesting);
		const program = settings.sandbox?.program ?? "bwrap";
		return {
			...{ program, args, confinement, variables: this.variablesOf(confinement) },
			...defined({ filter, network: ownNetworkOf(confinement) }),
		};
	}

	/** What all sandboxes of the run have, once it listens. To look for it takes longer than all else for a sandbox. */
	private placesOfRun() {
		this.ofRun ??= this.lookAtRun();
		return this.ofRun;
	}

	private lookAtRun() {
		const { directory, settings, shimDirectory } = this.core;
		const { home: stateDirectory, socket } = settings;
		const own = { record: directory, temporary: join(directory, TEMPORARY), stateDirectory, shims: shimDirectory };
		return {
			...withoutLinks({ ...own, empty: join(shimDirectory, EMPTY), socket, pipes: pipesDirectory(socket) }),
			...{ proxySocket: proxySocket(realpathSync(socket)), needed: neededPlaces(settings) },
		};
	}

	private mounted(): readonly Layer[] {
		return this.layers?.mounted ?? [];
	}

	private mergedOf(isOne: (layer: Layer) => boolean): ReadonlyMap<string, string> {
		return new Map(
			this.mounted()
				.filter(isOne)
				.map((layer) => [layer.of, mergedIn(layer)]),
		);
	}

	/** Moves a pipe to where the agent's commands see it. Gives the path that it has there; undefined: it could not be moved. */
	givePipe(agent: AgentId, name: string, { sandbox }: Confined["file"]): string | undefined {
		const shared = pipesDirectory(this.core.settings.socket);
		if (sandbox === undefined) return join(shared, name);
		const pipes = agentDirectory(shared, agent);
		return isMoved(name, { shared, pipes }) ? join(realpathSync(pipes), name) : undefined;
	}

	/**
	 * In which the supervisor's git works on the worktree of what the agent `above` starts, or of the root for none, with the confinement
	 * of what is above: agents can change what git reads there, at any moment. `entry`: of a worktree that git may remove.
	 */
	git(above: AgentId | undefined, entry?: string): GitSandbox | undefined {
		const { settings, directory, shimDirectory, registry } = this.core;
		const file = above === undefined ? undefined : (registry.get(above)?.file ?? readableAgentFile(directory, above));
		const whole = above === undefined ? this.confinements.ofRun : file?.sandbox;
		const confinement = whole && withoutEntry(whole, entry);
		const { sandbox, home } = settings;
		if (sandbox === undefined || confinement === undefined) return undefined;
		const places: RunPlaces = {
			...withoutLinks({
				temporary: join(directory, TEMPORARY),
				stateDirectory: home,
				empty: join(shimDirectory, EMPTY),
			}),
			...{ needed: neededPlaces(settings), sockets: this.sockets, ...this.placeOfWorktrees(confinement, above) },
		};
		const args = () => {
			const there = { ...confinement, mounts: confinement.mounts.filter(({ path }) => existsSync(path)) };
			return helperArgs(there, places, { isRoot: this.isOfRoot, isFiltered: this.hasFilter });
		};
		return { program: sandbox.program, args, ...(this.hasFilter && { filter: join(shimDirectory, FILTER) }) };
	}

	/** Nothing that is read-only starts an agent with a worktree. */
	private placeOfWorktrees({ mode }: Confinement, agent: AgentId | undefined): Pick<RunPlaces, "worktrees"> {
		const { run, settings } = this.core;
		if (mode === "read-only") return {};
		return { worktrees: worktreesBelow(run, agent, realpathSync(settings.home)) };
	}

	private worktrees(): string {
		const { run, home } = this.core.settings;
		return worktreesOfRun(run, realpathSync(home));
	}

	/** Of places without a layer nothing more can be said here than that they are read. */
	private variablesOf({ mounts, ...others }: Confinement): Record<string, string> {
		const layered = this.mounted().map(({ of }) => of);
		const seen = mounts.filter(({ as, path }) => as !== "copy" || layered.includes(path));
		return cacheVariables(this.core.settings.env, { ...others, mounts: seen }, existsSync);
	}

	commandStarted(agent: AgentId, command: number, file: Confined["file"] | undefined): void {
		if (file?.sandbox !== undefined) this.outputs.commandStarted(agent, command);
	}

	/** The path, below the run's directory, of what an agent's commands have in place of its directory. */
	placeOf(id: AgentId): string {
		return this.outputs.placeOf(id);
	}

	/** Removes what agents have printed into, and the places of their pipes, faster than `close`: for when nothing of the run lives any more. */
	async empty(): Promise<void> {
		this.outputs.keepBugs(this.crashed());
		await Promise.all([this.outputs.empty(), emptyDirectoriesIn(pipesDirectory(this.core.settings.socket))]);
	}

	private crashed(): AgentId[] {
		return Object.values(this.core.run.agents).flatMap((agent) => (hasCrashed(agent) ? [agent.id] : []));
	}

	/** Once nothing of the run lives any more. `isUsed`: but what `--keep-background` has left. */
	close(isUsed: boolean): void {
		const { directory, settings } = this.core;
		this.outputs.close(this.crashed());
		this.layers?.close();
		if (!isUsed) {
			removeTree(join(directory, TEMPORARY), ".agentree-removed-"); // what cannot be removed goes with the run
			this.layers?.remove();
		}
		if (settings.sandbox === undefined) return;
		try {
			rmdirSync(this.worktrees());
		} catch {} // a worktree is kept in it
	}

	/** Once other runs do not see this one any more. */
	leaveProject(): void {
		removeMountPlaceholders(this.core.settings);
	}
}

function hasCrashed(agent: Agent): boolean {
	return isOver(agent) && agent.state.ending.by === "crashed";
}

function withGuards(confinement: Confinement, own: OwnWorktree | undefined): Confinement {
	if (own === undefined) return confinement;
	const entry = entryOfWorktree(own);
	const guards = guardsInWorktree(confinement, { ...own, entry }, lookAtPlace);
	return { ...confinement, mounts: [...confinement.mounts, ...guards] };
}

function ownNetworkOf({ network }: Confinement): "proxy" | "none" | undefined {
	return network === "host" ? undefined : network;
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

/** The filter of system calls of a run's sandboxes, as the file that bwrap reads. */

const SETGID = 0o2000;

/** False: there is none for this machine. */
function writeFilter(path: string, confinement: Confinement): boolean {
	const filter = seccompFilter(process.arch, { mayShareGroup: isShared(confinement) });
	if (filter !== undefined) replaceText(path, filter, { mode: 0o400 });
	return filter !== undefined;
}

/** The directories of a project that several people have, and git's with `core.sharedRepository`, have the bit of their group. */
function isShared({ mounts }: Confinement): boolean {
	const places = mounts.filter(({ as }) => as === "write").flatMap(({ path }) => [path, join(path, ".git")]);
	return places.some((path) => ((statsOf(path)?.mode ?? 0) & SETGID) !== 0);
}
