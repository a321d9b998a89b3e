/** The scripts of `agent completion`, read by the shells themselves. A shell that is not installed is left out. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { COMMANDS } from "../../../src/project/config/command-table.ts";
import { AGENT_PROGRAM, runProgram, temporaryHome } from "../program.ts";

const scripts = new Map<string, Promise<string>>();

function scriptOf(shell: string): Promise<string> {
	const script = scripts.get(shell) ?? printed(shell);
	scripts.set(shell, script);
	return script;
}

async function printed(shell: string): Promise<string> {
	const { exit, stdout, stderr } = await runProgram(["completion", shell]);
	expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
	return stdout;
}

const isThere = (shell: string) => spawnSync(shell, ["-c", "exit 0"]).status === 0;
const OFFER = `COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _agent 2>/dev/null; printf '%s\\n' "\${COMPREPLY[@]}"`;

/** What bash offers for the last of `words`, as readline splits them. */
function offered(script: string, words: readonly string[], home = temporaryHome()): string[] {
	mkdirSync(join(home, "agentree/runs/20260101-120000-abcd"), { recursive: true });
	mkdirSync(join(home, "here/a folder"), { recursive: true });
	writeFileSync(join(home, "here/a file"), "");
	const { stdout, stderr } = spawnSync("bash", ["--norc", "-c", `${script}\n${OFFER}`, "bash", ...words], {
		cwd: join(home, "here"),
		env: { PATH: `${home}/bin:${process.env.PATH}`, HOME: home, AGENTREE_HOME: join(home, "agentree") },
		encoding: "utf8",
	});
	expect(stderr).toBe("");
	return stdout.split("\n").filter((line) => line !== "");
}

test.each([
	{ words: ["agent", "d"], offers: ["demo", "doctor"] },
	{ words: ["agent", "run", "--max-to"], offers: ["--max-total-turns", "--max-tokens"] },
	{ words: ["agent", "run", "--effort", "h"], offers: ["high"] },
	{ words: ["agent", "run", "--effort", "=", "m"], offers: ["medium", "max"] },
	{ words: ["agent", "--output-format", "="], offers: ["text", "json", "stream-json"] },
	{ words: ["agent", "--effort", "=", "high", "-m", "shell", "st"], offers: ["stop"] },
	{ words: ["agent", "tree", "--output"], offers: [] },
	{ words: ["agent", "resume", "--system"], offers: [] },
	{ words: ["agent", "show", "2026"], offers: ["20260101-120000-abcd"] },
	{ words: ["agent", "ps", "--js"], offers: ["--json"] },
	{ words: ["agent", "run", "-r", "2026"], offers: ["20260101-120000-abcd"] },
	{ words: ["agent", "completion", ""], offers: ["bash", "zsh", "fish", "--help"] },
	{ words: ["agent", "help", "wh"], offers: ["why"] },
	{ words: ["agent", "sup"], offers: [] },
	{ words: ["agent", "run", "--max-turns", ""], offers: [] },
	{ words: ["agent", "a task in quotes", ""], offers: [] },
	{ words: ["agent", "run", "-C", "a"], offers: ["a folder"] },
	{ words: ["agent", "run", "--env-file", "a"], offers: ["a file", "a folder"] },
])("bash offers $offers for $words", async ({ words, offers }) => {
	expect(offered(await scriptOf("bash"), words).sort()).toEqual([...offers].sort());
});

/** Names on which a shell would act. */
const HOSTILE = ["2-$(touch done)", "2-`touch done`", "2-;touch done", "2-* [a-z]*", "2-~$HOME"];
/** What each shell offers: as a command reads it that was completed so, as a name of a file. */
const OFFERS = {
	bash: `COMP_WORDS=(agent show 2) COMP_CWORD=2; _agent; eval "printf '%s\\n' \${COMPREPLY[*]}"
compopt() { :; }; COMP_WORDS=(agent --env-file 2); _agent; printf '%s\\n' "\${COMPREPLY[@]}"`,
	zsh: `compadd() { print -rl -- "\${(@P)@[-1]}" }; _agent_runs; _agent_runs`,
	fish: `complete -C"agent show 2"; complete -C"agent --env-file 2" | string unescape --style=script`,
};

test.each((["bash", "zsh", "fish"] as const).filter(isThere))("%s expands no name that it offers", async (shell) => {
	// Seen to fail: `compgen -W` of bash ran what stood in the name of a run.
	const home = temporaryHome();
	for (const name of HOSTILE)
		for (const place of ["agentree/runs", "here"]) mkdirSync(join(home, place, name), { recursive: true });
	const before = shell === "zsh" ? "compdef() { :; }\n" : "";
	const { stdout, stderr } = spawnSync(shell, ["-c", `${before}${await scriptOf(shell)}\n${OFFERS[shell]}`], {
		...{ cwd: join(home, "here"), encoding: "utf8" },
		env: { PATH: process.env.PATH, HOME: home, AGENTREE_HOME: join(home, "agentree") },
	});
	expect({
		stdout: stdout.replaceAll(/\/$/gm, "").trim().split("\n").sort(),
		stderr,
		left: readdirSync(join(home, "here")).sort(),
	}).toEqual({
		...{ stdout: [...HOSTILE, ...HOSTILE].sort(), stderr: "", left: [...HOSTILE].sort() },
	});
});

test("bash offers the roles that there are, those of files first", async () => {
	const home = temporaryHome();
	for (const place of ["bin", "here/.agentree/agents"]) mkdirSync(join(home, place), { recursive: true });
	writeFileSync(
		join(home, "here/.agentree/agents/any.md"),
		"---\nname: reviewer\ndescription: reviews\n---\nYou review.\n",
	);
	writeFileSync(join(home, "bin/agentree"), `#!/bin/sh\nexec ${process.execPath} ${AGENT_PROGRAM} "$@"\n`, {
		mode: 0o755,
	});
	const script = await scriptOf("bash");
	expect(offered(script, ["agent", "--role", ""], home)).toEqual(["reviewer", "explore", "plan", "code"]);
	expect(offered(script, ["agent", "run", "--role", "=", "p"], home)).toEqual(["plan"]);
});

test("bash completes both names of the program", async () => {
	const { stdout } = spawnSync("bash", ["--norc", "-c", `${await scriptOf("bash")}\ncomplete -p agent agentree`], {
		encoding: "utf8",
	});
	expect(stdout).toBe("complete -F _agent agent\ncomplete -F _agent agentree\n");
});

test.each(["bash", "zsh", "fish"])(
	"the script of %s knows every command and every option that is shown",
	async (shell) => {
		const script = await scriptOf(shell);
		for (const { word, options, group } of COMMANDS) {
			expect([word, new RegExp(`\\b${word}\\b`).test(script)]).toEqual([word, group !== undefined]);
			for (const { flag } of options) expect(script).toContain(shell === "fish" ? ` -l ${flag} ` : `--${flag}`);
		}
	},
);

test.each(["zsh", "fish"].filter(isThere))("%s can read its script", async (shell) => {
	const path = join(temporaryHome(), "script"); // fish reads no script from a socket, which is what Node calls a pipe
	writeFileSync(path, await scriptOf(shell));
	expect(spawnSync(shell, ["-n", path], { encoding: "utf8" })).toMatchObject({
		...{ status: 0, stderr: "" },
	});
});

test("an unknown shell is a usage error", async () => {
	expect(await runProgram(["completion", "tcsh"])).toEqual({
		...{ exit: 2, stdout: "" },
		stderr: 'agent: completion is available for bash, zsh, fish, not for "tcsh"\n',
	});
});
