/**
 * The layers of a run above directories of its user, mounted in namespaces that a process keeps until the run ends: agent 1 starts the
 * sandboxes of its commands there. The mounts are made while agent 1 starts.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Confinement } from "../../core/machine/sandbox.ts";
import { makeDirectoriesBelow, replaceText } from "../../record/files/private-files.ts";
import { removeTree } from "../../record/files/remove-tree.ts";
import {
	canBeLayered,
	findNsenter,
	isMounted,
	LAYER_ENVIRONMENT,
	type Layer,
	layerArgs,
	layersTable,
	partsOf,
} from "../../sandbox/layers.ts";
import { TRIAL_MS } from "../../sandbox/probe.ts";
import { placesSeenThrough } from "../../sandbox/socket-places.ts";

const LAYERS = "layers";
const BARE = "bare";

interface Layered {
	/** The run's. */
	readonly directory: string;
	readonly sandbox: { readonly program: string; readonly confinement: Confinement };
	/** The user's home directories. */
	readonly homes: readonly string[];
	/** When this supervisor began. */
	readonly now: number;
}

export class RunLayers {
	/** What can be had here. Known once it is `ready`. */
	mounted: readonly Layer[] = [];
	/** The process in whose namespaces they are; absent where none is mounted. */
	pid: number | undefined;
	readonly ready: Promise<void>;
	private readonly keeper: ChildProcess | undefined;
	private readonly directory: string;

	constructor({ directory, sandbox, homes, now }: Layered) {
		this.directory = directory;
		const layers = wantedLayers(directory, sandbox.confinement, { homes, now });
		this.keeper = layers.length === 0 || findNsenter() === undefined ? undefined : this.mount(layers, sandbox.program);
		this.ready = this.keeper === undefined ? Promise.resolve() : this.readMounted(this.keeper, layers);
	}

	private mount(layers: readonly Layer[], program: string): ChildProcess {
		const bare = join(this.directory, LAYERS, BARE);
		makeDirectoriesBelow(this.directory, bare);
		for (const layer of layers) for (const part of partsOf(layer)) makeDirectoriesBelow(this.directory, part);
		const table = join(this.directory, LAYERS, "table");
		replaceText(table, layersTable(layers, bare), { mode: 0o400 });
		// In a session of its own: Ctrl-C is for the supervisor alone, with which the kernel ends it.
		return spawn(program, layerArgs(table), {
			...{ env: LAYER_ENVIRONMENT, detached: true },
			stdio: ["ignore", "pipe", "ignore"],
		});
	}

	private async readMounted(keeper: ChildProcess, layers: readonly Layer[]): Promise<void> {
		const { said, pid } = await lastWordsOf(keeper);
		this.mounted = layers.filter((layer) => isMounted(layer, said));
		if (this.mounted.length > 0) this.pid = pid;
	}

	/** Once nothing of the run lives any more. */
	close(): void {
		this.keeper?.kill("SIGKILL");
	}

	/** Mounts go with what is removed below them. */
	remove(): void {
		removeTree(join(this.directory, LAYERS), ".agentree-removed-"); // what cannot be removed goes with the run
	}
}

/** What is not among them is left to be read. */
function wantedLayers(
	directory: string,
	{ mounts }: Confinement,
	{ homes, now }: Pick<Layered, "homes" | "now">,
): Layer[] {
	const at = (name: string) => join(directory, LAYERS, name);
	const written = mounts.flatMap(({ path, as }) =>
		as === "copy" ? [{ of: path, at: at(nameOf(path)), work: `work-${now}` }] : [],
	);
	const seenThrough = placesSeenThrough(homes).map((of, index) => ({ of, at: at(`seen-through-${index}`) }));
	return [...written, ...seenThrough].filter(canBeLayered);
}

function nameOf(path: string): string {
	return createHash("sha256").update(path).digest("hex").slice(0, 16);
}

/** What it says up to its pid; nothing of one that ended before, or did not say so in time. */
function lastWordsOf(keeper: ChildProcess): Promise<{ said: string; pid?: number }> {
	return new Promise((resolve) => {
		let said = "";
		const late = setTimeout(() => keeper.kill("SIGKILL"), TRIAL_MS);
		const end = (found: { said: string; pid?: number }) => {
			clearTimeout(late);
			resolve(found);
		};
		keeper.stdout?.on("data", (chunk: Buffer) => {
			said += chunk.toString();
			const [, pid] = /^pid (\d+)$/m.exec(said) ?? [];
			if (pid === undefined) return;
			keeper.unref();
			keeper.stdout?.destroy();
			end({ said, pid: Number(pid) });
		});
		keeper.once("error", () => end({ said: "" }));
		keeper.once("close", () => end({ said: "" }));
	});
}
