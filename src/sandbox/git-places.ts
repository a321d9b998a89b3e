/** What of a repository's own directories git runs, or where it finds out what to run (gitrepository-layout(5)). */
import {
	closeSync,
	constants,
	existsSync,
	lstatSync,
	mkdirSync,
	openSync,
	readdirSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { placesInConfiguration } from "./git-configuration.ts";

/** `commondir` names the directory from which git takes hooks and config, `gitdir` the work tree. */
const KEPT = ["hooks", "config", "config.worktree", "commondir", "gitdir"];
const MOST = 1_000; // of one repository: submodules and linked work trees

/** `directories`: the repository's own one, and that of what its work trees share. Also of its submodules and other work trees. */
export function keptInRepository(directories: readonly string[]): string[] {
	const all = new Set<string>();
	const add = (directory: string): void => {
		if (all.size >= MOST || all.has(directory)) return;
		all.add(directory);
		for (const name of namesIn(join(directory, "worktrees"))) all.add(join(directory, "worktrees", name));
		for (const module of modulesIn(join(directory, "modules"))) add(module);
	};
	for (const directory of directories) add(directory);
	return [...all].flatMap((directory) => KEPT.map((name) => join(directory, name)));
}

/** What configurations of git name, of the work tree `top`. Files that are not there name nothing. */
export function keptByConfiguration(files: readonly string[], top: string): string[] {
	return files.flatMap((file) => {
		try {
			return placesInConfiguration(readFileSync(file, "utf8"), { directory: dirname(file), top });
		} catch {
			return []; // that of a linked work tree has none
		}
	});
}

/** A submodule's name may have slashes. */
function modulesIn(directory: string): string[] {
	return namesIn(directory).flatMap((name) => {
		const path = join(directory, name);
		return existsSync(join(path, "HEAD")) ? [path] : modulesIn(path);
	});
}

function namesIn(directory: string): string[] {
	try {
		return readdirSync(directory, { withFileTypes: true }).flatMap((each) => (each.isDirectory() ? [each.name] : []));
	} catch {
		return []; // most have none
	}
}

const ITSELF = ".\n";
const OF_WORK_TREE = "config.worktree";
const { O_WRONLY, O_CREAT, O_NOFOLLOW } = constants;

/**
 * Makes what is missing of a repository's own directory, where an agent could put its own otherwise: a mount needs something to
 * stand on. To git a `commondir` that names the directory itself is as none; a configuration of the work tree is heeded as soon as
 * a person turns that on (git-sparse-checkout(1) does).
 */
export function fillRepository(directory: string): void {
	try {
		if (!existsSync(join(directory, "HEAD"))) return; // it is none any more
		closeSync(openSync(join(directory, OF_WORK_TREE), O_WRONLY | O_CREAT | O_NOFOLLOW, 0o644));
		if (!existsSync(join(directory, "config"))) return; // that of a linked work tree, which has a `commondir`
		mkdirSync(join(directory, "hooks"), { recursive: true });
		writeFileSync(join(directory, "commondir"), ITSELF, { flag: "wx" });
	} catch {
		// it is there, or the repository is another user's and nobody here writes to it
	}
}

/** Takes away what stands in nobody's repository but for a sandbox. */
export function unfillRepository(directory: string): void {
	try {
		const own = join(directory, OF_WORK_TREE);
		if (lstatSync(own, { throwIfNoEntry: false })?.size === 0) rmSync(own);
		const path = join(directory, "commondir");
		if (readFileSync(path, "utf8") === ITSELF) rmSync(path);
	} catch {
		// there is none
	}
}
