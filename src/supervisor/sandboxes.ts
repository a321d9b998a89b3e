/**
 * The sandboxes of a run's agents. An agent in a sandbox sees of the run's directory the output of its own commands alone, and of
 * those below it: it lies in a tree of its own, `output/`, with a second name where it is read, in the agent's directory.
 */
import {
	closeSync,
	linkSync,
	lstatSync,
	mkdirSync,
	readFileSync,
	realpathSync,
	renameSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import type { AgentId } from "../core/agent.ts";
import { commandLog } from "../core/command.ts";
import { defined } from "../core/defined.ts";
import { pipesDirectory, proxySocket } from "../core/pipe-path.ts";
import { type Confinement, narrowed } from "../core/sandbox.ts";
import type { AgentFile } from "../core/transcript.ts";
import { createWithin, inDirectoryOf, makeDirectoriesWithin } from "../processes/open-within.ts";
import type { Join } from "../protocol/agent-messages.ts";
import type { Joined } from "../protocol/joined-message.ts";
import { bubblewrapArgs } from "../sandbox/bubblewrap-args.ts";
import { hiddenBy } from "../sandbox/confinement-of.ts";
import { unfillRepository } from "../sandbox/git-places.ts";
import { lookAtPlace, neededPlaces } from "../sandbox/look-at-places.ts";
import { seccompFilter } from "../sandbox/seccomp-filter.ts";
import { makeDirectoriesBelow } from "../store/directories-below.ts";
import { removeTree } from "../store/remove-tree.ts";
import { agentDirectory, outputPath, transcriptPath } from "../store/run-directory.ts";
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
}

/** Of an agent. */
interface Confined {
	readonly file: Pick<AgentFile, "sandbox">;
}

type Made = Pick<Joined, "directory" | "pipes" | "sandbox">;

export class Sandboxes {
	private readonly deps: SandboxesDeps;
	private readonly hasFilter: boolean = false;

	constructor(deps: SandboxesDeps) {
		this.deps = deps;
		const { settings, directory, shimDirectory } = deps;
		if (settings.sandbox === undefined) return;
		makeDirectoriesBelow(directory, join(directory, TEMPORARY));
		writeFileSync(join(shimDirectory, EMPTY), "", { mode: 0o400, flag: "w" });
		const filter = seccompFilter(process.arch);
		this.hasFilter = filter !== undefined;
		if (filter !== undefined) writeFileSync(join(shimDirectory, FILTER), filter, { mode: 0o400, flag: "w" });
	}

	/** What confines an agent that joins; undefined for no sandbox. */
	confinementOf(join: Join, parent: Confined | undefined): Confinement | undefined {
		const { settings } = this.deps;
		const above = parent === undefined ? settings.sandbox?.confinement : parent.file.sandbox;
		if (above === undefined || join.sandbox === undefined) return above;
		return narrowed(above, join.sandbox, hiddenBy(join.sandbox, lookAtPlace)).confinement;
	}

	/** Of an agent that goes on: no wider than it was, and no wider than what is above it now. */
	confinementAgain(before: Confinement | undefined, parent: Confined | undefined): Confinement | undefined {
		if (parent === undefined) return this.deps.settings.sandbox?.confinement;
		const above = parent.file.sandbox;
		if (above === undefined || before === undefined) return above;
		const { mode, mounts, network, hosts } = before;
		const allowWrite = mounts.flatMap(({ as, path }) => (as === "write" ? [path] : []));
		const hidden = mounts.filter(({ as }) => as !== "write" && as !== "read");
		return narrowed(above, { mode, allowWrite, network, allowHosts: hosts }, hidden).confinement;
	}

	/** What an agent asks for and is not given. */
	noticesOf({ sandbox: wish }: Pick<Join, "sandbox">, parent: Confined | undefined): string[] | undefined {
		if (parent === undefined || wish === undefined) return undefined;
		const above = parent.file.sandbox;
		if (above === undefined)
			return wish.mode === "off"
				? undefined
				: ["no sandbox: the run has none, and a child agent is in that of its run"];
		const { notices } = narrowed(above, wish, []);
		return notices.length === 0 ? undefined : [...notices];
	}

	/** `made` for an agent in a sandbox: with places that its commands may see. */
	open({ id, file }: Confined & { readonly id: AgentId }, made: Made, isNested: boolean): Made {
		if (file.sandbox === undefined) return made;
		const { directory, settings } = this.deps;
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
			sandbox: { ...this.sandboxOf(id, file.sandbox, isNested), pipesDirectory: pipes },
		};
	}

	/** A sandbox with that confinement and the places of that agent. `isNested`: it is made inside another one of the run. */
	sandboxOf(id: AgentId, confinement: Confinement, isNested: boolean) {
		const { directory, settings, shimDirectory, uid } = this.deps;
		const output = agentDirectory(join(directory, OUTPUT), id);
		const pipes = agentDirectory(pipesDirectory(settings.socket), id);
		const empty = join(shimDirectory, EMPTY);
		const own = { stateDirectory: settings.home, shims: shimDirectory, empty, socket: settings.socket, pipes, output };
		const places = {
			...withoutLinks({ temporary: join(directory, TEMPORARY), ...own }),
			proxySocket: proxySocket(realpathSync(settings.socket)),
			needed: neededPlaces(settings),
		};
		const filter = isNested || !this.hasFilter ? undefined : join(shimDirectory, FILTER);
		const { keepsBackground } = settings;
		const nesting = { isNested, isRoot: uid === 0, keepsBackground, isFiltered: filter !== undefined };
		const args = bubblewrapArgs(confinement, places, nesting);
		const program = settings.sandbox?.program ?? "bwrap";
		return { program, args, confinement, ...defined({ filter, network: ownNetworkOf(confinement) }) };
	}

	/** Moves a pipe to where the agent's commands see it. Gives the path that it has there; undefined: it could not be moved. */
	givePipe(agent: AgentId, name: string, { sandbox }: Confined["file"]): string | undefined {
		const shared = pipesDirectory(this.deps.settings.socket);
		if (sandbox === undefined) return join(shared, name);
		const pipes = agentDirectory(shared, agent);
		return isMoved(name, { shared, pipes }) ? join(realpathSync(pipes), name) : undefined;
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
		for (const { path } of settings.sandbox?.confinement.mounts ?? [])
			if (basename(path) === "commondir") unfillRepository(dirname(path));
	}
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
