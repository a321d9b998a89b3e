/** Puts a tree back, step by step. What cannot be done is left, and said; what follows is done all the same. */
import { closeSync, constants, fchmodSync, fstatSync, mkdirSync, openSync, rmdirSync, unlinkSync } from "node:fs";
import type { Left, LeftReason, PutBackPlan, Step } from "./plan-put-back.ts";
import { directoriesAbove } from "./tree-path.ts";
import { type Place, putFile, putLink, type Stamp, stampAt, within } from "./within-tree.ts";

export interface PutBackDone {
	readonly written: readonly string[];
	readonly removed: readonly string[];
	readonly left: readonly Left[];
}

export interface PutBackDeps {
	readonly top: string;
	/** What stood at the paths when the tree was compared. */
	readonly stamps: ReadonlyMap<string, string>;
	/** A kept content, by git's id; undefined when it is gone. */
	readonly content: (id: string) => Promise<Buffer | undefined>;
	/** A name that nothing in the tree has. */
	readonly temporary: string;
}

export async function putBack(plan: PutBackPlan, deps: PutBackDeps): Promise<PutBackDone> {
	const { steps, left: before, directories } = plan;
	const written: string[] = [];
	const removed: string[] = [];
	const left: Left[] = [...before];
	for (const step of steps) {
		const content = step.do === "write" ? await deps.content(step.entry.content) : undefined;
		const because = outcomeOf(step, content, deps);
		if (because !== undefined) left.push({ path: step.path, because });
		else if (step.do === "write" || step.do === "set_mode") written.push(step.path);
		else if (step.do === "remove" || step.do === "remove_directory") {
			if (step.do === "remove") removed.push(step.path);
			removeEmptyAbove(step.path, directories, deps);
		}
	}
	return { written, removed, left };
}

function outcomeOf(step: Step, content: Buffer | undefined, deps: PutBackDeps): LeftReason | undefined {
	try {
		return doStep(step, content, deps);
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		if (code === undefined) throw error;
		return { is: "system", code };
	}
}

function doStep(step: Step, content: Buffer | undefined, deps: PutBackDeps): LeftReason | undefined {
	const { top, temporary } = deps;
	const at = <T>(act: (place: Place) => T, makes = false) => within(top, step.path, { makes, temporary, act });
	switch (step.do) {
		case "remove":
			return at(({ path }) => {
				if (!isSame(stampAt(path), step.path, deps)) return CHANGED;
				unlinkSync(path);
				return undefined;
			});
		case "remove_directory":
			at(({ path }) => rmdirSync(path));
			return undefined;
		case "make_directory":
			return at(({ path }) => makeDirectory(path), true);
		case "set_mode":
			return at(({ path }) => (isSame(stampAt(path), step.path, deps) ? setMode(path, step.mode) : CHANGED));
		case "write":
			return content === undefined ? NOT_KEPT : at((place) => write(place, content, { step, deps }), true);
	}
}

const NOT_KEPT: LeftReason = { is: "not_kept" };
const CHANGED: LeftReason = { is: "changed_meanwhile" };
const OTHER_THERE: LeftReason = { is: "something_else_there" };

function isSame(now: Stamp | undefined, path: string, { stamps }: PutBackDeps): boolean {
	return now?.text === stamps.get(path);
}

function makeDirectory(path: Buffer): LeftReason | undefined {
	const there = stampAt(path);
	if (there === undefined) mkdirSync(path);
	return there === undefined || there.is === "directory" ? undefined : OTHER_THERE;
}

/** A directory that is empty gives way. */
function write(
	place: Place,
	content: Buffer,
	{ step, deps }: { step: Extract<Step, { do: "write" }>; deps: PutBackDeps },
): LeftReason | undefined {
	const there = stampAt(place.path);
	const isDirectory = there?.is === "directory";
	if (isDirectory) rmdirSync(place.path);
	else if (there !== undefined && !step.replaces) return OTHER_THERE;
	else if (there !== undefined && !isSame(there, step.path, deps)) return CHANGED;
	const { entry, mode } = step;
	if (entry.kind === "link") putLink(place, content);
	else putFile(place, content, { mode, before: isDirectory ? undefined : there });
	return undefined;
}

function setMode(path: Buffer, mode: number): undefined {
	const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
	try {
		if (fstatSync(file).isFile()) fchmodSync(file, mode);
	} finally {
		closeSync(file);
	}
}

/** Directories that were made since, when the last file of them is gone. */
function removeEmptyAbove(path: string, stay: ReadonlySet<string>, deps: PutBackDeps): void {
	for (const directory of directoriesAbove(path)) {
		if (stay.has(directory)) return;
		if (outcomeOf({ do: "remove_directory", path: directory }, undefined, deps) !== undefined) return;
	}
}
