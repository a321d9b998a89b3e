/** What a sandbox keeps or hides, when a program outside of it puts another file in its place while a command runs. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { WAIT } from "../../wait.ts";
import { startLine, temporaryHome } from "../program.ts";
import { give, USERS } from "./as-other-user.ts";
import { atLevel } from "./at-level.ts";
import { NO_SANDBOX, SKIPPED } from "./no-sandbox.ts";

const EVIL = "[core]\n\tfsmonitor = ./evil\n";

/** By a child agent, whose sandbox is in that of its parent. */
const ATTACK = `
cd "$PROJECT"; touch ready
until [ -e over ]; do
	printf '[core]\\n\\tfsmonitor = ./evil\\n' 2>/dev/null >> .git/config && touch wrote
	[ ! -s .env ] || touch read
	sleep 0.01
done
cat .env; [ -w .git/config ] || echo refused`;

describe.skipIf(NO_SANDBOX !== undefined)(`what is replaced from outside${SKIPPED}`, () => {
	// Seen to fail: the file stayed as the command had written it, and the hidden one was read on and on.
	test.each(USERS)("is kept and hidden again from a command that waits for it: as $name", async ({ as }) => {
		const home = temporaryHome();
		const project = join(home, "project");
		const config = join(project, ".git/config");
		for (const each of [project, join(home, ".cache")]) mkdirSync(each);
		spawnSync("git", ["init", "-q", project], { env: { PATH: process.env.PATH, HOME: home } });
		for (const each of [".env", ".env.new"]) writeFileSync(join(project, each), "secret");
		writeFileSync(join(home, "task"), atLevel(2, ATTACK));
		const before = readFileSync(config, "utf8");
		writeFileSync(`${config}.new`, `${before}[remote "origin"]\n\turl = https://example.org/a\n`);
		if (as !== "") give(home);
		const line = `cd "$PROJECT" && exec ${as} "$@" run -q --trust --sandbox workspace --deny-read .env --model shell "$(cat "$HOME/task")"`;
		const program = startLine(line, { home, env: { PROJECT: project } });
		const isThere = (name: string) => vi.waitFor(() => expect(existsSync(join(project, name))).toBe(true), WAIT);
		await isThere("ready");
		renameSync(join(project, ".env.new"), join(project, ".env"));
		renameSync(`${config}.new`, config);
		const outcomes = async () => {
			const events = readFileSync(join(await program.runDirectory(), "events.jsonl"), "utf8");
			return events.split("\n").flatMap((each) => /"outcome":"(\w+)"/.exec(each)?.[1] ?? []);
		};
		await vi.waitFor(async () => expect((await outcomes()).sort()).toEqual(["covered", "put_back"]), {
			timeout: 20_000,
		});
		writeFileSync(join(project, "over"), "");
		const { code, stdout, stderr } = await program.ended;
		expect([code, stdout.toString()]).toEqual([0, "refused\n"]);
		expect(readFileSync(config, "utf8")).toBe(before);
		const [, kept = ""] = /RESTORED: .*the changed version is (\S+)\n$/.exec(stderr.toString()) ?? [];
		expect(readFileSync(kept, "utf8")).toContain(EVIL);
	});

	// Seen to fail: the run ended with a bug, and without that no further command was started.
	test.each(USERS)(
		"a directory that becomes a file, as git makes it of a submodule's, hinders nothing: as $name",
		async ({ as }) => {
			const home = temporaryHome();
			const project = join(home, "project");
			for (const each of [project, join(project, "sub")])
				spawnSync("git", ["init", "-q", each], { env: { PATH: process.env.PATH, HOME: home } });
			writeFileSync(
				join(home, "task"),
				"touch ready; until [ -e over ]; do sleep 0.01; done; agent 'git -C sub rev-parse --git-dir'",
			);
			if (as !== "") give(home);
			const line = `cd "$PROJECT" && exec ${as} "$@" run -q --trust --sandbox workspace --model shell "$(cat "$HOME/task")"`;
			const program = startLine(line, { home, env: { PROJECT: project } });
			await vi.waitFor(() => expect(existsSync(join(project, "ready"))).toBe(true), WAIT);
			renameSync(join(project, "sub/.git"), join(project, ".git/of-sub"));
			writeFileSync(join(project, "sub/.git"), "gitdir: ../.git/of-sub\n");
			writeFileSync(join(project, "over"), "");
			const { code, stdout } = await program.ended;
			expect([code, stdout.toString()]).toEqual([0, `${join(project, ".git/of-sub")}\n`]);
		},
	);
});
