import { expect, test } from "vitest";
import { EMPTY_RUN, type RunState, reduce } from "../../../../src/core/run/run-state.ts";
import { PLAIN, paintFor } from "../../../../src/faces/print/paint.ts";
import { runAsJson } from "../../../../src/faces/print/run-json.ts";
import { runTable, type TableView } from "../../../../src/faces/print/run-table.ts";
import { stripControl } from "../../../../src/text/safe/terminal-safe.ts";
import { displayWidth } from "../../../../src/text/width/width.ts";
import type { ListedRun } from "../../../../src/view/agents/listed-run.ts";
import { agentJoined, runFile, T0 } from "../../record/fabricate.ts";
import { END, EVENTS } from "./recorded-run.ts";

const now = T0 + 120_000;
const { cwd } = runFile();
const alive = stateAfter(EVENTS);
const tableOf = (runs: readonly ListedRun[], view: Partial<TableView> = {}) =>
	runTable(runs, { now, columns: undefined, cwd, paint: PLAIN, isWhole: true, ...view });

test("a run is two lines, and its agents lie below it as a tree, in aligned columns", () => {
	const third = reduce(alive, agentJoined("1.1.1", T0 + 90_000, { task: "\u001b[31m日本\u001b[0m\nmore" }));
	expect(tableOf([{ file: runFile(), state: third }, { file: runFile({ run: "old" }) }])).toMatchInlineSnapshot(`
		[
		  "RUN                   STATE    AGENTS   PID   TIME  START  TURNS  TOKENS   IN  CACHE-R  CACHE-W  OUT  COST  TASK",
		  "  AGENT      NAME              PID  STATE      FOR  TURNS  TOKENS   IN  CACHE-R  CACHE-W  OUT     COST  +BELOW  NOW",
		  "20261127-201530-k3f9  running       3  4100  2m00s             1    2.6k  400     1.8k      200  160     ?  count the lines",
		  "  1 failed, 1 running, 1 queued",
		  "  1          count the lines  4101  running  1m57s      1    1.3k  200      900      100   80  $0.0123  2.6k ?  between turns",
		  "    1.1      task of 1.1            failure     0s      0    1.3k  200      900      100   80        ?  1.3k ?  overloaded",
		  "      1.1.1  日本             4211  queued     30s      0",
		  "old                   crashed       ?            ?  20:15      ?       ?                                 ?  count the lines",
		  "  crashed: its supervisor died",
		]
	`);
});

// Seen to fail while a listed run had only its answer.
test("of a run that is over a list says how many of its agents have failed, though it has answered", () => {
	const over = { endedAt: T0 + 61_000, ending: { by: "answer" }, agents: 3, turns: 7 } as const;
	const answers = new Map([["1", "done"]]);
	const below = (failed: number) => tableOf([{ file: runFile({ ...over, failed }), answers }])[2];
	expect([below(2), below(0)]).toEqual(["  2 of 3 failed; done", "  done"]);
});

test("without the agents that are over a list has those that live", () => {
	const agents = tableOf([{ file: runFile(), state: alive }], { columns: 80, isWhole: false }).slice(3);
	expect(agents.map((line) => line.trim().split(/\s+/)[0])).toEqual(["1", "1"]);
});

// Seen to fail when a listed run had only what its event log tells.
test("a run that is over shows its totals, when it was started, and where if not here", () => {
	const usage = { input: 1_000, output: 200, cacheRead: 0, cacheWrite: 0 };
	const over = { endedAt: T0 + 61_000, ending: { by: "answer" }, agents: 3, turns: 7, usage } as const;
	const answers = new Map([["1", "## Result\n\n**12** lines\u001b[2J"]]);
	const runs = [
		{ file: runFile({ ...over, costUsd: 0.0123 }), answers },
		{ file: runFile({ ...over, costUsd: 0, cwd: "/work/a/long/way/down/the\u001b[2J/tree" }) },
		{ file: runFile({ ...over, costUsd: null, cwd: "/other" }) },
		{ file: runFile() },
		{ file: runFile(), state: stateAfter([...EVENTS, ...END]) },
	];
	expect(tableOf(runs)).toMatchInlineSnapshot(`
		[
		  "RUN                   STATE    AGENTS   TIME  START  TURNS  TOKENS    IN  CACHE-R  CACHE-W  OUT     COST  WHERE                     TASK",
		  "  AGENT  NAME             STATE      FOR  TURNS  TOKENS   IN  CACHE-R  CACHE-W  OUT     COST  +BELOW  NOW",
		  "20261127-201530-k3f9  answer        3  1m01s  20:15      7    1.2k  1.0k        0        0  200  $0.0123                            count the lines",
		  "  Result: 12 lines",
		  "20261127-201530-k3f9  answer        3  1m01s  20:15      7    1.2k  1.0k        0        0  200        -  …/long/way/down/the/tree  count the lines",
		  "20261127-201530-k3f9  answer        3  1m01s  20:15      7    1.2k  1.0k        0        0  200        ?  /other                    count the lines",
		  "20261127-201530-k3f9  crashed       ?      ?  20:15      ?       ?                                     ?                            count the lines",
		  "  crashed: its supervisor died",
		  "20261127-201530-k3f9  stopped       2  1m08s  20:15      1    2.6k   400     1.8k      200  160        ?                            count the lines",
		  "  1 of 2 failed; stopped: Ctrl-C",
		  "  1      count the lines  stopped  1m08s      1    1.3k  200      900      100   80  $0.0123  2.6k ?",
		  "    1.1  task of 1.1      failure     0s      0    1.3k  200      900      100   80        ?          overloaded",
		]
	`);
	expect(tableOf(runs.slice(3, 4), { now: now + 86_400_000, columns: 80 })).toMatchInlineSnapshot(`
		[
		  "RUN                   STATE    AGENTS  TIME  START  TOKENS  COST  TASK",
		  "20261127-201530-k3f9  crashed       ?     ?  Nov27       ?     ?  count the lin…",
		  "  crashed: its supervisor died",
		]
	`);
	const [known, free, noPrice, crashed] = runs.map(runAsJson);
	expect(known).toMatchObject({ agent_count: 3, turns: 7, tokens: 1_200, cost_usd: 0.0123, agents: null });
	expect([free, noPrice]).toMatchObject([{ cost_usd: 0 }, { cost_usd: null }]);
	expect(crashed).toMatchObject({ agent_count: null, turns: null, tokens: null, cost_usd: null });
});

test("a run that has answered says how many of its agents failed", () => {
	const answered = { event: "agent_ended", at: T0, agent: "1", ending: { by: "answer" } } as const;
	const over = { event: "run_ended", at: T0 + 99_000, ending: { by: "answer" }, exitCode: 0, survivors: [] } as const;
	const state = [answered, over].reduce(reduce, alive);
	const lines = tableOf([{ file: runFile(), state, answers: new Map([["1", "done"]]) }], { columns: 80 });
	expect(lines.slice(3)).toEqual([
		"  1 of 2 failed; done",
		"  1      count the lines  answer    0s",
		"    1.1  task of 1.1      failure   0s  overloaded",
	]);
});

test("dead processes have no pid in the list, living ones have it where there is room", () => {
	const pids = (columns: number | undefined) => {
		const lines = tableOf([{ file: runFile(), state: alive }], { columns });
		return ["4100", "4101", "4111"].filter((pid) => lines.join("\n").includes(pid));
	};
	expect([pids(undefined), pids(100), pids(80)]).toEqual([["4100", "4101"], ["4100", "4101"], []]);
});

test("what a living run is short of, waits for, or is stopped by, stands below it", () => {
	const below = (state: RunState, isSuspended = false) =>
		tableOf([{ file: runFile(), state, isSuspended }], { columns: 200 })[3]?.trim();
	const reason = "the machine has 12 MiB of memory left";
	expect(below(alive)).toBe("1 failed, 1 running");
	expect(below(reduce(alive, { event: "shortage_began", at: now, what: "memory", reason }))).toBe(
		`${reason}; 1 failed, 1 running`,
	);
	const slowed = { event: "calls_slowed", at: now, reason: "overloaded", waitMs: 9_000, maxCalls: 1 } as const;
	expect(below(reduce(alive, slowed))).toBe("no calls for 9 s: overloaded; 1 failed, 1 running");
	expect(below(stateAfter([...EVENTS, ...END.slice(0, 2)]))).toBe("is being stopped: Ctrl-C; 1 failed, 1 running");
	expect(below(alive, true)).toBe("its supervisor is suspended (to continue: SIGCONT); 1 failed, 1 running");
});

test("colors change no letter and no column, and NO_COLOR has none", () => {
	const runs = [{ file: runFile(), state: alive }, { file: runFile({ run: "old" }) }];
	const colored = tableOf(runs, { columns: 120, paint: paintFor(undefined, true, undefined) });
	expect(colored.map((line) => stripControl(line))).toEqual(tableOf(runs, { columns: 120 }));
	expect(colored.join("\n")).toContain("\u001b[31mfailure\u001b[39m");
	expect(tableOf(runs, { columns: 120, paint: paintFor(undefined, true, "1") })).toEqual(
		tableOf(runs, { columns: 120 }),
	);
});

test.each([10, 40, 60, 80, 120, 200])("no line is wider than a terminal of %d columns", (columns) => {
	const wide = reduce(alive, agentJoined("1.2", T0, { task: "日本語".repeat(100) }));
	const lines = tableOf([{ file: runFile({ task: "x".repeat(300) }), state: wide }], { columns });
	const widest = Math.max(...lines.map(displayWidth));
	expect(widest).toBeLessThanOrEqual(columns);
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
		            "max_agents": 64,
		            "max_children": 16,
		            "max_concurrency": 8,
		            "max_depth": 3,
		            "max_processes": 2000,
		            "max_time_ms": 3600000,
		            "max_total_turns": 1000,
		            "max_turns": 50,
		          },
		          "model": "shell",
		          "name": "task of 1.1",
		          "pid": 4111,
		          "repeats": null,
		          "retry": null,
		          "role": null,
		          "running": [],
		          "sandbox": null,
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
		        "max_agents": 64,
		        "max_children": 16,
		        "max_concurrency": 8,
		        "max_depth": 3,
		        "max_processes": 2000,
		        "max_time_ms": 3600000,
		        "max_total_turns": 1000,
		        "max_turns": 50,
		      },
		      "model": "shell",
		      "name": "count the lines",
		      "pid": 4101,
		      "repeats": null,
		      "retry": null,
		      "role": null,
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
		      "sandbox": null,
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
		  "failed_count": 0,
		  "limits": {
		    "max_agents": 64,
		    "max_children": 16,
		    "max_concurrency": 8,
		    "max_depth": 3,
		    "max_processes": 2000,
		    "max_time_ms": 3600000,
		    "max_total_turns": 1000,
		    "max_turns": 50,
		  },
		  "model": "shell",
		  "name": null,
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
