import { existsSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryAround } from "../repository-around.ts";

const IGNORES = ".gitignore";

/** A state directory in a repository is no part of that: neither `git status` nor `git add .` is to have it. */
export function keepFromGit(home: string): void {
	try {
		if (repositoryAround(realpathSync(home)) === undefined) return;
		writeFileSync(join(home, IGNORES), "*\n", { flag: "wx", mode: 0o600 });
	} catch {
		// it has one already, or takes nothing, which the run itself says
	}
}

/** That file, where there is one: a sandbox that hides the rest shows it. */
export function ignoresIn(home: string): string[] {
	const path = join(realpathSync(home), IGNORES);
	return existsSync(path) ? [path] : [];
}
