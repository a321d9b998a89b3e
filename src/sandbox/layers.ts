/**
 * Layers of a run above directories of its user: what commands write there goes to the layer (overlayfs, Linux 5.11 for users), and
 * what lies below stays as it is. They are mounted in a namespace of their own, in which the commands' sandboxes are made.
 */

/** `at`: a directory of the run's with the directories of `LAYER_PARTS`. */
export interface Layer {
	readonly of: string;
	readonly at: string;
}

/** What is written, the kernel's own, and where both are seen as one. */
export const LAYER_PARTS = ["upper", "work", "merged"] as const;

export const mergedIn = ({ at }: Pick<Layer, "at">): string => `${at}/merged`;

/** mount(8) separates options and directories by these. */
const NOT_IN_OPTIONS = /[,:\\"'\n]/;

export function canBeLayered({ of, at }: Layer): boolean {
	return !NOT_IN_OPTIONS.test(of) && !NOT_IN_OPTIONS.test(at);
}

/** The environment of `layerArgs`: `mount` is looked for in the system's directories alone. */
export const LAYER_ENVIRONMENT = { PATH: "/usr/bin:/bin:/usr/sbin:/sbin:/run/current-system/sw/bin" };

/** bwrap's, for `layered`. CAP_DAC_OVERRIDE: the kernel makes a directory that nobody may enter. It holds for files of the user alone. */
export const LAYER_CAPABILITIES = ["--cap-add", "CAP_SYS_ADMIN", "--cap-add", "CAP_DAC_OVERRIDE"];

const SCRIPT = `
count=$1
shift
while [ "$count" -gt 0 ]; do
	mount -t overlay overlay -o "lowerdir=$1,upperdir=$2/upper,workdir=$2/work,userxattr" "$2/merged" && echo yes || echo no
	shift 2
	count=$((count - 1))
done
[ $# = 0 ] || exec "$@"
echo "pid $$"
read -r _`;

/** Mounts the layers, prints `yes` or `no` for each, and becomes the program; without one it prints its pid, and stays until its stdin ends. */
export function layered(layers: readonly Layer[], ...program: readonly string[]): string[] {
	return ["sh", "-c", SCRIPT, "sh", String(layers.length), ...layers.flatMap(({ of, at }) => [of, at]), ...program];
}

/** Those of bwrap for the layers alone. */
export function layerArgs(layers: readonly Layer[]): string[] {
	const places = ["--die-with-parent", "--dev-bind", "/", "/", "--"];
	return ["--unshare-user", ...LAYER_CAPABILITIES, ...places, ...layered(layers)];
}
