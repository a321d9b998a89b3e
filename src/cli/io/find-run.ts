/** The run that a person means, or an agent in one of its commands. */
import { parseCookie } from "../../core/run/cookie.ts";
import { type Io, warn } from "../../faces/print/io.ts";
import { readableStateDirectory } from "../../project/config/chosen-directory.ts";
import { isRunning } from "../../record/load-run.ts";
import { type FoundRun, findRun, type ReadRun, supervisedRuns } from "../../record/read-run.ts";
import { filesHidden, isHidden, SandboxedRun } from "../../record/run-source.ts";

/** The state directory, to read in it. Says so when it is not the one that the environment names. */
export function stateDirectoryFor(io: Io): string {
	const { path, notice } = readableStateDirectory(io);
	if (notice !== undefined) warn(io, [notice]);
	return path;
}

/** Finds a run like `findRun`. Inside a run, no ref and a bare `1.2` mean that run. */
export function findRunFor(io: Io, home: string, ref: string | undefined): FoundRun {
	const inside = parseCookie(io.env)?.run;
	const isBare = ref === undefined || /^1(\.|$)/.test(ref);
	if (!inside || !isBare) return findRun(home, ref, io.cwd);
	if (isHidden(io.env, home, inside)) throw filesHidden(inside);
	return findRun(home, ref === undefined ? inside : `${inside}/${ref}`, io.cwd);
}

/** The run around this process, if a sandbox hides its files and `ref` means it. */
export function sandboxedRun(io: Pick<Io, "env" | "stderr">, home: string, ref: string | undefined) {
	const found = SandboxedRun.around(io.env, home, ref);
	if (found !== undefined) found.onSlow = (who) => io.stderr(`agent: waiting for ${who}\n`);
	return found;
}

/** The runs that go on, the newest first. */
export function* livingRuns(home: string): Generator<ReadRun> {
	for (const run of supervisedRuns(home)) if (isRunning(run.file)) yield run;
}

/** The newest run of a directory that goes on. */
export function newestLiving(home: string, cwd: string): FoundRun | undefined {
	for (const { run, directory, file } of livingRuns(home)) if (file.cwd === cwd) return { run, directory };
	return undefined;
}
