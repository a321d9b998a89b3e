/** Paths, lists of them in PATH, and paths in tables of mounts. Pure. */

export const USUAL_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Of the system alone: for programs that every system has there. */
export const SYSTEM_PATH = "/usr/bin:/bin:/usr/sbin:/sbin:/run/current-system/sw/bin:/run/current-system/profile/bin";

/**
 * PATH for what this product starts by its name: the absolute entries; without any, the usual ones. A relative entry, and an empty
 * one, means the working directory: that is a project, in which agents write.
 */
export function absolutePath(path: string | undefined): string {
	const entries = (path ?? "").split(":");
	return entries.filter((entry) => entry.startsWith("/")).join(":") || USUAL_PATH;
}

/** Whether an absolute path is that of the directory or of what lies in it. Both without a slash at the end. */
export function isAtOrBelow(path: string, directory: string): boolean {
	return path === directory || directory === "/" || path.startsWith(`${directory}/`);
}

/** A path as tables of mounts have it: fstab(5), /proc/self/mounts and proc_pid_mountinfo(5). */
export function escaped(path: string): string {
	return path.replaceAll(" ", "\\040").replaceAll("\t", "\\011");
}

export function unescaped(text: string): string {
	return text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
