/**
 * What sandboxes keep or hide, held against a copy. No command can change what a mount covers, so a change then is a person's. But a
 * program outside that renames a new file over the old one takes the mount away (processes/living-sandboxes.ts), and what is done to the new one then may be
 * a command's: of that only what harms nobody is taken for a person's. The rest is kept beside, and what is sure is put back.
 */

import {
	type BigIntStats,
	closeSync,
	constants,
	type FSWatcher,
	fchmodSync,
	fstatSync,
	ftruncateSync,
	lstatSync,
	mkdirSync,
	openSync,
	readdirSync,
	readFileSync,
	readlinkSync,
	symlinkSync,
	unlinkSync,
	watch,
	writeFileSync,
	writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { accessTo, type Confinement } from "../../core/machine/sandbox.ts";
import type { RunEvent } from "../../core/schemas/run-event.ts";
import { isHarmlessChange } from "../../sandbox/git/git-configuration.ts";
import type { Covered, LivingSandbox } from "../processes/living-sandboxes.ts";
import type { RunCore } from "../run/run-core.ts";

type Told = Extract<RunEvent, { event: "place_replaced" }>;

interface Place extends Covered {
	/** Of a file or a link that is kept: what a person has put there. */
	sure: Content | undefined;
	inode: string | undefined;
	state: string | undefined;
	/** What the system has told since it was looked at. */
	renames: number;
	changes: number;
	/** Since then commands have lived that may have it open. */
	wasExposed: boolean;
	/** No mount is on it: a link. */
	readonly isBare: boolean;
	/** It could not be covered again. */
	isOpen: boolean;
	doubts: number;
	told: Told["outcome"] | undefined;
}

const UNSEEN = {
	...{ sure: undefined, inode: undefined, state: undefined, told: undefined },
	...{ renames: 0, changes: 0, wasExposed: false, isOpen: false, doubts: 0 },
};
const REPLACED = "replaced"; // in the run's directory: what was found at a place that is put back as it was
const MOST = 500;
const SETTLE_MS = 10; // a program that replaces a file may do so twice
const AGAIN_MS = 1_000; // a sandbox that was just being made may have the old file
const RECENT_MS = 300;

export class HeldPlaces {
	private readonly core: RunCore;
	private readonly sandboxes: () => readonly LivingSandbox[];
	private readonly places = new Map<string, Place>();
	private readonly watch = new PlaceWatch(
		(path, what) => this.seen(path, what),
		(directory) => this.moved(directory),
	);
	private readonly waiting = new Set<Place>();
	private working: Promise<void> = Promise.resolve();
	private lastEnded = 0;
	/** In the background. */
	private hasLeft = false;

	/** `sandboxes`: those that live now. */
	constructor(core: RunCore, sandboxes: () => readonly LivingSandbox[]) {
		this.core = core;
		this.sandboxes = sandboxes;
	}

	/** What is held already stays as it is. */
	hold({ mounts, held = [] }: Pick<Confinement, "mounts" | "held">): void {
		for (const { path, as } of mounts)
			if (as !== "write" && as !== "copy" && (as !== "read" || accessTo(dirname(path), mounts) === "write"))
				this.add({ path, as, isBare: false });
		for (const path of held) this.add({ path, as: "read", isBare: true });
	}

	private add(one: Pick<Place, "path" | "as" | "isBare">): void {
		if (this.places.has(one.path) || this.places.size >= MOST) return;
		const place: Place = { ...UNSEEN, ...one };
		this.take(place);
		this.places.set(place.path, place);
		this.watch.open(dirname(place.path));
	}

	/** That is a person's. */
	private take(place: Place, { content, identity } = lookAt(place)): void {
		const { inode, state } = identity ?? {};
		Object.assign(place, { inode, state, sure: content ?? place.sure, renames: 0, changes: 0 });
	}

	private seen(path: string, what: Happened): void {
		const place = this.places.get(path);
		if (place !== undefined) this.soon(place, what);
	}

	private moved(directory: string): void {
		for (const place of this.places.values()) if (dirname(place.path) === directory) this.soon(place, "rename");
	}

	private soon(place: Place, what?: Happened): void {
		if (what === "rename") place.renames += 1;
		if (what === "change") place.changes += 1;
		if (this.waiting.has(place)) return;
		this.waiting.add(place);
		this.core.timers.after(SETTLE_MS, () => void this.settleWaiting());
	}

	/** One after the other. */
	private settleWaiting(): Promise<void> {
		return this.inTurn(async () => {
			const places = [...this.waiting];
			this.waiting.clear();
			for (const place of places) await this.settle(place).catch(() => {});
		});
	}

	private inTurn(work: () => Promise<unknown>): Promise<void> {
		this.working = this.working.then(async () => void (await work().catch(() => {}))); // a place may come and go
		return this.working;
	}

	event(event: RunEvent): void {
		if (event.event === "agent_ended") this.lastEnded = event.at;
		if (event.event !== "command_ended") return;
		this.lastEnded = event.at;
		this.hasLeft ||= event.leftRunning.length > 0;
		this.compare();
	}

	/** A look at each place costs some microseconds. */
	private compare(): void {
		const all = [...this.places.values()];
		const changed = all.filter((place) => identityOf(place.path)?.state !== place.state);
		for (const place of changed) this.soon(place);
		const exposed = all.filter((place) => place.wasExposed && !changed.includes(place));
		if (exposed.length > 0 && this.sandboxes().length === 0)
			for (const place of exposed) Object.assign(place, { wasExposed: false, isOpen: false, doubts: 0 });
	}

	/** Once nothing of the run lives any more, unless it is to go on without. */
	async close(): Promise<void> {
		for (const place of this.places.values())
			if (place.wasExposed || identityOf(place.path)?.state !== place.state) this.waiting.add(place);
		await this.settleWaiting();
		this.watch.close();
		this.places.clear();
	}

	private async settle(place: Place): Promise<void> {
		this.watch.open(dirname(place.path));
		const { isOpen: wasOpen, inode } = place;
		const isReplaced = place.renames > 0 || identityOf(place.path)?.inode !== inode; // a number is used again at once
		const exposed = isReplaced || place.wasExposed ? await this.cover(place) : 0;
		if (isReplaced && exposed > 0) this.core.timers.after(AGAIN_MS, () => void this.inTurn(() => this.cover(place)));
		if (place.isOpen) this.tell(place, "open");
		else if (place.as !== "read" && exposed > 0) this.tell(place, "covered");
		if (place.as === "read") await this.judge(place, { isReplaced, wasOpen });
		else this.take(place);
	}

	/** In how many sandboxes it was exposed. */
	private async cover(place: Place): Promise<number> {
		const exposed = this.sandboxes().filter((sandbox) => place.isBare || sandbox.isExposed(place));
		if (!place.isBare) await Promise.all(exposed.map((sandbox) => sandbox.cover(place)));
		place.wasExposed ||= exposed.length > 0;
		place.isOpen = !place.isBare && exposed.some((sandbox) => sandbox.isExposed(place));
		return exposed.length;
	}

	private async judge(place: Place, { isReplaced, wasOpen }: { isReplaced: boolean; wasOpen: boolean }): Promise<void> {
		const seen = await this.steady(place);
		const { sure, renames, changes } = place;
		if (seen.content === undefined) return; // it is gone: what comes in its place is looked at
		const isAtOnce = renames === 1 && changes === 0 && !wasOpen && !place.isBare; // no command could do so
		const isClean = isReplaced ? isAtOnce : seen.content.is === "not held";
		const isSure =
			isClean || sure === undefined || isSameContent(seen.content, sure) || isHarmless(place, seen.content);
		const isWithinReach = isReplaced || seen.identity?.hasOtherName === true;
		if (isSure || !(place.wasExposed || (isWithinReach && this.mayHaveLived()))) return this.take(place, seen);
		await this.doubt(place, seen);
	}

	/** A command that has ended since may have been faster than the look at it. */
	private mayHaveLived(): boolean {
		if (this.isBusy() || this.core.host.now() - this.lastEnded < RECENT_MS) return true;
		const hadLeft = this.hasLeft;
		this.hasLeft &&= this.sandboxes().length > 0;
		return hadLeft;
	}

	/** Whether a command runs, as agents tell. */
	private isBusy(): boolean {
		return Object.values(this.core.run.agents).some(({ running }) => running.length > 0);
	}

	/** What lies there, once all that the system has to tell of it is known. */
	private async steady(place: Place): Promise<Seen> {
		for (let round = 0; ; round++) {
			const seen = lookAt(place);
			for (let turns = 0; turns < 2; turns++) await new Promise((resolve) => setImmediate(resolve));
			if (seen.identity?.state === identityOf(place.path)?.state || round === MOST_ROUNDS) return seen;
		}
	}

	/** A command may have written it, or a person. */
	private async doubt(place: Place, seen: Seen): Promise<void> {
		const { sure, path, inode } = place;
		place.doubts += 1;
		const hasEnded = place.doubts > 1 || place.isOpen;
		if (hasEnded) for (const sandbox of this.sandboxes()) sandbox.end();
		const last = hasEnded ? await this.steady(place) : seen;
		if (sure === undefined || sure.is === "not held" || last.content === undefined || last.content.is === "not held") {
			this.take(place, last);
			return this.tell(place, "changed", { hasEnded });
		}
		const kept = keepBeside(path, last.content, join(this.core.directory, REPLACED));
		putBack(path, sure);
		this.take(place, { ...lookAt(place), content: sure });
		if (place.inode !== inode) await this.cover(place);
		this.tell(place, "put_back", { kept, hasEnded });
		this.soon(place); // a command may have been faster
	}

	private tell(place: Place, outcome: Told["outcome"], more: { kept?: string; hasEnded?: boolean } = {}): void {
		const { path, as } = place;
		const { kept, hasEnded = false } = more;
		if (place.told === outcome && (outcome === "covered" || outcome === "open")) return; // some programs do so each minute
		place.told = outcome;
		this.core.emit({
			...{ event: "place_replaced", at: this.core.host.now(), path, outcome },
			...(as !== "read" && { isHidden: true }),
			...(kept !== undefined && { kept }),
			...(hasEnded && { hasEnded }),
		});
	}
}

interface Seen {
	readonly content: Content | undefined;
	readonly identity: ReturnType<typeof identityOf>;
}

const MOST_ROUNDS = 3;

function lookAt({ path, as }: Covered): Seen {
	const identity = identityOf(path);
	return { identity, content: as === "read" ? readContent(path) : undefined };
}

function isHarmless({ path, sure }: Place, content: Content): boolean {
	if (!/^config(\.worktree)?$/.test(basename(path)) || sure?.is !== "file" || content.is !== "file") return false;
	return isHarmlessChange(sure.bytes.toString(), content.bytes.toString());
}

export type Happened = "rename" | "change";

/** Tells of what happens to places, and of directories of places that are moved or removed themselves (inotify(7)). In order, and as far as the system tells. */
class PlaceWatch {
	private readonly watchers = new Map<string, FSWatcher>();
	private readonly tell: (path: string, what: Happened) => void;
	private readonly moved: (directory: string) => void;

	constructor(tell: (path: string, what: Happened) => void, moved: (directory: string) => void) {
		this.tell = tell;
		this.moved = moved;
	}

	/** One that has gone, or for which the machine has no watch left, is not watched. */
	open(directory: string): void {
		if (this.watchers.has(directory)) return;
		try {
			const watcher = watch(directory, { persistent: false }, (what, name) => this.seen(directory, what, name ?? ""));
			watcher.on("error", () => watcher.close());
			this.watchers.set(directory, watcher);
		} catch {}
	}

	private seen(directory: string, what: Happened, name: string): void {
		this.tell(join(directory, name), what);
		if (name !== basename(directory) || what !== "rename") return; // else it may be what has happened to the directory itself
		this.watchers.get(directory)?.close();
		this.watchers.delete(directory);
		this.open(directory);
		this.moved(directory);
	}

	close(): void {
		for (const watcher of this.watchers.values()) watcher.close();
	}
}

/** What lies at a place that is held: read, kept beside, put back. A command may have put anything there: no link is followed, and nobody waits. */

export type Content =
	| { readonly is: "file"; readonly bytes: Buffer; readonly mode: number }
	| { readonly is: "link"; readonly target: string }
	/** A directory, a device, or too large. */
	| { readonly is: "not held" };

const MOST_BYTES = 512 * 1024;
const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = constants;

interface Identity {
	readonly inode: string;
	readonly state: string;
	/** By which a file can be written to where no mount keeps it. */
	readonly hasOtherName: boolean;
}

/** Undefined: nothing is there, even where a directory above has become a file. Of a directory that of itself, not of what is in it. */
function identityOf(path: string): Identity | undefined {
	const stats = statsOf(path);
	if (stats === undefined) return undefined;
	const inode = `${stats.dev}:${stats.ino}`;
	if (stats.isDirectory()) return { inode, state: inode, hasOtherName: false };
	const state = `${inode}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}`;
	return { inode, state, hasOtherName: stats.isFile() && stats.nlink > 1n };
}

function statsOf(path: string): BigIntStats | undefined {
	try {
		return lstatSync(path, { bigint: true });
	} catch {
		return undefined;
	}
}

function readContent(path: string): Content | undefined {
	const stats = statsOf(path);
	if (stats === undefined) return undefined;
	try {
		if (stats.isSymbolicLink()) return { is: "link", target: readlinkSync(path) };
		if (!stats.isFile()) return { is: "not held" };
		return readFile(path);
	} catch {
		return { is: "not held" }; // nobody may read it, or it has become something else
	}
}

function readFile(path: string): Content {
	const file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
	try {
		const stats = fstatSync(file);
		if (!stats.isFile() || stats.size > MOST_BYTES) return { is: "not held" };
		return { is: "file", bytes: readFileSync(file), mode: stats.mode & 0o7777 };
	} finally {
		closeSync(file);
	}
}

function isSameContent(one: Content, other: Content): boolean {
	if (one.is === "link") return other.is === "link" && one.target === other.target;
	return one.is === "file" && other.is === "file" && one.bytes.equals(other.bytes);
}

/** Gives the path of the copy, in `directory`. Throws the system's error. */
function keepBeside(path: string, content: Exclude<Content, { is: "not held" }>, directory: string): string {
	mkdirSync(directory, { recursive: true, mode: 0o700 });
	const copy = join(directory, `${readdirSync(directory).length + 1}-${basename(path)}`);
	writeFileSync(copy, content.is === "file" ? content.bytes : content.target, { mode: 0o600, flag: "wx" });
	return copy;
}

/** A file is written in place: what is mounted on it stays. Throws the system's error. */
function putBack(path: string, content: Exclude<Content, { is: "not held" }>): void {
	const there = lstatSync(path, { throwIfNoEntry: false });
	const isOwn = content.is === "file" && there?.isFile() && there.nlink === 1; // not a second name of something else
	if (there !== undefined && !isOwn) unlinkSync(path);
	if (content.is === "link") return symlinkSync(content.target, path);
	const file = openSync(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | (isOwn ? 0 : O_CREAT | O_EXCL), content.mode);
	try {
		writeSync(file, content.bytes, 0, content.bytes.length, 0);
		ftruncateSync(file, content.bytes.length);
		fchmodSync(file, content.mode);
	} finally {
		closeSync(file);
	}
}
