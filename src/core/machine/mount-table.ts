/** Paths in tables of mounts: fstab(5), /proc/self/mounts and proc_pid_mountinfo(5). Pure. */

export function escaped(path: string): string {
	return path.replaceAll(" ", "\\040").replaceAll("\t", "\\011");
}

export function unescaped(text: string): string {
	return text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
