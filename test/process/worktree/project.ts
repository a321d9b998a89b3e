/** A directory with a home beside it and a store for its states, for tests with a real git that reads nothing of this machine's. */
import { spawnSync } from "node:child_process";
import {
	lstatSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	readlinkSync,
	realpathSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished } from "vitest";
import type { KeptState } from "../../../src/core/schemas/kept-tree.ts";
import { SavedTree, type SavedTreeOptions } from "../../../src/project/undo/saved-tree.ts";

export interface Project {
	readonly base: string;
	readonly top: string;
	readonly env: Record<string, string>;
	/** Runs git there, as its user does; throws when it fails. */
	git(...args: string[]): string;
	put(path: string, content: string | Buffer): void;
	open(options?: Partial<SavedTreeOptions>): Promise<SavedTree>;
}

export const NEVER = new AbortController().signal;

export function createProject(): Project {
	const base = realpathSync(mkdtempSync(join(tmpdir(), "agentree-tree-")));
	onTestFinished(() => rmSync(base, { recursive: true, force: true }));
	const top = join(base, "project");
	mkdirSync(top);
	mkdirSync(join(base, "home"));
	const env = { PATH: process.env.PATH ?? "", HOME: join(base, "home"), GIT_CONFIG_NOSYSTEM: "1" };
	const options = { cwd: top, directory: join(base, "undo"), own: [], env, signal: NEVER, now: Date.now };
	return {
		...{ base, top, env },
		git: (...args) => {
			const names = ["-c", "user.name=a", "-c", "user.email=a@b.c"];
			const { status, stdout, stderr } = spawnSync("git", [...names, ...args], { cwd: top, env, encoding: "utf8" });
			if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
			return stdout;
		},
		put: (path, content) => {
			mkdirSync(dirname(join(top, path)), { recursive: true });
			writeFileSync(join(top, path), content);
		},
		open: async (changed) => {
			const opened = await SavedTree.open({ ...options, ...changed });
			if (opened.is === "none") throw new Error(opened.reason);
			return opened.worktree;
		},
	};
}

/** Fails when it is not kept. */
export async function keep(worktree: SavedTree, text = "do it"): Promise<KeptState> {
	const kept = await worktree.keep({ is: "message", text }, NEVER);
	if (kept.is === "not_kept") throw new Error(kept.reason);
	return kept.state;
}

/** Each path below a directory with its kind, mode and content, but for what is in `.git`. */
export function contentsOf(directory: string): Record<string, string> {
	const found: Record<string, string> = {};
	const walk = (inner: string) => {
		for (const name of readdirSync(Buffer.from(inner, "latin1"), { encoding: "buffer" })) {
			const path = `${inner}/${name.toString("latin1")}`;
			const place = Buffer.from(path, "latin1");
			const key = path.slice(directory.length + 1);
			if (key === ".git") continue;
			const stats = lstatSync(place);
			const mode = (stats.mode & 0o7777).toString(8);
			if (stats.isDirectory()) {
				found[`${key}/`] = "";
				walk(path);
			} else if (stats.isSymbolicLink())
				found[key] = `-> ${readlinkSync(place, { encoding: "latin1" as BufferEncoding })}`;
			else if (stats.isFile()) found[key] = `${mode} ${readFileSync(place, "latin1")}`;
			else found[key] = "special";
		}
	};
	walk(directory);
	return found;
}

/** Puts the state back and expects that nothing was left. */
export async function putBackAll(worktree: SavedTree, state: KeptState) {
	const put = await worktree.putBack(state, NEVER);
	if (put.is === "not_kept") throw new Error(put.reason);
	expect(put.done.left).toEqual([]);
	return put;
}
