import { expect, test } from "vitest";
import type { Session } from "../../../../src/cli/sessions/session.ts";
import { type SessionsView, sessionAsJson, sessionRows } from "../../../../src/cli/sessions/session-rows.ts";
import { PLAIN, paintFor } from "../../../../src/faces/print/paint.ts";
import { runFile, T0 } from "../../record/fabricate.ts";

const totals = { agents: 3, turns: 7, costUsd: 0.0123 };
const session = (changes: Partial<Session> & Pick<Session, "run">): Session => ({
	...{ directory: `/runs/${changes.run}`, file: runFile({ run: changes.run }), state: "answered", usedAt: T0, totals },
	...changes,
});
const SESSIONS = [
	session({ run: "20261127-201530-aaaa", state: "waiting", usedAt: T0 + 115_000 }),
	session({
		run: "20261127-201530-bbbb",
		state: "interrupted",
		totals: {},
		file: runFile({ task: "\u001b[2J日本\nmore" }),
	}),
	session({ run: "20261127-201530-cccc", usedAt: T0 - 86_400_000 * 3, file: runFile({ task: " ", cwd: "/a/b" }) }),
];
const view: SessionsView = {
	...{ now: T0 + 120_000, columns: undefined, hasDirectories: false, messagesOf: () => "said\nfirst" },
};

function tableOf(changes: Partial<Parameters<typeof sessionRows>[1]>): string[] {
	const { header, rows } = sessionRows(SESSIONS, { ...view, paint: PLAIN, ...changes });
	return [header, ...rows.map(({ line }) => line)];
}

test("a session is a line with its age, its state and what it has used; without a task it is called by what was said first", () => {
	expect(tableOf({ hasDirectories: true })).toMatchInlineSnapshot(`
		[
		  "RUN                   AGE  STATE            TURNS     COST  WHERE          TASK",
		  "20261127-201530-aaaa   5s  waiting for you      7  $0.0123  /work/project  count the lines",
		  "20261127-201530-bbbb   2m  interrupted          ?        ?  /work/project  日本",
		  "20261127-201530-cccc   3d  answered             7  $0.0123  /a/b           said",
		]
	`);
});

test("a picker's rows have no colors, and each its session", () => {
	const names = new Map([["20261127-201530-aaaa", "aaaa"]]);
	const { rows } = sessionRows(SESSIONS, { ...view, paint: PLAIN, columns: 80, names });
	expect(rows.map(({ session: { run } }) => run)).toEqual(SESSIONS.map(({ run }) => run));
	expect(rows[0]?.line).toMatchInlineSnapshot(
		`"aaaa                   5s  waiting for you      7  $0.0123  count the lines"`,
	);
	expect(tableOf({ paint: paintFor(true, true, undefined) })[1]).toContain("\u001b[");
});

test("a program gets null for what is not known", () => {
	expect(SESSIONS.slice(1, 2).map(sessionAsJson)).toMatchObject([
		{ state: "interrupted", agent_count: null, turns: null, cost_usd: null, forked_from: null, is_conversation: false },
	]);
});
