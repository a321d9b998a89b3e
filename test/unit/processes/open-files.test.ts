import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openFilesNamed } from "../../../src/processes/proc-facts.ts";

test("the open files of processes of a name are found, and of no other", async () => {
	const directory = realpathSync(mkdtempSync(join(tmpdir(), "agentree-held-")));
	onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
	const path = join(directory, "a b", "held");
	const program = `process.title = "held for a test"; fs.mkdirSync("${directory}/a b"); fs.openSync("${path}", "w"); console.log(); setInterval(() => {}, 1000)`;
	const child = spawn(process.execPath, ["-e", program], { stdio: ["ignore", "pipe", "inherit"] });
	onTestFinished(() => void child.kill());
	await once(child.stdout, "data");
	expect(openFilesNamed("held", "held for a test")).toEqual({ paths: [path], isAll: true });
	expect([openFilesNamed("held", "another").paths, openFilesNamed("hel", "held for a test").paths]).toEqual([[], []]);
});
