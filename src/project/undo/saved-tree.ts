/**
 * The work tree of a run: keeps its state, tells what has changed since, and puts it back. It is read by git's plumbing with a
 * repository of ours; nothing of the user's repository is written, and nothing of it is run.
 */
import { randomBytes } from "node:crypto";
import { existsSync, linkSync, renameSync } from "node:fs";
import { join } from "node:path";
import { defined } from "../../core/defined.ts";
import { type KeptState, type TreeFacts, TreeFactsSchema } from "../../core/schemas/kept-tree.ts";
import { makePrivateDirectory } from "../../record/files/private-files.ts";
import { directoryId } from "../../record/files/regular-file.ts";
import { type Bounds, keepTree, type NotKept, placeOf, type Snapshot } from "./keep-tree.ts";
import { type NoTree, type OpenTree, openTree, type TreeOptions } from "./open-tree.ts";
import { type Change, type Compared, changesOf, type Left, planPutBack } from "./plan-put-back.ts";
import { ContentReader, type PutBackDone, putBack, stampAt } from "./put-back.ts";
import { type Difference, parseDifferences, parseNames } from "./tree-paths.ts";
import { addState, bytesIn, copyIndex, objectsIn, parsed, statesIn, storeIn, type TreeStore } from "./tree-store.ts";

const BOUNDS: Bounds = {
	fileBytes: 16 * 1024 * 1024,
	treeBytes: 512 * 1024 * 1024,
	storeBytes: 2 * 1024 * 1024 * 1024,
	files: 100_000,
};

export interface SavedTreeOptions extends TreeOptions {
	readonly now: () => number;
	readonly bounds?: Partial<Bounds>;
	/** The directories of earlier runs' states, the newest first. */
	readonly earlier?: Iterable<string>;
}

export interface Kept {
	readonly is: "kept";
	readonly state: KeptState;
	readonly facts: TreeFacts;
	/** How many files were read for it. */
	readonly read: number;
}

export interface Changes {
	readonly is: "changes";
	readonly changes: readonly Change[];
	/** What would be left as it is now. */
	readonly left: readonly Left[];
	/** The facts of the kept state. */
	readonly kept: TreeFacts;
}

export type PutBack = { readonly is: "done"; readonly before: KeptState; readonly done: PutBackDone } | NotKept;

/** Its methods throw AgentreeError("not_writable") when the store cannot be written. */
export class SavedTree {
	private readonly tree: OpenTree;
	private readonly now: () => number;
	private readonly bounds: Bounds;

	private constructor(tree: OpenTree, { now, bounds }: SavedTreeOptions) {
		this.tree = tree;
		this.now = now;
		this.bounds = { ...BOUNDS, ...bounds };
	}

	static async open(options: SavedTreeOptions): Promise<{ is: "open"; worktree: SavedTree } | NoTree> {
		const opened = await openTree(options);
		if (opened.is === "none") return opened;
		const { top, store } = opened.tree;
		const worktree = new SavedTree(opened.tree, options);
		seedStore(store, { top, earlier: options.earlier ?? [], mostBytes: worktree.bounds.storeBytes / 2 });
		return { is: "open", worktree };
	}

	/** The tree's directory, without links. */
	get top(): string {
		return this.tree.top;
	}

	get isRepository(): boolean {
		return this.tree.repository !== undefined;
	}

	/** `isWanted`: asked at last; when it is not any more, nothing is kept. */
	async keep(why: KeptState["why"], signal: AbortSignal, isWanted = () => true): Promise<Kept | NotKept> {
		const now = await this.look(signal);
		if (now.is === "not_kept") return now;
		if (!isWanted()) return { is: "not_kept", reason: "it takes too long" };
		return { is: "kept", state: this.add(now, why), facts: now.facts, read: now.read };
	}

	/** Reads what there is, so that the next time little has to be read. */
	async warmUp(signal: AbortSignal): Promise<void> {
		await this.look(signal);
	}

	/** What has changed since, whoever did it. */
	async changesSince(state: KeptState, signal: AbortSignal): Promise<Changes | NotKept> {
		const compared = await this.compare(state, signal);
		if (compared.is === "not_kept") return compared;
		const { left } = planPutBack(compared);
		return { is: "changes", changes: changesOf(compared), left, kept: compared.kept };
	}

	/** Keeps the tree as it is first, so that this can be undone. */
	async putBack(state: KeptState, signal: AbortSignal): Promise<PutBack> {
		const compared = await this.compare(state, signal);
		if (compared.is === "not_kept") return compared;
		const plan = planPutBack(compared);
		const stamps = new Map(plan.steps.map(({ path }) => [path, this.stampOf(path)]));
		const again = await this.look(signal);
		if (again.is === "not_kept") return again;
		const moved = await this.differences(compared.tree, again.tree, signal); // between the first look and the stamps
		if (moved.is === "not_kept") return moved;
		for (const { path } of moved.found) stamps.set(path, "changed");
		const files = changesOf(compared).length - plan.left.length;
		const before = this.add(again, { is: "undo", to: state.id, files: Math.max(0, files) });
		const contents = await ContentReader.open(this.tree, signal);
		try {
			const temporary = `.agentree-undo-${randomBytes(6).toString("hex")}`;
			const done = await putBack(plan, { top: this.top, stamps, content: (id) => contents.read(id), temporary });
			return { is: "done", before, done };
		} finally {
			contents.close();
		}
	}

	/** Not when a repository has come or gone since, so that another directory is the tree: paths would mean other files. */
	private isTreeOf({ top, inode }: KeptState): boolean {
		return top === this.top || (inode !== undefined && inode === directoryId(this.top));
	}

	private otherTree({ top }: KeptState): NotKept {
		const why = "a repository was created or removed, or git ignores the directory";
		return {
			is: "not_kept",
			reason: `the files below ${top} were kept, and the work tree is ${this.top} now (${why})`,
		};
	}

	private add({ tree, factsId: facts }: Snapshot, why: KeptState["why"]): KeptState {
		const { top } = this;
		const added = { at: this.now(), why, top, ...defined({ inode: directoryId(top) }), tree, facts };
		return addState(this.tree.store.states, added);
	}

	/** Twice, when files have changed while they were read. */
	private async look(signal: AbortSignal): Promise<Snapshot | NotKept> {
		const keep = () =>
			keepTree(this.tree, { bounds: this.bounds, signal, name: randomBytes(4).toString("hex"), now: this.now });
		const first = await keep();
		return first.is === "not_kept" && first.mayTryAgain ? keep() : first;
	}

	/** `tree`: as it is now. */
	private async compare(
		state: KeptState,
		signal: AbortSignal,
	): Promise<(Compared & { is: "compared"; tree: string }) | NotKept> {
		if (!this.isTreeOf(state)) return this.otherTree(state);
		const now = await this.look(signal);
		if (now.is === "not_kept") return now;
		const { tree, facts } = state;
		const [differing, read, listed] = await Promise.all([
			this.differences(tree, now.tree, signal),
			this.tree.run({ args: ["cat-file", "blob", facts], signal }),
			this.tree.run({ args: ["ls-tree", "-r", "-d", "-z", "--name-only", tree], signal }),
		]);
		if (differing.is === "not_kept") return differing;
		const kept = read.is === "done" ? parsed(read.out.toString("utf8"), TreeFactsSchema) : undefined;
		if (kept === undefined || listed.is === "failed") return { is: "not_kept", reason: "the saved state is damaged" };
		const keptDirectories = parseNames(listed.out);
		return { is: "compared", tree: now.tree, differences: differing.found, kept, now: now.facts, keptDirectories };
	}

	private async differences(
		before: string,
		after: string,
		signal: AbortSignal,
	): Promise<{ is: "found"; found: Difference[] } | NotKept> {
		const how = ["-r", "-z", "--raw", "--numstat", "--no-renames", "--no-ext-diff", "--no-textconv", "--abbrev=40"];
		const told = await this.tree.run({ args: ["diff-tree", ...how, before, after], signal });
		if (told.is === "failed") return { is: "not_kept", reason: `the saved state is damaged: ${told.why}` };
		return { is: "found", found: parseDifferences(told.out) };
	}

	/** Empty for nothing, and for what cannot be looked at: it equals no stamp. */
	private stampOf(path: string): string {
		try {
			return stampAt(placeOf(this.top, path))?.text ?? "";
		} catch {
			return "";
		}
	}
}

/**
 * Begins a store with what that of an earlier run has of the same tree: then even the first state reads little, and takes little
 * room. Objects are never changed, so both have the same files (hard links); each run can be removed.
 */

/** More links take longer than to read the tree. */
const MOST_OBJECTS = 10_000;

interface Seeding {
	readonly top: string;
	/** Of the stores of earlier runs, the newest first. */
	readonly earlier: Iterable<string>;
	/** What the earlier one may have kept in all: what it needs no more comes along. */
	readonly mostBytes: number;
}

/** Does nothing for a store that has an index, or when there is no such run. */
function seedStore(store: TreeStore, { top, earlier, mostBytes }: Seeding): void {
	if (existsSync(store.index)) return;
	for (const directory of earlier) {
		const other = storeIn(directory);
		if (statesIn(other.states).at(-1)?.top !== top) continue;
		try {
			seed(store, other, mostBytes);
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code === undefined) throw error;
		} // on another disk, or removed meanwhile: what was linked does no harm
		return;
	}
}

function seed(store: TreeStore, other: TreeStore, mostBytes: number): void {
	const taken = `${store.index}.seed`;
	if (bytesIn(other) > mostBytes || !copyIndex(other, taken)) return;
	const objects = objectsIn(other);
	if (objects.length > MOST_OBJECTS) return;
	for (const directory of new Set(objects.map(([name]) => name)))
		makePrivateDirectory(join(store.git, "objects", directory));
	for (const [directory, name] of objects) linkOnce(other, store, join("objects", directory, name));
	renameSync(taken, store.index);
}

function linkOnce({ git: from }: TreeStore, { git: to }: TreeStore, path: string): void {
	try {
		linkSync(join(from, path), join(to, path));
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
	}
}
