/** Where a feature is tried: a project in a home, for a user, with a sandbox, without one, or where none can be had. */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Program, startLine, temporaryHome } from "../program.ts";
import { give } from "../sandbox/as-other-user.ts";
import { pathWithoutBubblewrap } from "../sandbox/no-sandbox.ts";

export const COLUMNS = ["on", "off", "no bubblewrap"] as const;
export type Column = (typeof COLUMNS)[number];

export interface Place {
	readonly home: string;
	/** A git repository with one commit. */
	readonly project: string;
	/** Starts the program there, as that user. */
	start(args: readonly string[], stdin?: string): Program;
	/** `agent run` with a task for the model `shell`, to its end. */
	run(task: string, ...options: string[]): Promise<Ended>;
	/** `agent run` with a scripted model whose only agent this is (docs/scripts.md). */
	runScript(agent: object): Promise<Ended>;
	finish(program: Program): Promise<Ended>;
	/** What its programs have said on stderr, for the message of a test that fails. */
	said(): string;
}

export interface Ended {
	readonly code: number | null;
	readonly stdout: string;
	readonly stderr: string;
}

const WHO = { GIT_AUTHOR_NAME: "a", GIT_AUTHOR_EMAIL: "a@b", GIT_COMMITTER_NAME: "a", GIT_COMMITTER_EMAIL: "a@b" };

/** `as`: what stands in front of a program that the user runs (as-other-user.ts). */
export function place(column: Column, as: string): Place {
	const home = temporaryHome();
	const project = repositoryIn(home);
	mkdirSync(join(home, ".ssh"));
	writeFileSync(join(home, ".ssh/id"), "secret");
	writeFileSync(join(home, "script.yaml"), "agents: []\n");
	const env = {
		...WHO,
		AGENTREE_SANDBOX: column === "off" ? "off" : "",
		...(column === "no bubblewrap" && { PATH: pathWithoutBubblewrap(home) }),
	};
	if (as !== "") give(home);
	const start = (args: readonly string[], stdin?: string) =>
		startLine(`exec ${as} "$@" ${args.map(quoted).join(" ")}`, { home, cwd: project, env, ...(stdin && { stdin }) });
	const said: string[] = [];
	const finish = async (program: Program) => {
		const ended = await endOf(program);
		said.push(`exit ${ended.code}: ${ended.stderr}`);
		return ended;
	};
	const run = (task: string, ...options: string[]) =>
		finish(start(["run", "--model", "shell", "-q", ...options, task]));
	return {
		...{ home, project, start, run, finish, said: () => said.join("\n") },
		runScript: (agent) => {
			writeFileSync(join(home, "script.yaml"), JSON.stringify({ agents: [agent] }));
			return finish(start(["run", "--model", `script:${home}/script.yaml`, "-q", "go"]));
		},
	};
}

async function endOf(program: Program): Promise<Ended> {
	const { code, stdout, stderr } = await program.ended;
	return { code, stdout: stdout.toString().trim(), stderr: stderr.toString().trim() };
}

function repositoryIn(home: string): string {
	const project = join(home, "project");
	const env = { PATH: process.env.PATH, HOME: home, ...WHO };
	spawnSync("git", ["init", "-q", project], { env });
	spawnSync("git", ["commit", "-q", "--allow-empty", "-m", "one"], { cwd: project, env });
	return project;
}

const quoted = (word: string) => `'${word.replaceAll("'", "'\\''")}'`;
