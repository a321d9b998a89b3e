import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { TerminalEffects } from "../../../../src/faces/dashboard/terminal-effects.ts";
import { RecordedRun } from "../../../../src/record/run-source.ts";
import { firstBytes, MOST_COPIED } from "../../../../src/tui/terminal/modes.ts";

function effects(env: Record<string, string> = {}, columns = 500) {
	const runDirectory = mkdtempSync(join(tmpdir(), "agentree-wishes-"));
	onTestFinished(() => rmSync(runDirectory, { recursive: true }));
	mkdirSync(join(runDirectory, "1/2/out"), { recursive: true });
	const calls: string[] = [];
	const call =
		(name: string) =>
		(...args: unknown[]) =>
			void calls.push([name, ...args].join(" "));
	let tell = (_: string) => {};
	const told = new Promise<string>((resolve) => {
		tell = resolve;
	});
	let takeBack = () => {};
	const resumed = new Promise<void>((resolve) => {
		takeBack = resolve;
	});
	const file = join(runDirectory, "shown");
	const shell = {
		screen: {
			copy: (text: string) => copied(text, call("copy")),
			redraw: call("redraw"),
			mouse: call("mouse"),
			size: { columns, rows: 24 },
		},
		isLent: false,
		lend: () => {
			call("lend")();
			shell.isLent = true;
		},
		returned: () => {
			call("returned")();
			shell.isLent = false;
			takeBack();
		},
	};
	const all = new TerminalEffects(shell, {
		...{
			record: new RecordedRun(runDirectory),
			env: { PATH: process.env.PATH, PAGER: `tee ${file} > /dev/null`, ...env },
		},
		onTold: (text, isTrouble) => tell(`${isTrouble ? "trouble: " : ""}${text}`),
	});
	return { all, calls, shell, told, resumed, runDirectory, shown: () => readFileSync(file, "utf8") };
}

/** What a terminal takes of the text. */
function copied(text: string, call: (text: string) => void): number {
	const taken = firstBytes(text, MOST_COPIED);
	call(taken);
	return Buffer.byteLength(taken);
}

test("an output is given to the pager whole, safe for a terminal, while the pager has the terminal", async () => {
	const { all, calls, shell, resumed, runDirectory, shown } = effects();
	const log = `\u001b]0;owned\u0007red \u001b[31mhot\u001b[0m\u001b[2J\n${"line\n".repeat(50_000)}漢字`;
	writeFileSync(join(runDirectory, "1/2/out/0007.log"), log);
	all.grant({ is: "read", what: { is: "output", agent: "1.2", command: 7 } });
	expect([shell.isLent, calls]).toEqual([true, ["lend"]]);
	await resumed;
	expect([shell.isLent, calls]).toEqual([false, ["lend", "returned"]]);
	expect(shown()).toBe(`red hot\n${"line\n".repeat(50_000)}漢字`);
});

test("while one text is read another wish for one is none", async () => {
	const { all, calls, resumed } = effects();
	all.grant({ is: "read", what: { is: "text", text: "one" } });
	all.grant({ is: "read", what: { is: "text", text: "two" } });
	await resumed;
	expect(calls).toEqual(["lend", "returned"]);
});

test("an output that is not there, and a pager that fails, are told in the bar", async () => {
	const missing = effects();
	missing.all.grant({ is: "read", what: { is: "output", agent: "1.2", command: 7 } });
	expect(await missing.told).toMatch(/^trouble: cannot read .*0007\.log: no such file/);
	expect(missing.calls).toEqual([]);
	const failing = effects({ PAGER: "exit 3" });
	failing.all.grant({ is: "read", what: { is: "text", text: "one" } });
	expect(await failing.told).toBe("trouble: the pager failed: exit 3: exit status 3");
	expect(failing.calls).toEqual(["lend", "returned"]);
});

test("an answer is copied as far as terminals take it, and it is said how much, and where it is", async () => {
	const short = effects();
	short.all.grant({ is: "copy", agent: "1.2", text: "the answer" });
	expect(short.calls).toEqual(["copy the answer"]);
	expect(await short.told).toBe(`copied 10 bytes; it is in ${short.runDirectory}/1/2/transcript.jsonl`);
	const home = effects({ HOME: tmpdir() });
	home.all.grant({ is: "copy", agent: "1", text: "x" });
	expect(await home.told).toMatch(/^copied 1 byte; it is in ~\/agentree-wishes-\w+\/1\/transcript\.jsonl$/);
	const long = effects({ TMUX: "/tmp/tmux-0/default,1,0" });
	long.all.grant({ is: "copy", agent: "1", text: "漢".repeat(30_000) });
	expect(long.calls[0]?.length).toBe("copy ".length + 24_666);
	expect(await long.told).toMatch(/^copied 72 KiB of 87 KiB; it is in .* \(tmux: set -s set-clipboard on\)$/);
});

// Seen to fail with the whole path, of which 80 columns show the beginning.
test("on a narrow terminal the end of the path is shown, which names run and agent", async () => {
	const { all, told } = effects({}, 80);
	all.grant({ is: "copy", agent: `1${".2".repeat(30)}`, text: "the answer" });
	const said = await told;
	expect(said).toMatch(/^copied 10 bytes; it is in ….*\/2\/2\/transcript\.jsonl$/);
	expect(said.length).toBe(78);
});

test("the others go to the screen", () => {
	const { all, calls } = effects();
	all.grant({ is: "redraw" });
	all.grant({ is: "mouse", isOn: true });
	expect(calls).toEqual(["redraw", "mouse true"]);
});
