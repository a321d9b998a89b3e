import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { PendingJoins } from "../../../../src/supervisor/agents/pending-joins.ts";
import type { Worktrees } from "../../../../src/supervisor/agents/worktrees.ts";
import { Confinements } from "../../../../src/supervisor/sandboxes/confinements.ts";
import type { Join } from "../../../../src/wire/agent-messages.ts";
import type { RunSettings } from "../../../../src/wire/supervise-order.ts";
import { fakeCore, part } from "../fake-core.ts";

const JOIN: Join = { say: "join", pid: 5, pidNamespace: null, cwd: "/work", task: "x", limits: {} };

/** What becomes of a request to join, and what the process that made it is told. */
function accept(asked: Partial<Join>, settings: Partial<RunSettings> = { cwd: "/none" }) {
	const told: unknown[] = [];
	const connection = {
		number: 1,
		send: (message: unknown) => told.push(message),
		refuse: () => {},
		close: () => told.push("closed"),
	};
	const { core } = fakeCore({ settings, machine: { parentOf: () => ({ is: "root", pid: 5, startTime: "1" }) } });
	const parts = { worktrees: part<Worktrees>({ paths: () => [] }), confinements: new Confinements(core.settings) };
	const pending = new PendingJoins(core, part<ConstructorParameters<typeof PendingJoins>[1]>(parts));
	const join = pending.accept(connection, { ...JOIN, ...asked });
	return { join, told, isWaiting: pending.isWaiting(connection) };
}

test("a script is looked for where the child's command was typed, not where the child is to work", () => {
	const directory = mkdtempSync(join(tmpdir(), "agentree-joins-"));
	onTestFinished(() => rmSync(directory, { recursive: true }));
	writeFileSync(join(directory, "a.yaml"), "");
	const asked = { model: "script:a.yaml", startedIn: directory };
	expect(accept(asked, { cwd: directory })).toEqual({
		...{ told: [], isWaiting: true },
		join: { ...JOIN, ...asked, model: `script:${directory}/a.yaml` },
	});
	expect(accept({})).toEqual({ told: [], isWaiting: true, join: JOIN });
});

// Seen to fail without `accept` asking the providers: the agent joins, and its first call fails.
test.each([
	["script:/no/such/script.yaml", "cannot read the script /no/such/script.yaml: ENOENT"],
	["gpt", expect.stringMatching(/^unknown model "gpt"; known: /)],
	["script:a", expect.stringContaining("the working directory no longer exists")],
])("a child that asks for the model %s is sent away before anything is decided about it", (model, reason) => {
	expect(accept({ model })).toEqual({
		...{ join: undefined, isWaiting: false },
		told: [{ say: "refused", code: "usage", reason }, "closed"],
	});
});
