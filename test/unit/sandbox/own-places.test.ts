import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { isOwn, ownPlaces } from "../../../src/sandbox/own-places.ts";

function placesOf(env: Record<string, string>, keyFiles: string[] = []) {
	const at = realpathSync(mkdtempSync(join(tmpdir(), "agentree-own-")));
	onTestFinished(() => rmSync(at, { recursive: true, force: true }));
	for (const name of ["h", "real"]) mkdirSync(join(at, name));
	symlinkSync(join(at, "real"), join(at, "link"));
	const set = Object.fromEntries(Object.entries(env).map(([name, path]) => [name, path.replace("AT", at)]));
	const own = ownPlaces({
		...{ env: { HOME: join(at, "h"), ...set }, uid: 7, cwd: join(at, "p"), home: join(at, "link/state") },
		...{ homes: [join(at, "h")], keyFiles: keyFiles.map((path) => path.replace("AT", at)) },
	});
	const below = (path: string) => path.replace(`${at}/`, "");
	return { at, own, directories: own.directories.map(below), files: own.files.map(below) };
}

const USUAL = ["real/state", "h/.config/agentree", "h/.local/state/agentree"];

test("configuration, state and sockets are agentree's own, where they usually are and where variables have them", () => {
	const usual = placesOf({});
	expect(usual.directories).toEqual([...USUAL, "/tmp/agentree-7"]);
	expect(usual.files).toEqual(["h/.config/agentree/config.yaml"]);
	const { directories } = placesOf({
		XDG_CONFIG_HOME: "AT/p/c",
		XDG_STATE_HOME: "AT/link/s",
		XDG_RUNTIME_DIR: "AT/p/r",
	});
	expect(directories).toEqual([
		...["real/state", "p/c/agentree", "real/s/agentree", ...USUAL.slice(1)],
		...["p/r/agentree", "/tmp/agentree-7"],
	]);
});

test("so are the files of configuration and keys that a person has named, but for pipes", () => {
	const { files } = placesOf({ AGENTREE_CONFIG: "a=b,c.yaml" }, ["AT/p/keys.env", "/dev/fd/63", "/proc/self/fd/3"]);
	expect(files).toEqual(["p/a=b,c.yaml", "p/keys.env"]);
});

test("a worktree of an agent is none of it, though it lies in the state directory", () => {
	const { at, own } = placesOf({});
	const isAt = (path: string) => isOwn(join(at, path), own);
	expect(["real/state", "real/state/runs/a", "real/state/worktrees", "h/.config/agentree/x"].map(isAt)).toEqual([
		...[true, true, true, true],
	]);
	expect(["real/state/worktrees/run/name", "real", "h/.config", "real/state-of-another"].map(isAt)).toEqual([
		...[false, false, false, false],
	]);
});
