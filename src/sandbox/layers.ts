/**
 * Layers of a run above directories of its user: what commands write there goes to the layer (overlayfs, Linux 5.11 for users), and
 * what lies below stays as it is. They are mounted in a namespace of their own, in which the commands' sandboxes are made.
 */

import { accessSync, constants } from "node:fs";
import { escaped, SYSTEM_PATH } from "../core/machine/paths.ts";

/** `at`: a directory of the run's. */
export interface Layer {
	readonly of: string;
	readonly at: string;
	/**
	 * The kernel's own directory in `at`, a new one for each time that it is mounted (`volatile`). Absent: the layer is there to be seen
	 * through, and nothing is written to it: socket-places.ts.
	 */
	readonly work?: string;
}

const upperIn = ({ at }: Layer): string => `${at}/upper`;
const workIn = ({ at }: Layer, work: string): string => `${at}/${work}`;
/** Where the layer and what lies below are seen as one. */
export const mergedIn = ({ at }: Pick<Layer, "at">): string => `${at}/merged`;

/** Its directories, to be made before it is mounted. */
export function partsOf(layer: Layer): string[] {
	const { work } = layer;
	return [mergedIn(layer), ...(work === undefined ? [] : [upperIn(layer), workIn(layer, work)])];
}

/** mount(8) separates options and directories by these. */
const NOT_IN_OPTIONS = /[,:\\"'\n]/;

export function canBeLayered({ of, at }: Layer): boolean {
	return !NOT_IN_OPTIONS.test(of) && !NOT_IN_OPTIONS.test(at);
}

/** The environment of `layerArgs`: `mount` is looked for in the system's directories alone. */
export const LAYER_ENVIRONMENT = { PATH: SYSTEM_PATH };

/** bwrap's, for `layered`. CAP_DAC_OVERRIDE: the kernel makes a directory that nobody may enter. It holds for files of the user alone. */
export const LAYER_CAPABILITIES = ["--cap-add", "CAP_SYS_ADMIN", "--cap-add", "CAP_DAC_OVERRIDE"];

/** One mount(8) for all: each of its processes costs more than a mount. It goes on behind one that cannot be made. */
const SCRIPT = `
mount -a -T "$1"
while read -r _ path type _; do
	[ "$type" != overlay ] || printf '%s\\n' "$path"
done </proc/self/mounts
echo "pid $$"
exec sleep 2000000000`;

/**
 * The text of a table of layers: a file as fstab(5), from which they are mounted. `bare`: a directory of the run's, on which an empty file
 * system is mounted for those that nothing is written to: an overlay needs two directories, neither in the other. No option is one of
 * mount(8)'s own (`x-…`): it would keep these in /run/mount/utab for good, where root runs agents, and read all of that for each mount.
 * `volatile`: else the kernel writes all that waits to be written to the user's disk, whoever wrote it, when the run ends.
 */
export function layersTable(layers: readonly Layer[], bare: string): string {
	const lines = layers.map((layer) => {
		const { of, work } = layer;
		const options =
			work === undefined
				? `ro,lowerdir=${of}:${bare}`
				: `volatile,lowerdir=${of},upperdir=${upperIn(layer)},workdir=${workIn(layer, work)}`;
		return `overlay ${escaped(mergedIn(layer))} overlay ${escaped(options)},userxattr 0 0\n`;
	});
	return [`tmpfs ${escaped(bare)} tmpfs ro 0 0\n`, ...lines].join("");
}

/**
 * In the namespace of the layers: looks again at what lies below those that are seen through. It may change meanwhile, but what was looked up
 * stays as it was until it is forgotten, as by a remount (reconfigure_super in the kernel's fs/super.c).
 */
export const SEEN_AFRESH = ["mount", "-a", "-t", "overlay", "-O", "ro", "-o", "remount,ro"];
/** By the newer calls mount(8) asks the kernel to change each option, which it does not do (mount(8), libmount 2.39). */
export const AFRESH_ENVIRONMENT = { ...LAYER_ENVIRONMENT, LIBMOUNT_FORCE_MOUNT2: "always" };

/** Whether a layer is among the overlays that were printed. */
export function isMounted(layer: Layer, printed: string): boolean {
	return printed.split("\n").includes(escaped(mergedIn(layer)));
}

/**
 * Those of bwrap for a process that mounts the layers of a table in a namespace of its own, prints what overlays there are, then its pid,
 * and stays until it is killed, or this process ends.
 */
export function layerArgs(table: string): string[] {
	const places = ["--die-with-parent", "--dev-bind", "/", "/", "--"];
	return ["--unshare-user", ...LAYER_CAPABILITIES, ...places, "sh", "-c", SCRIPT, "sh", table];
}

/**
 * nsenter(1), which starts a command in the network of its agent, and where the run's layers are mounted. Looked for in the system's
 * directories alone: what PATH names might be a file of the agent's own.
 */

const NSENTERS = ["/usr/bin/nsenter", "/bin/nsenter", "/usr/sbin/nsenter", "/run/current-system/sw/bin/nsenter"];

export const NO_NSENTER = "nsenter was not found (package util-linux)";

export function findNsenter(): string | undefined {
	return NSENTERS.find((path) => {
		try {
			accessSync(path, constants.X_OK);
			return true;
		} catch {
			return false;
		}
	});
}
