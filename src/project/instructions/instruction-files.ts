/**
 * The files that tell agents how to work: AGENTS.md of a directory, else its CLAUDE.md, and what these import. An import is
 * relative to its file, is not followed deeper than 5 files, and leads nowhere but into the project and the user's own directory.
 */
import { dirname, isAbsolute, join } from "node:path";
import { isAtOrBelow } from "../../core/machine/paths.ts";
import { preview } from "../../core/preview.ts";
import type { KeptFile } from "../../wire/supervise-order.ts";
import { type FileRule, MAX_FILE_BYTES, type Reads } from "./kept-files.ts";
import { piecesIn } from "./markdown-code.ts";

export const INSTRUCTION_NAMES = ["AGENTS.md", "CLAUDE.md"];
const MAX_DEPTH = 5;
const MAX_FILES = 100;
const END_MARKS = ".,;:!?)]'\"*_"; // of the sentence in which an import stands

/** A file, or the beginning of it, as agents are told it. */
export interface InstructionFile extends KeptFile {
	readonly importedBy?: string;
	/** It is only the path of another file, which follows it: read as a link is. */
	readonly isLink?: true;
}

export interface Instructions {
	/** Where they differ, the later one counts; what a file imports follows it. */
	readonly files: readonly InstructionFile[];
	/** What is not used, and why, a line each. */
	readonly notices: readonly string[];
}

export interface Reach {
	readonly reads: Reads;
	/** What a file has to be so that it is read. */
	readonly rule: FileRule;
	/** Without links. An import names a file in one of them. */
	readonly mayImportFrom: readonly string[];
	/** What `~/` in an import stands for. */
	readonly home?: string | undefined;
}

/** The instructions of each of the directories. */
export function instructionsIn(directories: readonly string[], reach: Reach): Instructions {
	const reader = new Reader(reach);
	for (const directory of directories) reader.readDirectory(directory);
	return { files: reader.files, notices: boundedNotices(reader.notices) };
}

class Reader {
	readonly files: InstructionFile[] = [];
	readonly notices: string[] = [];
	private readonly reach: Reach;

	constructor(reach: Reach) {
		this.reach = reach;
	}

	readDirectory(directory: string): void {
		for (const name of INSTRUCTION_NAMES) {
			const path = join(directory, name);
			const read = this.reach.reads.read(path, this.reach.rule);
			if (read.is === "missing") continue;
			if (read.is === "text") this.take(read.file, 0);
			else this.notices.push(`${path} is not used: ${read.why}`);
			return;
		}
	}

	/** The same text is told once, so no circle of imports goes on. */
	private take(file: InstructionFile, depth: number): void {
		if (this.files.length === MAX_FILES || this.files.some(({ digest }) => digest === file.digest)) return;
		const at = this.files.push(file) - 1;
		const target = onlyPath(file.text);
		if (target !== undefined && depth < MAX_DEPTH && this.import(target, { by: file.path, depth, mark: "" }))
			return void this.files.splice(at, 1, { ...file, isLink: true });
		if (file.isCut) this.notices.push(`${file.path} is cut at ${MAX_FILE_BYTES / 1024} KiB`);
		if (file.isDamaged) this.notices.push(`${file.path} is not valid UTF-8; invalid bytes became U+FFFD`);
		const names = importsIn(file.text);
		if (depth < MAX_DEPTH) for (const name of names) this.import(name, { by: file.path, depth, mark: "@" });
		else if (names.some(isSurelyPath))
			this.notices.push(`imports of ${file.path} are not followed: nested ${depth} levels deep`);
	}

	/**
	 * False when there is none: `@name` may be no import at all, but the name of a person or a package. What is not there is only told where it
	 * looks like a path. `mark`: what stands before the name.
	 */
	private import(name: string, { by, depth, mark }: { by: string; depth: number; mark: string }): boolean {
		const unused = (spelled: string, why: string) => {
			if (isSurelyPath(spelled)) this.notices.push(`${mark}${spelled} in ${by} is not used: ${why}`);
			return false;
		};
		for (const spelled of [name, withoutEndMarks(name)]) {
			const path = this.pathOf(spelled, by);
			if (path === undefined) continue;
			if (!this.reach.mayImportFrom.some((directory) => isAtOrBelow(path, directory)))
				return unused(spelled, "it leads outside the project");
			const read = this.reach.reads.read(path, this.reach.rule);
			if (read.is === "text") {
				this.take({ ...read.file, importedBy: by }, depth + 1);
				return true;
			}
			if (read.is === "refused" && isSurelyPath(spelled)) return unused(spelled, read.why);
		}
		return unused(name, "no such file");
	}

	private pathOf(name: string, by: string): string | undefined {
		if (name === "" || name.includes("\0")) return undefined;
		if (name.startsWith("~/")) return this.reach.home === undefined ? undefined : join(this.reach.home, name.slice(2));
		return isAbsolute(name) ? join(name) : join(dirname(by), name);
	}
}

const MAX_PATH_CHARS = 4_096;

/** A file that git has written where it makes no links (core.symlinks) has the path that the link would lead to. */
function onlyPath(text: string): string | undefined {
	const path = text.trim();
	return path === "" || path.length > MAX_PATH_CHARS || /[\n@]/.test(path) ? undefined : path;
}

/** Looks at each character once: an expression that is tried from each of them takes a second for one hostile name. */
function withoutEndMarks(name: string): string {
	let end = name.length;
	while (END_MARKS.includes(name[end - 1] ?? " ")) end--;
	return name.slice(0, end);
}

function isSurelyPath(name: string): boolean {
	return /^(\.{0,2}|~)\/|\.md$/.test(name);
}

/** The files that a text of instructions imports: `@docs/style.md`, at the begin of a line or behind white space. Pure. */

const MAX_IMPORTS = 50;
const MAX_NAME_CHARS = 4_096; // no path is longer
const IMPORT = /(?:^|[\s(])@((?:\\ |[^\s\\])+)/g;

/** The names as they stand there, each once; none from blocks and spans of code. */
export function importsIn(text: string): string[] {
	const names = new Set<string>();
	const prose = [...piecesIn(text)]
		.map((piece) => (piece.isCode ? piece.text.replace(/[^\n]+/g, "\0") : piece.text))
		.join("");
	for (const [, name = ""] of prose.matchAll(IMPORT)) {
		if (name.length > MAX_NAME_CHARS) continue;
		names.add(name.replaceAll("\\ ", " "));
		if (names.size === MAX_IMPORTS) break;
	}
	return [...names];
}

/** What is not used of a project's files, as few lines: it may be any number, and some are told to models. Pure. */

const MAX_NOTICES = 12;
const MAX_CHARS = 300; // of one

export function boundedNotices(notices: readonly string[]): string[] {
	const shown = notices.slice(0, MAX_NOTICES).map((notice) => preview(notice, MAX_CHARS));
	const more = notices.length - shown.length;
	return more === 0 ? shown : [...shown, `${more} more ${more === 1 ? "file is" : "files are"} not used`];
}
