/**
 * The sandboxes of a run's agents. An agent in a sandbox sees of the run's directory the output of its own commands alone, and of
 * those below it: it lies in a tree of its own, `output/`, with a second name where it is read, in the agent's directory.
 */
import { linkSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentId } from "../core/agent.ts";
import { commandLog } from "../core/command.ts";
import { pipesDirectory } from "../core/pipe-path.ts";
import { type Confinement, narrowed } from "../core/sandbox.ts";
import type { AgentFile } from "../core/transcript.ts";
import type { Join } from "../protocol/agent-messages.ts";
import type { Joined } from "../protocol/joined-message.ts";
import { bubblewrapArgs } from "../sandbox/bubblewrap-args.ts";
import { hiddenBy } from "../sandbox/confinement-of.ts";
import { lookAtPlace, neededPlaces } from "../sandbox/look-at-places.ts";
import { makeDirectoriesBelow } from "../store/directories-below.ts";
import { agentDirectory, outputPath } from "../store/run-directory.ts";
import type { RunSettings } from "./run-settings.ts";

/** What the commands of a run have as /tmp. */
const TEMPORARY = "tmp";
const OUTPUT = "output";
const EMPTY = "empty";

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

	constructor(deps: SandboxesDeps) {
		this.deps = deps;
		const { settings, directory, shimDirectory } = deps;
		if (settings.sandbox === undefined) return;
		makeDirectoriesBelow(directory, join(directory, TEMPORARY));
		writeFileSync(join(shimDirectory, EMPTY), "", { mode: 0o400, flag: "w" });
	}

	/** What confines an agent that joins; undefined for no sandbox. */
	confinementOf(join: Join, parent: Confined | undefined): Confinement | undefined {
		const { settings } = this.deps;
		const above = parent === undefined ? settings.sandbox?.confinement : parent.file.sandbox;
		if (above === undefined || join.sandbox === undefined) return above;
		return narrowed(above, join.sandbox, hiddenBy(join.sandbox, lookAtPlace)).confinement;
	}

	/** `made` for an agent in a sandbox: with places that its commands may see. */
	open({ id, file }: Confined & { readonly id: AgentId }, made: Made, parent: Confined | undefined): Made {
		const { sandbox } = this.deps.settings;
		if (sandbox === undefined || file.sandbox === undefined) return made;
		const { directory, settings, shimDirectory, uid } = this.deps;
		const output = agentDirectory(join(directory, OUTPUT), id);
		makeDirectoriesBelow(directory, join(output, "out"));
		const shared = pipesDirectory(settings.socket);
		const pipes = agentDirectory(shared, id);
		mkdirSync(pipes, { recursive: true, mode: 0o700 });
		const places = {
			...{ temporary: join(directory, TEMPORARY), stateDirectory: settings.home, shims: shimDirectory },
			...{ empty: join(shimDirectory, EMPTY), socket: settings.socket, pipes, output },
			needed: neededPlaces(settings),
		};
		const isNested = parent?.file.sandbox !== undefined;
		const nesting = { isNested, isRoot: uid === 0, keepsBackground: settings.keepsBackground };
		const args = bubblewrapArgs(file.sandbox, places, nesting);
		return {
			directory: output,
			pipes: made.pipes.filter((name) => isMoved(join(shared, name), join(pipes, name))),
			sandbox: { program: sandbox.program, args, pipesDirectory: pipes },
		};
	}

	/** Gives the output of a command its second name. */
	commandStarted(agent: AgentId, command: number, file: Confined["file"] | undefined): void {
		if (file?.sandbox === undefined) return;
		const { directory } = this.deps;
		const log = commandLog(command);
		try {
			linkSync(outputPath(join(directory, OUTPUT), agent, log), outputPath(directory, agent, log));
		} catch {
			// ENOENT: nothing could be written; EEXIST: an agent that tells twice. Without a second name people read none.
		}
	}

	/** Once nothing of the run lives any more. */
	close(): void {
		rmSync(join(this.deps.directory, TEMPORARY), { recursive: true, force: true });
	}
}

function isMoved(from: string, to: string): boolean {
	try {
		renameSync(from, to);
		return true;
	} catch {
		return false; // the agent makes one itself
	}
}
