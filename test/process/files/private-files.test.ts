/** Modes under any umask, and a reader beside a writer: facts of the file system, so on a real one. */
import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { prepareDirectory } from "../../../src/project/config/user-directories.ts";
import { createRun } from "../../../src/record/run-writer.ts";
import { agentFile, runFile, runStarted, T0, temporaryHome } from "../../unit/record/fabricate.ts";

test.each(["000", "022", "077", "277"])("under the umask %s directories have mode 0700 and files 0600", (umask) => {
	const home = temporaryHome();
	const before = process.umask(Number.parseInt(umask, 8));
	onTestFinished(() => void process.umask(before));
	const run = createRun(join(home, "state", "agentree"), runFile());
	run.append(runStarted());
	run.addAgent(agentFile());
	run.addAgent(agentFile({ agent: "1.1" }));
	run.record("1.1", { role: "user", content: [], at: T0 });
	run.writeAgent(agentFile({ endedAt: T0 }));
	run.writeRun(runFile({ endedAt: T0 }));
	run.close();
	const sockets = join(home, "run", "sockets");
	prepareDirectory(sockets, process.getuid?.() ?? 0);
	const modes = [join(home, "state"), join(home, "run"), sockets, run.directory, ...below(run.directory)].map(
		(path) => {
			const found = lstatSync(path);
			return `${found.isDirectory() ? "directory" : "file"} ${(found.mode & 0o777).toString(8)}`;
		},
	);
	expect(new Set(modes)).toEqual(new Set(["directory 700", "file 600"]));
	expect(modes).toHaveLength(14);
});

test("the files of 1,000 agents are written with few files open", () => {
	const run = createRun(temporaryHome(), runFile());
	const before = readdirSync("/proc/self/fd").length;
	for (let i = 1; i <= 1_000; i++) run.addAgent(agentFile({ agent: `1.${i}` }));
	for (let i = 1; i <= 1_000; i++) run.record(`1.${i}`, { role: "user", content: [], at: T0 });
	expect(readdirSync("/proc/self/fd").length - before).toBeLessThan(5);
	run.close();
});

function below(directory: string): string[] {
	return readdirSync(directory, { recursive: true, encoding: "utf8" }).map((path) => join(directory, path));
}
