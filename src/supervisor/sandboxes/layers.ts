/** The layers of a run above directories of its user: one is made for each that can be had here. */
import { spawnSync } from "node:child_process";
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
	LAYER_PARTS,
	type Layer,
	layerArgs,
	layersTable,
	mergedIn,
} from "../../sandbox/layers.ts";
import { TRIAL_MS } from "../../sandbox/probe.ts";
import { placesSeenThrough } from "../../sandbox/socket-places.ts";

const LAYERS = "layers";
const BARE = "bare";

/** `directory`: the run's. What is not among them is left to be read. Without nsenter no command would be where they are mounted. */
export function makeLayers(
	directory: string,
	{ program, confinement: { mounts } }: { program: string; confinement: Confinement },
	homes: readonly string[],
): Layer[] {
	const bare = join(directory, LAYERS, BARE);
	const wanted = mounts.flatMap(({ path, as }) =>
		as === "copy" ? [{ of: path, at: join(directory, LAYERS, nameOf(path)) }] : [],
	);
	const written = wanted.filter(canBeLayered);
	const seenThrough = placesSeenThrough(homes)
		.map((of, at) => ({
			...{ of, at: join(directory, LAYERS, `seen-through-${at}`), isSeenThrough: true as const },
		}))
		.filter(canBeLayered);
	const layers = [...written, ...seenThrough];
	if (layers.length === 0 || findNsenter() === undefined) return [];
	makeDirectoriesBelow(directory, bare);
	for (const layer of seenThrough) makeDirectoriesBelow(directory, mergedIn(layer));
	for (const { at } of written) for (const part of LAYER_PARTS) makeDirectoriesBelow(directory, join(at, part));
	replaceText(tableOf(directory), layersTable(layers, bare), { mode: 0o400 });
	const { stdout } = spawnSync(program, layerArgs(tableOf(directory)), {
		...{ encoding: "utf8", env: LAYER_ENVIRONMENT, timeout: TRIAL_MS },
		stdio: ["ignore", "pipe", "ignore"],
	});
	return layers.filter((layer) => isMounted(layer, stdout ?? ""));
}

/** Of the run's layers, for its agents. */
export function tableOf(directory: string): string {
	return join(directory, LAYERS, "fstab");
}

/** The same in a run that goes on, whatever else has a layer then. */
function nameOf(path: string): string {
	return createHash("sha256").update(path).digest("hex").slice(0, 16);
}

export function removeLayers(directory: string): void {
	removeTree(join(directory, LAYERS), ".agentree-removed-"); // what cannot be removed goes with the run
}
