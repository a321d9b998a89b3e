/** The arguments of bwrap (bwrap(1)) as steps: those that mount something, and single words of anything else. bubblewrap-args.ts writes them. Pure. */

export interface Step {
	readonly words: readonly string[];
	/** What is mounted, and how; absent for what mounts nothing. */
	readonly mount?: Mounting;
}

export interface Mounting {
	/** The first word: `--tmpfs` stands behind `--perms`. */
	readonly word: string;
	/** Absent for what is made anew. */
	readonly from: string | undefined;
	readonly path: string;
}

/** How many words such a mount has; the last one is the path. */
const SIZES: Readonly<Record<string, number>> = {
	...{ "--perms": 4, "--dev": 2, "--proc": 2 },
	...{ "--ro-bind": 3, "--ro-bind-try": 3, "--bind": 3, "--bind-try": 3 },
};

export function mountSteps(args: readonly string[]): Step[] {
	const steps: Step[] = [];
	for (let at = 0; at < args.length; ) {
		const word = args[at] ?? "";
		const words = args.slice(at, at + (SIZES[word] ?? 1));
		at += words.length;
		const path = words.at(-1) ?? "";
		steps.push(
			words.length === 1
				? { words }
				: { words, mount: { word, from: words.length === 3 ? words[1] : undefined, path } },
		);
	}
	return steps;
}

/** An empty directory, or an empty file from elsewhere, in place of what is there. */
export function hides({ word, from, path }: Mounting): boolean {
	return word === "--perms" || (word === "--ro-bind" && from !== path);
}
