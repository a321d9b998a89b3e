import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ls } from "../../../../src/cli/commands/ls.ts";
import { listSessions } from "../../../../src/cli/sessions/session.ts";
import type { Io } from "../../../../src/faces/print/io.ts";
import { runDirectory, runFilePath } from "../../../../src/record/run-directory.ts";
import { cpuMs } from "../../cpu-ms.ts";
import { temporaryHome } from "../../record/fabricate.ts";
import { fabricateRun } from "./fabricated-sessions.ts";

const COUNT = 300;

function ioIn(home: string, printed: string[]): Io {
	const print = (text: string) => void printed.push(text);
	return {
		...{ env: { AGENTREE_HOME: home }, cwd: "/work/project", uid: process.getuid?.() ?? 0, now: () => 0 },
		...{ stdout: print, stderr: print, isTTY: true, columns: 100 },
	};
}

test("a list of 300 runs, and a search in them, take a small multiple of what it takes to read their run.json", () => {
	const home = temporaryHome();
	for (let number = 1; number <= COUNT; number++)
		fabricateRun(home, number, { says: [`message ${number}`, "x".repeat(2_000)] });
	const paths = listSessions(home, undefined).map(({ run }) => runFilePath(runDirectory(home, run)));
	const reading = cpuMs(() => paths.map((path) => JSON.parse(readFileSync(path, "utf8"))));
	const printed: string[] = [];
	const listing = cpuMs(() => ls([], {}, ioIn(home, printed)));
	expect(printed.join("")).toContain(`${COUNT - 30} older`);
	const searching = cpuMs(() => ls(["message 277"], {}, ioIn(home, printed)));
	expect(printed.at(-1)?.split("\n")).toHaveLength(3);
	expect({ listing: listing / reading, searching: searching / reading }).toEqual({
		listing: expect.toSatisfy((ratio: number) => ratio < 20),
		searching: expect.toSatisfy((ratio: number) => ratio < 40),
	});
});
