/** Why the program cannot work on this system, as one line; undefined where it can. */
export function whyUnsupported(platform: string): string | undefined {
	return platform === "win32" ? "agentree needs a Unix: use WSL" : undefined;
}
