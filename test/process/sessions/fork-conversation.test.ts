/** A copy of a conversation in which somebody is: it listens, and goes on in both. */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { forkRun } from "../../../src/cli/sessions/fork-run.ts";
import { keptStates } from "../../../src/cli/undo/run-undo.ts";
import { SavedTree } from "../../../src/project/undo/saved-tree.ts";
import { listRuns, readRunFile } from "../../../src/record/read-run.ts";
import { runDirectory, undoDirectory } from "../../../src/record/run-directory.ts";
import type { FakeApi } from "../../fixtures/fake-api.ts";
import { KEY, says } from "../api/api-run.ts";
import { Person, startConversation, startTalkService } from "../conversation/conversation-run.ts";
import { runProgram } from "../program.ts";
import { keep, NEVER } from "../worktree/project.ts";

const textsOf = (api: FakeApi) =>
	(api.requests.at(-1)?.body.messages ?? []).map(({ content }) =>
		content.map((block) => ("text" in block ? block.text : block.type)),
	);

test("a copy of a conversation that waits for its person is told of no interruption, and the first waits on", async () => {
	const api = await startTalkService({ next: { content: [says("went on")] }, begin: { content: [says("hello")] } });
	const program = startConversation({ api });
	const person = await Person.joins(program);
	await person.until(() => person.state === "listening");
	const [first = ""] = listRuns(join(program.home, "agentree"));
	const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: api.url };
	const end = await runProgram(["run", "-c", "--fork", "next 1"], { home: program.home, cwd: program.home, env });
	expect(end).toMatchObject({ exit: 0, stdout: "went on\n" });
	expect(textsOf(api)).toEqual([["begin"], ["hello"], ["next 1"]]);
	const copy = listRuns(join(program.home, "agentree")).find((run) => run !== first) ?? "";
	expect(readRunFile(runDirectory(join(program.home, "agentree"), copy))).toMatchObject({
		...{ forkedFrom: first, isConversation: true, ending: { by: "answer" } },
	});
	expect(person.state).toBe("listening");
	await person.says("next 2");
	await person.until(() => api.requests.length === 3 && person.state === "listening");
	expect(textsOf(api)).toEqual([["begin"], ["hello"], [expect.stringContaining("next 2")]]);
	await person.asks({ say: "close" });
}, 60_000);

test("a copy has the kept states of the files, too, and undoes for itself", async () => {
	const api = await startTalkService({ begin: { content: [says("hello")] } });
	const program = startConversation({ api });
	const person = await Person.joins(program);
	await person.until(() => person.state === "listening");
	const { home } = program;
	const top = join(home, "project");
	mkdirSync(top);
	writeFileSync(join(top, "a"), "one\n");
	const directory = await program.runDirectory();
	const open = { cwd: top, own: [], env: { PATH: process.env.PATH ?? "", HOME: home }, signal: NEVER, now: Date.now };
	const opened = await SavedTree.open({ ...open, directory: undoDirectory(directory) });
	if (opened.is === "none") throw new Error(opened.reason);
	await keep(opened.worktree, "begin");
	writeFileSync(join(top, "a"), "two\n");
	const host = {
		home: join(home, "agentree"),
		env: {},
		uid: process.getuid?.() ?? 0,
		now: Date.now(),
		random: Math.random,
	};
	const copy = forkRun({ run: readRunFile(directory).run, directory }, {}, host);
	expect(readdirSync(undoDirectory(copy.directory)).sort()).toEqual(["git", "states"]);
	const [state] = keptStates(copy.directory);
	if (state === undefined) throw new Error("no state was copied");
	const again = await SavedTree.open({ ...open, directory: undoDirectory(copy.directory) });
	if (again.is === "none") throw new Error(again.reason);
	expect(await again.worktree.changesSince(state, NEVER)).toMatchObject({ changes: [{ path: "a", is: "changed" }] });
	await person.asks({ say: "close" });
}, 60_000);
