/** The layers of a run above the caches of its user: one is made for each that can be had here. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Confinement } from "../core/sandbox.ts";
import { canBeLayered, LAYER_ENVIRONMENT, LAYER_PARTS, type Layer, layerArgs } from "../sandbox/layers.ts";
import { TRIAL_MS } from "../sandbox/probe.ts";
import { makeDirectoriesBelow } from "../store/directories-below.ts";
import { removeTree } from "../store/remove-tree.ts";

const LAYERS = "layers";

/** `directory`: the run's. What is not among them is left to be read. */
export function makeLayers(directory: string, { mounts }: Confinement, program: string): Layer[] {
	const wanted = mounts.flatMap(({ path, as }) =>
		as === "copy" ? [{ of: path, at: join(directory, LAYERS, nameOf(path)) }] : [],
	);
	const layers = wanted.filter(canBeLayered);
	if (layers.length === 0) return [];
	for (const { at } of layers) for (const part of LAYER_PARTS) makeDirectoriesBelow(directory, join(at, part));
	const { stdout } = spawnSync(program, layerArgs(layers), {
		...{ encoding: "utf8", env: LAYER_ENVIRONMENT, timeout: TRIAL_MS },
		stdio: ["ignore", "pipe", "ignore"],
	});
	const answers = (stdout ?? "").split("\n");
	return layers.filter((_, at) => answers[at] === "yes");
}

/** The same in a run that goes on, whatever else has a layer then. */
function nameOf(path: string): string {
	return createHash("sha256").update(path).digest("hex").slice(0, 16);
}

export function removeLayers(directory: string): void {
	removeTree(join(directory, LAYERS), ".agentree-removed-"); // what cannot be removed goes with the run
}
