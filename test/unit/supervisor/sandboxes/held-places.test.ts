import {
	linkSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	readlinkSync,
	renameSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { HeldPlaces } from "../../../../src/supervisor/sandboxes/held-places.ts";
import { WAIT } from "../../../wait.ts";
import { commandStarted, joined, runOf } from "../../core/run-of.ts";
import { fakeCore } from "../fake-core.ts";

const REMOTE = '[remote "a"]\n\turl = https://example.org/a\n';

const IDLE = runOf(joined("1"));
const BUSY = runOf(joined("1"), commandStarted("1", 1));

/** Places in a directory of its own, with one sandbox in which what is replaced is exposed until it is covered. */
function places(names: readonly string[], { hidden = "", link = "", covers = true } = {}) {
	const top = mkdtempSync(join(tmpdir(), "agentree-held-"));
	const at = (name: string) => join(top, "project", name);
	mkdirSync(join(top, "project"));
	for (const name of names) writeFileSync(at(name), name === "config" ? "[core]\n" : `${name}\n`);
	const state = { isAlive: true, isBusy: true, now: 1_000_000, ended: 0, covered: [] as string[] };
	const told: string[] = [];
	const exposed = new Set<string>();
	const sandbox = {
		isExposed: ({ path }: { path: string }) => exposed.has(path),
		cover: async ({ path }: { path: string }) => {
			state.covered.push(basename(path));
			if (covers) exposed.delete(path);
		},
		end: () => {
			state.ended += 1;
			state.isAlive = false;
		},
	};
	const { core } = fakeCore({ directory: top, host: { now: () => state.now } });
	core.timers.after = (_, then) => {
		setImmediate(then);
		return () => {};
	};
	core.emit = (event) => {
		if (event.event !== "place_replaced") return;
		const { outcome, kept, hasEnded } = event;
		told.push([outcome, kept && readFileSync(kept, "utf8"), hasEnded && "ended"].filter(Boolean).join(" "));
	};
	Object.defineProperty(core, "run", { get: () => (state.isBusy ? BUSY : IDLE) });
	const held = new HeldPlaces(core, () => (state.isAlive ? [sandbox] : []));
	if (link !== "") symlinkSync("target", at(link));
	const mounts = names.map((name) => ({ path: at(name), as: name === hidden ? "hidden file" : "read" }) as const);
	held.hold({ mounts: [{ path: join(top, "project"), as: "write" }, ...mounts], held: link === "" ? [] : [at(link)] });
	onTestFinished(async () => {
		await held.close();
		rmSync(top, { recursive: true });
	});
	/** As git and most programs do. */
	const replace = (name: string, text: string) => {
		writeFileSync(at(`${name}.lock`), text);
		renameSync(at(`${name}.lock`), at(name));
		exposed.add(at(name));
	};
	return { held, state, told, at, replace, text: (name: string) => readFileSync(at(name), "utf8") };
}

function ended(leftRunning: { pid: number; name: string }[]) {
	const end = { by: "exit", code: 0 } as const;
	return { event: "command_ended", at: 1, agent: "1", command: 1, end, outputBytes: 0, leftRunning } as const;
}

const seen = (what: () => unknown, expected: unknown) => vi.waitFor(() => expect(what()).toEqual(expected), WAIT);

test("a file that a person replaces at once is covered again, and is what is kept from then on", async () => {
	const { held, state, told, replace, text } = places([".envrc"]);
	replace(".envrc", "of a person\n");
	await seen(() => state.covered, [".envrc"]);
	await held.close();
	expect([text(".envrc"), told]).toEqual(["of a person\n", []]);
});

test("what is written to it before it is covered is put back, kept beside and told; the second time the commands are ended", async () => {
	const { held, state, told, at, replace, text } = places([".envrc"]);
	replace(".envrc", "of a person\n");
	writeFileSync(at(".envrc"), "evil\n");
	await seen(() => told, ["put_back evil\n"]);
	expect([text(".envrc"), state.ended]).toEqual([".envrc\n", 0]);
	writeFileSync(at(".envrc"), "again\n"); // through what it has open
	await seen(() => told.slice(1), ["put_back again\n ended"]);
	expect([text(".envrc"), state.ended]).toEqual([".envrc\n", 1]);
	await held.close();
	expect(text(".envrc")).toBe(".envrc\n");
});

test("a directory of places that becomes a file, as when git takes a submodule's repository out of its tree, ends nothing", async () => {
	const { held, told, at } = places(["config", "other"]);
	mkdirSync(at("sub"));
	writeFileSync(at("sub/config"), "");
	held.hold({
		mounts: [
			{ path: at(""), as: "write" },
			{ path: at("sub/config"), as: "read" },
		],
		held: [],
	});
	renameSync(at("sub"), at("moved"));
	writeFileSync(at("sub"), "gitdir: moved\n");
	held.event(ended([]));
	await held.close();
	expect(told).toEqual([]);
});

test("what commands can write to by another name is put back, and has one name from then on", async () => {
	const { held, told, at, text } = places(["config", ".envrc"]);
	linkSync(at("config"), at("other-name"));
	writeFileSync(at("other-name"), "[core]\n\tfsmonitor = evil\n");
	held.event(ended([]));
	await seen(() => told, ["put_back [core]\n\tfsmonitor = evil\n"]);
	expect([text("config"), text("other-name")]).toEqual(["[core]\n", "[core]\n\tfsmonitor = evil\n"]);
	writeFileSync(at(".envrc"), "of a person\n");
	held.event(ended([]));
	await held.close();
	expect([told.length, text(".envrc")]).toEqual([1, "of a person\n"]);
});

test("where it cannot be covered that is told, and the commands are ended at the first change", async () => {
	const { held, state, told, at, replace, text } = places([".envrc"], { covers: false });
	replace(".envrc", "of a person\n");
	await seen(() => told, ["open"]);
	// biome-ignore lint/complexity/useLiteralKeys: it is private; until then it is not taken for a person's
	await held["working"];
	expect(state.covered.length).toBeGreaterThan(0);
	writeFileSync(at(".envrc"), "evil\n");
	await seen(() => told.slice(1), ["put_back evil\n ended"]);
	expect([text(".envrc"), state.ended]).toEqual(["of a person\n", 1]);
});

test("git's own changes, in two steps, are a person's, and others in two steps are not", async () => {
	const { held, told, replace, text } = places(["config", ".envrc"]);
	replace("config", "");
	replace(".envrc", "one\n");
	await held.close();
	expect([told, text("config"), text(".envrc")]).toEqual([[], "", "one\n"]);
	const again = places(["config", ".envrc"]);
	for (const [name, text] of [
		["config", `[core]\n${REMOTE}`],
		[".envrc", "two\n"],
	] as const)
		for (const _ of [1, 2]) again.replace(name, text);
	await seen(() => again.told, ["put_back two\n"]);
	await again.held.close();
	expect([again.text("config"), again.text(".envrc"), again.told.length]).toEqual([`[core]\n${REMOTE}`, ".envrc\n", 1]);
});

test("what a person changes while nothing of the run lives, or what a mount covers, is a person's", async () => {
	const { held, state, told, at, replace, text } = places([".envrc", ".bashrc"]);
	writeFileSync(at(".bashrc"), "in place\n");
	Object.assign(state, { isAlive: false, isBusy: false });
	replace(".envrc", "one\n");
	writeFileSync(at(".envrc"), "two\n");
	await held.close();
	expect([text(".envrc"), text(".bashrc"), told]).toEqual(["two\n", "in place\n", []]);
});

test("a command that has ended meanwhile counts, also one in the background", async () => {
	const { held, state, told, at, replace, text } = places([".envrc"]);
	held.event(ended([{ pid: 7, name: "left" }]));
	Object.assign(state, { isAlive: false, isBusy: false, now: state.now + 10_000 });
	replace(".envrc", "of a person\n");
	writeFileSync(at(".envrc"), "evil\n");
	await seen(() => told, ["put_back evil\n"]);
	expect(text(".envrc")).toBe(".envrc\n");
});

test("a hidden file is hidden again, which is told once, and nothing of it is kept", async () => {
	const { state, told, replace, text } = places([".npmrc"], { hidden: ".npmrc" });
	replace(".npmrc", "new secret\n");
	await seen(() => told, ["covered"]);
	replace(".npmrc", "newer secret\n");
	await seen(() => state.covered, [".npmrc", ".npmrc"]);
	expect([told, text(".npmrc")]).toEqual([["covered"], "newer secret\n"]);
});

test("a link that a command replaces leads again where it led", async () => {
	const { told, at } = places([], { link: "hooks" });
	rmSync(at("hooks"));
	symlinkSync("evil", at("hooks"));
	await seen(() => told, ["put_back evil"]);
	expect(readlinkSync(at("hooks"))).toBe("target");
});

test("what is replaced by a directory is told, and stays", async () => {
	const { told, at } = places([".envrc"]);
	rmSync(at(".envrc"));
	mkdirSync(at(".envrc"));
	await seen(() => told, ["changed"]);
});
