import { expect, test } from "vitest";
import { PLAIN, paintFor } from "../../../../src/faces/print/paint.ts";
import { EventLines } from "../../../../src/faces/print/progress.ts";
import { stripControl } from "../../../../src/text/safe/terminal-safe.ts";
import { displayWidth } from "../../../../src/text/width/width.ts";
import { END, EVENTS } from "./recorded-run.ts";

function linesOf(columns: number | undefined, paint = PLAIN): string[] {
	const lines = new EventLines({ paint, columns: () => columns });
	return [...EVENTS, ...END].map((event) => lines.line(event));
}

test("an event is a line with how long that took, and what an agent cost", () => {
	expect(linesOf(undefined)).toMatchInlineSnapshot(`
		[
		  "20:15:30.000  run     started by supervisor 4100, model shell: count the lines of every folder",
		  "20:15:30.100  1       joined as the root, pid 4101: count the lines",
		  "20:15:30.110  1       waiting for a slot",
		  "20:15:30.120  1       turn 1 started",
		  "20:15:32.120  1       turn 1 ended after 2s: tool_use, 1.2k in / 80 out, $0.0123",
		  "20:15:32.130  1       command 1 started, pid 5001: agent "count src"",
		  "20:15:32.131  1       command 2 started, pid 5002: seq 30; exit 3",
		  "20:15:32.200  1.1     joined by command 1, pid 4111: task of 1.1",
		  "20:15:32.300  1.1     was refused a child: depth: depth limit reached; task: more",
		  "20:15:32.310  1.1     turn 1 started, the last",
		  "20:15:32.400  1.1     turn 1 failed after 90ms: overloaded (1.2k in / 80 out, cost unknown)",
		  "20:15:32.450  1.1     ended after 250ms: failure: overloaded; 1 turn, cost unknown",
		  "20:15:32.500  1       command 1 ended after 370ms: exit status 0, 80 bytes",
		  "20:16:37.131  1       command 2 ended after 1m05s: exit status 3, 80 bytes, left running: sleep (77)",
		  "20:16:37.200  1       was refused a turn: turn limit reached",
		  "20:16:38.000  1       is stopping: Ctrl-C",
		  "20:16:38.001  run     is stopping: Ctrl-C",
		  "20:16:38.100  1       ended after 1m08s: stopped: Ctrl-C; 1 turn, $0.0123",
		  "20:16:38.200  run     ended after 1m08s: stopped: Ctrl-C, exit code 130, still alive: 77",
		]
	`);
});

test("on a terminal no line is wider, and colours change no letter", () => {
	const coloured = linesOf(60, paintFor(undefined, true, undefined));
	expect(coloured.map((line) => stripControl(line))).toEqual(linesOf(60));
	expect(Math.max(...linesOf(60).map(displayWidth))).toBe(60);
	expect(coloured.find((line) => line.includes("failure"))).toBe(
		"20:15:32.450  1.1     \u001b[31mended after 250ms: failure: overloade…\u001b[39m",
	);
	expect(coloured.find((line) => line.includes("1.1     joined"))).not.toContain("\u001b");
});
