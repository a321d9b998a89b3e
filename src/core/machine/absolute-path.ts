/**
 * PATH for what this product starts by its name. A relative entry, and an empty one, means the working directory: that is a
 * project, in which agents write. Pure.
 */

export const USUAL_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Of the system alone: for programs that every system has there. */
export const SYSTEM_PATH = "/usr/bin:/bin:/usr/sbin:/sbin:/run/current-system/sw/bin:/run/current-system/profile/bin";

/** The absolute entries; without any, the usual ones. */
export function absolutePath(path: string | undefined): string {
	return (path ?? "").split(":").filter(isAbsolute).join(":") || USUAL_PATH;
}

function isAbsolute(entry: string): boolean {
	return entry.startsWith("/");
}
