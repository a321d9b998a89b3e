import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Surroundings } from "../../../../src/supervisor/agents/agent-instructions.ts";
import type { Sandboxes } from "../../../../src/supervisor/sandboxes/sandboxes.ts";
import { fakeCore, part } from "../fake-core.ts";

const ENV = { PATH: process.env.PATH ?? "", HOME: "/nonexistent" };

function place() {
	const directory = realpathSync(mkdtempSync(join(tmpdir(), "agentree-surroundings-")));
	onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
	writeFileSync(join(directory, "release"), 'NAME="x"\nPRETTY_NAME="Some Linux 7"\n');
	const cwd = join(directory, "project");
	mkdirSync(join(cwd, "sub"), { recursive: true });
	const git = (...args: string[]) =>
		execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], {
			cwd,
			env: ENV,
			encoding: "utf8",
		}).trim();
	const told = async (
		settings: { cwd?: string; sandbox?: never } = {},
		directoryOf = settings.cwd ?? cwd,
		isRoot = true,
	) => {
		const host = { now: () => Date.UTC(2026, 10, 29, 12) };
		const { core } = fakeCore({ settings: { cwd, env: ENV, ...settings }, host });
		const sandboxes = part<Sandboxes>({ git: () => undefined });
		const surroundings = new Surroundings(core, sandboxes, join(directory, "release"));
		await surroundings.looked;
		return surroundings.of(directoryOf, isRoot);
	};
	return { directory, cwd, git, told };
}

const BEGINNING = `At the start: 2026-11-29; Linux ${process.arch} (Some Linux 7); `;

test.skipIf(process.platform !== "linux")(
	"an agent is told the day, the system, the branch and whether all is committed",
	async () => {
		const { cwd, git, told } = place();
		expect(await told()).toBe(`${BEGINNING}no git repository.`);
		git("init", "-q", "-b", "trunk");
		git("commit", "-q", "--allow-empty", "-m", "one");
		expect(await told()).toBe(`${BEGINNING}git repository on branch trunk, clean.`);
		writeFileSync(join(cwd, "sub/a"), "");
		writeFileSync(join(cwd, "b"), "");
		expect(await told()).toBe(`${BEGINNING}git repository on branch trunk, 2 changes not committed.`);
		git("checkout", "-q", "--detach");
		const head = git("rev-parse", "HEAD").slice(0, 12);
		const sub = join(cwd, "sub");
		expect(await told({ cwd: sub })).toBe(
			`${BEGINNING}git repository ${cwd} at commit ${head} (no branch), 2 changes not committed.`,
		);
		expect(await told({}, cwd, false)).toBe(`${BEGINNING}git repository at commit ${head} (no branch).`); // a child
	},
);

test("nothing that a repository names runs when it is looked at", async () => {
	const { directory, cwd, git, told } = place();
	git("init", "-q", "-b", "trunk");
	writeFileSync(join(cwd, ".gitattributes"), "* filter=odd\n");
	writeFileSync(join(cwd, "a"), "text");
	git("add", "a");
	for (const name of ["filter.odd.clean", "core.fsmonitor"]) git("config", name, `touch ${directory}/ran`);
	writeFileSync(join(cwd, "a"), "TEXT"); // as long as before: git has to read it
	expect(await told()).toContain("on branch trunk, 2 changes not committed");
	expect(() => execFileSync("ls", [join(directory, "ran")], { stdio: "ignore" })).toThrow();
});

test("a git that does not answer keeps nobody waiting, and nothing is said that is not known", async () => {
	const { cwd, git, told } = place();
	git("init", "-q", "-b", "trunk");
	writeFileSync(join(cwd, ".git/config"), "[broken");
	expect(await told()).toContain("; git repository on branch trunk.");
});
