/**
 * docs/ci.md: its lines are taken from the page and run, with a scripted model. What installs something, and docker, are programs that
 * only note how they were called.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { AGENT_PROGRAM, startLine, temporaryHome } from "../program.ts";
import { NO_SANDBOX } from "../sandbox/no-sandbox.ts";

const PAGE = readFileSync(fileURLToPath(new URL("../../../docs/ci.md", import.meta.url)), "utf8");

/** The fenced blocks of a language, in the page's order. */
function blocks(language: string): string[] {
	return [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm"))].map(([, text = ""]) => text);
}

function block(language: string, part: string): string {
	const found = blocks(language).filter((text) => text.includes(part));
	if (found.length !== 1) throw new Error(`${found.length} blocks of ${language} with ${part} in docs/ci.md`);
	return found[0] ?? "";
}

const GOOD = '{"ok":true,"findings":["all is well"]}';
const BAD = '{"ok":false,"findings":["a test is missing"]}';

function script(verdict: string): string {
	return `agents:
  - task: "Review*"
    turns:
      - run: "git log --format=%s origin/main.."
      - say: '${verdict}'
  - task: "Fix the failing test, and commit*"
    turns:
      - run: "echo fixed > test.txt; git add test.txt; git commit -qm 'Fix the test'"
      - say: "committed"
  - task: "Fix*"
    turns:
      - run: "true"
      - say: "half of it"
`;
}

/** A project with a change, in a place that has all that a job's machine has. */
function job(verdict = GOOD) {
	const home = temporaryHome();
	const at = (name: string) => join(home, name);
	const project = at("project");
	for (const name of ["bin", "temp", "project/.ci"]) mkdirSync(at(name), { recursive: true });
	writeFileSync(at("model.yaml"), script(verdict));
	writeFileSync(join(project, ".ci/verdict.json"), block("json", '"ok"'));
	const program = (name: string, text: string) => {
		writeFileSync(at(`bin/${name}`), `#!/bin/bash\n${text}\n`);
		chmodSync(at(`bin/${name}`), 0o755);
	};
	for (const name of ["sudo", "apt-get", "npm"]) program(name, `echo "${name} $*" >> "${at("called")}"`);
	const inside = `while [ "$1" != agentree ]; do shift; done; shift`;
	program(
		"docker",
		`echo "docker $*" >> "${at("called")}"\n${inside}\nAGENTREE_HOME=$PWD/.agentree-runs exec agent "$@"`,
	);
	program("agent", `exec "${process.execPath}" "${AGENT_PROGRAM}" "$@"`);
	const git = (...args: string[]) =>
		execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.org", ...args], { cwd: project });
	execFileSync("git", ["init", "-q", "--bare", at("origin.git")]);
	git("init", "-q", "-b", "main");
	git("add", ".");
	git("commit", "-qm", "Begin");
	git("remote", "add", "origin", at("origin.git"));
	git("push", "-q", "origin", "main");
	git("commit", "-q", "--allow-empty", "-m", "Change something");
	const env = {
		...{
			PATH: `${at("bin")}:${process.env.PATH}`,
			AGENTREE_MODEL: `script:${at("model.yaml")}`,
			RUNNER_TEMP: at("temp"),
		},
		...{ GITHUB_BASE_REF: "main", GITHUB_STEP_SUMMARY: at("summary"), AGENTREE_TARBALL: "agentree.tgz" },
		...{ CI_PROJECT_DIR: project, CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "main" },
	};
	return {
		...{ home, project, git },
		/** As a runner of jobs does it: the first line that fails ends it. */
		run: async (lines: string, added: Record<string, string> = {}) => {
			const { code, stdout, stderr } = await startLine(`set -e -o pipefail\n${lines}`, {
				...{ home, cwd: project, env: { ...env, ...added } },
			}).ended;
			return { code, stdout: stdout.toString(), stderr: stderr.toString() };
		},
		read: (path: string) => readFileSync(path.startsWith("/") ? path : join(project, path), "utf8"),
		called: () => readFileSync(at("called"), "utf8"),
		expressions: (text: string) =>
			text.replace(/\$\{\{ *([\w.]+) *\}\}/g, (whole, name: string) => {
				const known: Record<string, string> = {
					...{ "vars.AGENTREE_TARBALL": "agentree.tgz", "secrets.ANTHROPIC_API_KEY": "none" },
					"runner.temp": at("temp"),
				};
				if (known[name] === undefined) throw new Error(`${whole} is not known here`);
				return known[name];
			}),
	};
}

interface Step {
	readonly name?: string;
	readonly run?: string;
	readonly env?: Record<string, string>;
}

describe.skipIf(NO_SANDBOX !== undefined)(`docs/ci.md${NO_SANDBOX === undefined ? "" : ` (${NO_SANDBOX})`}`, () => {
	test.each([
		["passes", GOOD, 0],
		["fails by the verdict", BAD, 1],
	])("the workflow of GitHub %s, and leaves the run's record", async (_, verdict, exit) => {
		const { run, expressions, home, called } = job(verdict);
		const { jobs } = parse(block("yaml", "runs-on:")) as { jobs: Record<string, { steps: Step[] }> };
		const codes: [string | undefined, number | null][] = [];
		for (const { name, run: lines, env = {} } of jobs.review?.steps ?? []) {
			if (lines === undefined) continue;
			const added = Object.fromEntries(Object.entries(env).map(([key, value]) => [key, expressions(value)]));
			const { code, stderr } = await run(expressions(lines), added);
			codes.push([name, code]);
			if (name !== "Verdict") expect(stderr).toBe("");
		}
		expect(codes.map(([, code]) => code)).toEqual([0, 0, 0, exit]);
		expect(readFileSync(join(home, "summary"), "utf8")).toMatch(/^(all is well|a test is missing)\n$/);
		expect(readdirSync(join(home, "temp/agentree/runs"))).toHaveLength(1);
		expect(called()).toContain("sudo apt-get install -y bubblewrap\n");
	});

	test("the job of GitLab passes, and its artifacts are there", async () => {
		const { run, read, project } = job();
		const { review } = parse(block("yaml", "before_script:")) as {
			review: Record<"before_script" | "script", string[]> & { artifacts: { paths: string[] } };
		};
		const { before_script, script: lines, artifacts } = review;
		const home = join(project, ".agentree-runs");
		const end = await run([...before_script, ...lines].join("\n"), { AGENTREE_HOME: home });
		expect(end).toMatchObject({ code: 0, stdout: expect.stringMatching(/true\n$/) });
		expect(JSON.parse(read("verdict.json"))).toEqual(JSON.parse(GOOD));
		expect(artifacts.paths.map((path) => existsSync(join(project, path)))).toEqual([true, true]);
	});

	test("a verdict is an exit code, and a limit is told apart from a failure", async () => {
		const failing = job(BAD);
		const verdict = await failing.run(block("bash", "jq -e '.ok'"));
		expect(verdict).toMatchObject({ code: 1, stdout: "a test is missing\nfalse\n" });
		const { run } = job();
		const lines = block("bash", "case $code in");
		expect(await run(lines)).toMatchObject({ code: 0, stdout: "" });
		const limited = await run(lines, { AGENTREE_MAX_TURNS: "1" });
		expect(limited).toMatchObject({ code: 0, stdout: "a limit ended it; what there is:\nhalf of it\n" });
		expect((await run(lines, { AGENTREE_MODEL: "claude-sonnet-5-5" })).code).toBe(77);
	});

	test("the line of docker runs in the project, with an init", async () => {
		const { run, read, called } = job();
		expect(await run(block("bash", "docker run"))).toMatchObject({ code: 0, stdout: "" });
		expect(read("review.md")).toBe(`${GOOD}\n`);
		expect(called()).toMatch(/^docker run --rm --init .* agentree run --max-time 20m/);
		expect(block("dockerfile", "FROM")).toContain('ENTRYPOINT ["agent"]');
	});

	test("an agent commits with the job's identity, the job pushes, and a detached run gives its result", async () => {
		const { run, git, read } = job();
		expect(await run(block("bash", "GIT_AUTHOR_NAME"))).toMatchObject({ code: 0, stdout: "committed\n" });
		const pushed = git("log", "-1", "--format=%s|%an|%ce", "refs/remotes/origin/agent/fix").toString();
		expect(pushed).toBe("Fix the test|ci agent|ci@example.org\n");
		const detached = await run(block("bash", "agent wait"));
		expect(detached).toMatchObject({ code: 0, stdout: `the other work of the job\n${GOOD}\n` });
		expect(JSON.parse(read("result.json"))).toMatchObject({ type: "result", exit_code: 0 });
	});

	test("every block with lines for a shell is run by one of these", () => {
		const known = ["jq -e '.ok'", "case $code in", "docker run", "GIT_AUTHOR_NAME", "agent wait"];
		expect(blocks("bash")).toHaveLength(known.length);
		expect(blocks("yaml")).toHaveLength(2);
	});
});
