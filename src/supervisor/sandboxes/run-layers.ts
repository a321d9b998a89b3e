/**
 * The layers of a run above directories of its user, mounted in namespaces that a process keeps until the run ends: agent 1 starts the
 * sandboxes of its commands there. The mounts are made while agent 1 starts.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Confinement } from "../../core/machine/sandbox.ts";
import { makeDirectoriesBelow, replaceText } from "../../record/files/private-files.ts";
import { removeTree } from "../../record/files/remove-tree.ts";
import { canBeLayered, findNsenter, isMounted, type Layer, layersTable, partsOf } from "../../sandbox/layers.ts";
import { placesSeenThrough } from "../../sandbox/socket-places.ts";
import { keepLayers, type LayersKeeper } from "../processes/layers-keeper.ts";

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
	private readonly keeper: LayersKeeper | undefined;
	private readonly directory: string;

	constructor({ directory, sandbox, homes, now }: Layered) {
		this.directory = directory;
		const layers = wantedLayers(directory, sandbox.confinement, { homes, now });
		// Without nsenter no command would be where they are mounted.
		this.keeper = layers.length === 0 || findNsenter() === undefined ? undefined : this.mount(layers, sandbox.program);
		this.ready = this.keeper === undefined ? Promise.resolve() : this.readMounted(this.keeper, layers);
	}

	private mount(layers: readonly Layer[], program: string): LayersKeeper {
		const bare = join(this.directory, LAYERS, BARE);
		makeDirectoriesBelow(this.directory, bare);
		for (const layer of layers) for (const part of partsOf(layer)) makeDirectoriesBelow(this.directory, part);
		const table = join(this.directory, LAYERS, "table");
		replaceText(table, layersTable(layers, bare), { mode: 0o400 });
		return keepLayers(program, table);
	}

	private async readMounted(keeper: LayersKeeper, layers: readonly Layer[]): Promise<void> {
		const { mounts, pid } = await keeper.said;
		this.mounted = layers.filter((layer) => isMounted(layer, mounts));
		if (this.mounted.length > 0) this.pid = pid;
	}

	/** Once nothing of the run lives any more. */
	close(): void {
		this.keeper?.end();
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

/** The same in a run that goes on, whatever else has a layer then. */
function nameOf(path: string): string {
	return createHash("sha256").update(path).digest("hex").slice(0, 16);
}
