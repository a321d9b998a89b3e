/** Why the program cannot work on this system at all, as one line; undefined where it can. */
export function whyNotHere(platform: string): string | undefined {
	return platform === "win32" ? "agentree needs a Unix: use WSL" : undefined;
}
