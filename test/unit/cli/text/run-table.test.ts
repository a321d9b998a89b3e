import { expect, test } from "vitest";
import { runAsJson } from "../../../../src/cli/text/run-json.ts";
import { runTable, stateOfRun } from "../../../../src/cli/text/run-table.ts";
import { EMPTY_RUN, type RunState, reduce } from "../../../../src/core/run-state.ts";
import { displayWidth } from "../../../../src/text/width.ts";
import { agentJoined, runFile, T0 } from "../../store/fabricate.ts";
import { END, EVENTS } from "./recorded-run.ts";

process.env.TZ = "UTC"; // the times printed are local

const now = T0 + 120_000;
const { cwd } = runFile();
const alive = stateAfter(EVENTS);

test("a run is a line, and its agents lie below it as a tree, in aligned columns", () => {
	const third = reduce(alive, agentJoined("1.1.1", T0 + 90_000, { task: "\u001b[31m日本\u001b[0m\nmore" }));
	expect(
		runTable([{ file: runFile(), state: third }, { file: runFile({ run: "old" }) }], { now, columns: undefined, cwd }),
	).toMatchInlineSnapshot(`
		[
		  "AGENT                 AGENTS   PID  STATE    TURNS  TOKENS   IN  CACHE-R  CACHE-W  OUT     COST  +BELOW   TIME  START  TASK",
		  "20261127-201530-k3f9          4100  running      1    2.6k  400     1.8k      200  160        ?          2m00s         count the lines",
		  "  1                           4101  running      1    1.3k  200      900      100   80  $0.0123  2.6k ?  1m59s         count the lines",
		  "    1.1                       4111  failure      0    1.3k  200      900      100   80        ?  1.3k ?  250ms         task of 1.1",
		  "      1.1.1                   4211  queued       0       0                                    -            30s         日本",
		  "old                        ?        crashed      ?       ?                                    ?              ?  20:15  count the lines",
		]
	`);
});

// Seen to fail when a listed run had only what its event log tells.
test("a run that is over shows its totals, when it was started, and where if not here", () => {
	const usage = { input: 1_000, output: 200, cacheRead: 0, cacheWrite: 0 };
	const over = { endedAt: T0 + 61_000, ending: { by: "answer" }, agents: 3, turns: 7, usage } as const;
	const runs = [
		{ file: runFile({ ...over, costUsd: 0.0123 }) },
		{ file: runFile({ ...over, costUsd: 0, cwd: "/work/a/long/way/down/the\u001b[2J/tree" }) },
		{ file: runFile({ ...over, costUsd: null, cwd: "/other" }) },
		{ file: runFile() },
		{ file: runFile(), state: stateAfter([...EVENTS, ...END]) },
	];
	expect(runTable(runs, { now, columns: undefined, cwd })).toMatchInlineSnapshot(`
		[
		  "AGENT                 AGENTS   PID  STATE    TURNS  TOKENS    IN  CACHE-R  CACHE-W  OUT     COST  +BELOW   TIME  START  WHERE                     TASK",
		  "20261127-201530-k3f9       3        answer       7    1.2k  1.0k        0        0  200  $0.0123          1m01s  20:15                            count the lines",
		  "20261127-201530-k3f9       3        answer       7    1.2k  1.0k        0        0  200        -          1m01s  20:15  …/long/way/down/the/tree  count the lines",
		  "20261127-201530-k3f9       3        answer       7    1.2k  1.0k        0        0  200        ?          1m01s  20:15  /other                    count the lines",
		  "20261127-201530-k3f9       ?        crashed      ?       ?                                     ?              ?  20:15                            count the lines",
		  "20261127-201530-k3f9          4100  stopped      1    2.6k   400     1.8k      200  160        ?          1m08s  20:15                            count the lines",
		  "  1                           4101  stopped      1    1.3k   200      900      100   80  $0.0123  2.6k ?  1m08s                                   count the lines",
		  "    1.1                       4111  failure      0    1.3k   200      900      100   80        ?          250ms                                   task of 1.1",
		]
	`);
	expect(runTable(runs.slice(3, 4), { now: now + 86_400_000, columns: 80, cwd })).toMatchInlineSnapshot(`
		[
		  "AGENT                 STATE    TURNS  TOKENS  COST  TIME  START  TASK",
		  "20261127-201530-k3f9  crashed      ?       ?     ?     ?  Nov27  count the lines",
		]
	`);
	const [known, free, noPrice, crashed] = runs.map(runAsJson);
	expect(known).toMatchObject({ agent_count: 3, turns: 7, tokens: 1_200, cost_usd: 0.0123, agents: null });
	expect([free, noPrice]).toMatchObject([{ cost_usd: 0 }, { cost_usd: null }]);
	expect(crashed).toMatchObject({ agent_count: null, turns: null, tokens: null, cost_usd: null });
});

test.each([40, 60, 80, 200])("no line is wider than a terminal of %d columns", (columns) => {
	const wide = reduce(alive, agentJoined("1.2", T0, { task: "日本語".repeat(100) }));
	const lines = runTable([{ file: runFile(), state: wide }], { now, columns, cwd });
	const widest = Math.max(...lines.map(displayWidth));
	expect([columns, columns - 1]).toContain(widest); // a wide character may not fit into the last column
});

test("a run is running, stopping, or how it ended; without a word it has crashed", () => {
	expect(stateOfRun({ file: runFile(), state: alive })).toBe("running");
	expect(stateOfRun({ file: runFile(), state: stateAfter(END.slice(0, 2)) })).toBe("stopping");
	expect(stateOfRun({ file: runFile(), state: alive, isSuspended: true })).toBe("suspended");
	expect(stateOfRun({ file: runFile(), state: stateAfter(END) })).toBe("stopped");
	expect(stateOfRun({ file: runFile({ endedAt: T0, ending: { by: "answer" } }) })).toBe("answer");
	expect(stateOfRun({ file: runFile() })).toBe("crashed");
});

test("the JSON of a run has every key whatever is known, and its agents nested", () => {
	const whole = runAsJson({ file: runFile(), state: stateAfter(EVENTS.slice(0, 8)) });
	expect(whole).toMatchInlineSnapshot(`
		{
		  "agent_count": 2,
		  "agents": [
		    {
		      "agent": "1",
		      "budget_usd_left": null,
		      "children": [
		        {
		          "agent": "1.1",
		          "budget_usd_left": null,
		          "children": [],
		          "commands": 0,
		          "compactions": 0,
		          "context_tokens": null,
		          "cost_usd": 0,
		          "ended_at": null,
		          "ending": null,
		          "joined_at": 1795810532200,
		          "limits": {
		            "maxAgents": 64,
		            "maxChildren": 16,
		            "maxConcurrency": 8,
		            "maxDepth": 3,
		            "maxProcesses": 2000,
		            "maxTimeMs": 3600000,
		            "maxTotalTurns": 1000,
		            "maxTurns": 50,
		          },
		          "model": "shell",
		          "name": "task of 1.1",
		          "pid": 4111,
		          "repeats": null,
		          "retry": null,
		          "running": [],
		          "state": "queued",
		          "subtree": {
		            "agents": 1,
		            "cost_usd": 0,
		            "tokens": 0,
		            "turns": 0,
		            "usage": {
		              "cache_read": 0,
		              "cache_write": 0,
		              "input": 0,
		              "output": 0,
		            },
		          },
		          "task": "task of 1.1",
		          "tokens": 0,
		          "tokens_left": null,
		          "turns": 0,
		          "usage": {
		            "cache_read": 0,
		            "cache_write": 0,
		            "input": 0,
		            "output": 0,
		          },
		          "window_tokens": null,
		        },
		      ],
		      "commands": 2,
		      "compactions": 0,
		      "context_tokens": 1280,
		      "cost_usd": 0.0123,
		      "ended_at": null,
		      "ending": null,
		      "joined_at": 1795810530100,
		      "limits": {
		        "maxAgents": 64,
		        "maxChildren": 16,
		        "maxConcurrency": 8,
		        "maxDepth": 3,
		        "maxProcesses": 2000,
		        "maxTimeMs": 3600000,
		        "maxTotalTurns": 1000,
		        "maxTurns": 50,
		      },
		      "model": "shell",
		      "name": "count the lines",
		      "pid": 4101,
		      "repeats": null,
		      "retry": null,
		      "running": [
		        {
		          "command": 1,
		          "pid": 5001,
		          "since": 1795810532130,
		          "text": "agent "count
		src"",
		        },
		        {
		          "command": 2,
		          "pid": 5002,
		          "since": 1795810532131,
		          "text": "seq 30; exit 3",
		        },
		      ],
		      "state": "waiting",
		      "subtree": {
		        "agents": 2,
		        "cost_usd": 0.0123,
		        "tokens": 1280,
		        "turns": 1,
		        "usage": {
		          "cache_read": 900,
		          "cache_write": 100,
		          "input": 200,
		          "output": 80,
		        },
		      },
		      "task": "count the lines[2J",
		      "tokens": 1280,
		      "tokens_left": null,
		      "turns": 1,
		      "usage": {
		        "cache_read": 900,
		        "cache_write": 100,
		        "input": 200,
		        "output": 80,
		      },
		      "window_tokens": null,
		    },
		  ],
		  "cost_usd": 0.0123,
		  "cwd": "/work/project",
		  "ended_at": null,
		  "ending": null,
		  "exit_code": null,
		  "limits": {
		    "maxAgents": 64,
		    "maxChildren": 16,
		    "maxConcurrency": 8,
		    "maxDepth": 3,
		    "maxProcesses": 2000,
		    "maxTimeMs": 3600000,
		    "maxTotalTurns": 1000,
		    "maxTurns": 50,
		  },
		  "model": "shell",
		  "pid": 4100,
		  "refused": 0,
		  "run": "20261127-201530-k3f9",
		  "shortages": [],
		  "slowed": null,
		  "started_at": 1795810530000,
		  "state": "running",
		  "task": "count the lines
		of every folder",
		  "tokens": 1280,
		  "turns": 1,
		  "usage": {
		    "cache_read": 900,
		    "cache_write": 100,
		    "input": 200,
		    "output": 80,
		  },
		}
	`);
	expect(Object.keys(runAsJson({ file: runFile() }))).toEqual(Object.keys(whole));
	expect(runAsJson({ file: runFile() })).toMatchObject({ agents: null, turns: null, cost_usd: null, ending: null });
});

function stateAfter(events: typeof EVENTS): RunState {
	return events.reduce(reduce, EMPTY_RUN);
}
