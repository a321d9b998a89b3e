/** Takes places that have gone since the run began out of the arguments of bwrap. */
import { hides, mountSteps } from "./mount-args.ts";

/**
 * A file or a socket that is hidden may be gone by now, as when the program that listens there has ended: bwrap has nothing to mount
 * on then, and would start no command. Nor would it where a directory above what is kept has become a file, as when git takes a submodule's
 * repository out of its tree: `-try` is for what is not there. `isThere`: whether there is something at a path.
 */
export function mountsThere(args: readonly string[], isThere: (path: string) => boolean): string[] {
	const kept = mountSteps(args).filter(
		({ mount }) => mount === undefined || !(hides(mount) || mount.from === mount.path) || isThere(mount.path),
	);
	return kept.flatMap(({ words }) => words);
}
