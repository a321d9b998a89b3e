/** Where agents in a sandbox write, with files: each output is on the disk once, at the same path inside and outside. */
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { OutputTrees } from "../../../../src/supervisor/sandboxes/output-trees.ts";

function aRun() {
	const directory = mkdtempSync(join(tmpdir(), "agentree-trees-"));
	onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
	const path = (place: string) => join(directory, place);
	return {
		directory,
		records: (...agents: string[]) => {
			for (const id of agents) mkdirSync(path(join(...id.split("."), "out")), { recursive: true });
		},
		write: (place: string, text = place) => writeFileSync(path(place), text),
		read: (place: string) => readFileSync(path(place), "utf8"),
		names: (place: string) => statSync(path(place)).nlink,
		path,
	};
}

const of = (...agents: string[]) => Object.fromEntries(agents.map((id) => [id, {}]));

test("what an agent in a sandbox prints is in the record from its first moment, and nowhere else when the run is over", () => {
	const run = aRun();
	run.records("1", "1.2");
	const trees = new OutputTrees(run.directory);
	trees.open("1", false, of("1"));
	trees.open("1.2", true, of("1", "1.2"));
	expect([trees.placeOf("1"), trees.placeOf("1.2")]).toEqual(["output/1", "output/1/2"]);
	run.write("output/1/2/out/0003.log");
	trees.commandStarted("1.2", 3);
	trees.commandStarted("1.2", 3); // told twice
	expect(run.read("1/2/out/0003.log")).toBe("output/1/2/out/0003.log");
	expect(run.names("1/2/out/0003.log")).toBe(2);
	run.write("output/1/2/bugs.log");
	trees.close(["1.2"]);
	expect([readdirSync(run.directory), run.names("1/2/out/0003.log")]).toEqual([["1"], 1]);
	expect(run.read("1/2/bugs.log")).toBe("output/1/2/bugs.log");
});

test("for an agent that goes on there is again what those below it have printed", () => {
	const run = aRun();
	run.records("1", "1.1", "1.1.1");
	for (const log of ["1/out/0001.log", "1/1/out/0001.log", "1/1/1/out/0002.log"]) run.write(log);
	const trees = new OutputTrees(run.directory);
	trees.open("1", false, of("1", "1.1", "1.1.1"));
	expect(run.read("output/1/1/1/out/0002.log")).toBe("1/1/1/out/0002.log");
	expect(run.read("output/1/1/out/0001.log")).toBe("1/1/out/0001.log");
});

test("an agent that a command outside of the sandbox has started has a tree of its own, which nobody above it can change", () => {
	const run = aRun();
	run.records("1", "1.1", "1.1.1");
	const trees = new OutputTrees(run.directory);
	trees.open("1", false, of("1"));
	trees.open("1.1", false, of("1", "1.1"));
	trees.open("1.1.1", true, of("1", "1.1", "1.1.1"));
	expect([trees.placeOf("1.1"), trees.placeOf("1.1.1")]).toEqual(["output/1.1", "output/1.1/1"]);
	run.write("1/1/out/0001.log");
	trees.commandStarted("1.1", 1);
	expect(run.read("output/1/1/out/0001.log")).toBe("1/1/out/0001.log"); // its parent can read it
});

test("links that commands put in the way lead nowhere", () => {
	const run = aRun();
	run.records("1", "1.1", "1.2");
	run.write("victim");
	const trees = new OutputTrees(run.directory);
	trees.open("1", false, of("1"));
	symlinkSync(run.directory, run.path("output/1/2"));
	trees.open("1.2", true, of("1", "1.2"));
	expect(existsSync(run.path("out"))).toBe(false);
	symlinkSync(run.path("victim"), run.path("output/1/2/out/0001.log"));
	trees.commandStarted("1.2", 1);
	expect(readdirSync(run.path("1/2/out"))).toEqual([]);
	trees.close([]);
	expect(run.read("victim")).toBe("victim");
});
