import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openFilesNamed, parseFileLimit, softLimitOfStarter } from "../../../src/processes/proc-facts.ts";

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

const limits = (soft: string, hard: string) =>
	`Limit                     Soft Limit           Hard Limit           Units     \nMax open files            ${soft.padEnd(20)} ${hard.padEnd(20)} files     \n`;

test("the limits of a process are read as the kernel writes them", () => {
	expect(parseFileLimit(limits("1024", "524288"))).toEqual({ soft: 1024, hard: 524288 });
	expect(parseFileLimit(limits("256", "unlimited"))).toEqual({ soft: 256, hard: Number.POSITIVE_INFINITY });
	expect(parseFileLimit("something else")).toBeUndefined();
});

test("commands get the soft limit of the process that started this one, when Node has raised it", () => {
	const raised = { soft: 524288, hard: 524288 };
	expect(softLimitOfStarter({ soft: 1024, hard: 524288 }, raised)).toBe(1024);
	expect(softLimitOfStarter(raised, raised)).toBeUndefined();
	expect(softLimitOfStarter(raised, { soft: 60, hard: 60 })).toBeUndefined();
	expect(softLimitOfStarter(undefined, raised)).toBeUndefined();
});
